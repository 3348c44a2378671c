"""Fourier transforms of lengths that have no prime factor above 13."""

from __future__ import annotations

from ..cases import Case, ceil_div, i32

# Radix and number of the function constant that says how often it is used.
RADICES = {13: 4, 11: 5, 8: 6, 7: 7, 6: 8, 5: 9, 4: 10, 3: 11, 2: 12}
MEMORY = (256, 512, 1024, 2048, 4096)


def steps(length: int) -> dict[int, int]:
    """How often each radix is used; none is left out."""
    is_power_of_2 = length & (length - 1) == 0
    plan = dict.fromkeys(RADICES, 0)
    rest = length
    for radix in RADICES:
        if is_power_of_2 and length < 512 and radix > 4:
            continue
        while rest % radix == 0:
            plan[radix] += 1
            rest //= radix
    if rest != 1:
        raise ValueError(f"{length} has a prime factor above 13")
    return plan


def fft(case: Case, length: int, batch: int, inverse: bool) -> None:
    """Each row of ``x`` into ``y``, complex."""
    rows = max(MEMORY[0] // length, 1)
    memory = next(size for size in MEMORY if size >= rows * length)
    plan = steps(length)
    used = {radix for radix, count in plan.items() if count}
    # Elements of a thread. With two large radices MLX takes the smaller one; with the larger, threads are missing.
    large = used & {7, 11, 13}
    share = min(large) if len(large) > 1 else max(used)
    constants = {0: inverse, 1: length & (length - 1) == 0, 2: share}
    constants |= {number: plan[radix] for radix, number in RADICES.items()}
    case.step(f"fft_mem_{memory}_float2_float2", ["@x", "@y", i32(length), i32(batch)],
              threadgroup=(1, rows, ceil_div(length, share)), threadgroups=(ceil_div(batch, rows), 1, 1),
              constants=constants)
