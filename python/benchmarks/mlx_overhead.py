"""What a custom kernel costs beside MLX's own operations, and what it gains on large arrays.

usage: mlx_overhead.py [--json]

Prints the time of a kernel call on 1,024 elements above that of an element-wise operation of MLX (both evaluated one
by one), and GELU on 4 Mi elements as a custom kernel and as `mx.compile`d MLX. The best of interleaved rounds, so that
other work on the machine matters little.
"""

from __future__ import annotations

import json
import math
import sys
import time

import metalworking.mlx  # noqa: F401
import mlx.core as mx

SMALL = 1024
LARGE = 4 << 20


def elementwise(name: str, body: str, threads: int = 256):
    kernel = mx.fast.metal_kernel(
        name=name,
        input_names=["x"],
        output_names=["y"],
        source=f"uint i = thread_position_in_grid.x;\nfloat v = x[i];\ny[i] = {body};",
    )

    def call(x: mx.array) -> mx.array:
        return kernel(
            inputs=[x],
            output_shapes=[x.shape],
            output_dtypes=[x.dtype],
            grid=(x.size, 1, 1),
            threadgroup=(threads, 1, 1),
        )[0]

    return call


def best_seconds(functions, x, rounds: int, repeats: int):
    """The best of `rounds` rounds, in each of which every function runs `repeats` times."""
    times = [[] for _ in functions]
    for function in functions:
        for _ in range(3):
            mx.eval(function(x))
    for _ in range(rounds):
        for function, seconds in zip(functions, times, strict=True):
            start = time.perf_counter()
            for _ in range(repeats):
                mx.eval(function(x))
            seconds.append((time.perf_counter() - start) / repeats)
    return [min(seconds) for seconds in times]


def main() -> None:
    small = mx.random.normal((SMALL,))
    own, custom = best_seconds([lambda x: mx.square(x), elementwise("squared", "v * v")], small, rounds=60, repeats=50)

    large = mx.random.normal((LARGE,))
    scale = 1 / math.sqrt(2)
    gelu = elementwise("gelu", "0.5f * v * (1.0f + metal::precise::tanh(0.7978845608f * (v + 0.044715f * v * v * v)))")

    @mx.compile
    def compiled(x):
        return 0.5 * x * (1 + mx.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    @mx.compile
    def compiled_erf(x):
        return 0.5 * x * (1 + mx.erf(x * scale))

    assert mx.allclose(gelu(large), compiled(large), rtol=1e-4, atol=1e-5)
    kernel, theirs, theirs_erf = best_seconds([gelu, compiled, compiled_erf], large, rounds=7, repeats=3)
    results = {
        "mlx": mx.__version__,
        "elements_small": SMALL,
        "mlx_square_us": own * 1e6,
        "custom_square_us": custom * 1e6,
        "overhead_us": (custom - own) * 1e6,
        "elements_large": LARGE,
        "custom_gelu_ms": kernel * 1e3,
        "compiled_gelu_ms": theirs * 1e3,
        "compiled_erf_gelu_ms": theirs_erf * 1e3,
        "gain": theirs / kernel,
    }
    if "--json" in sys.argv:
        print(json.dumps(results))
        return
    print(
        f"{SMALL} elements: MLX's square {own * 1e6:.1f} µs, custom {custom * 1e6:.1f} µs, "
        f"overhead {(custom - own) * 1e6:+.1f} µs"
    )
    print(
        f"{LARGE} elements, GELU (tanh): custom {kernel * 1e3:.2f} ms, compiled MLX {theirs * 1e3:.2f} ms "
        f"({theirs / kernel:.1f} times), compiled MLX by erf {theirs_erf * 1e3:.2f} ms"
    )


if __name__ == "__main__":
    main()
