"""How MLX's host code launches its kernels: names, arguments, grids, function constants.

One file per family. Facts are those of MLX's Metal back-end (``mlx/backend/metal/*.cpp``) and of the kernels'
own signatures; each function adds the steps of one operator to a case whose buffers are named by the caller.
"""


def block_dims(x: int, y: int = 1, z: int = 1, power: int = 10) -> tuple[int, int, int]:
    """Threadgroup of at most ``2 ** power`` threads that fits a grid, as MLX's ``get_block_dims`` divides it."""
    extents, powers, total = (x, y, z), [0, 0, 0], 0
    while True:
        before = total
        for axis in range(3):
            if extents[axis] >= 1 << (powers[axis] + 1):
                powers[axis] += 1
                total += 1
            if total == power:
                break
        if total in (before, power):
            break
    return 1 << powers[0], 1 << powers[1], 1 << powers[2]


def rounded_up(threads: int, multiple: int = 32) -> int:
    return -(-threads // multiple) * multiple
