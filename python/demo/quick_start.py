"""A custom Metal kernel from Python on this machine: MLX's own example, NumPy, and a race against MLX's compiler.

Run by ``make demo``. On a Mac it runs unchanged, on the GPU.
"""

from __future__ import annotations

import time

import metalworking.mlx  # the one import that a machine without Metal needs
import mlx.core as mx
import numpy as np

EXP = """
    uint elem = thread_position_in_grid.x;
    T tmp = inp[elem];
    out[elem] = metal::exp(tmp);
"""

GELU = """
    uint elem = thread_position_in_grid.x;
    float x = x_in[elem];
    y[elem] = 0.5f * x * (1.0f + metal::precise::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
"""


def exp_elementwise(a: mx.array) -> mx.array:
    """The example of MLX's documentation."""
    kernel = mx.fast.metal_kernel(name="myexp", input_names=["inp"], output_names=["out"], source=EXP)
    outputs = kernel(
        inputs=[a],
        template=[("T", mx.float32)],
        grid=(a.size, 1, 1),
        threadgroup=(256, 1, 1),
        output_shapes=[a.shape],
        output_dtypes=[a.dtype],
    )
    return outputs[0]


def gelu_by_mlx(x: mx.array) -> mx.array:
    """The same function out of MLX's operators."""
    return 0.5 * x * (1 + mx.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def best_seconds(run, times: int = 5) -> float:
    """The least of several runs, after one that compiles."""
    mx.eval(run())
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        mx.eval(run())
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    """Runs the three parts; each checks itself."""
    a = mx.random.normal(shape=(4, 16)).astype(mx.float16)
    b = exp_elementwise(a)
    assert mx.allclose(b, mx.exp(a), rtol=1e-2, atol=1e-2)
    print(f"myexp on mx.array {a.shape} {a.dtype}: equals mx.exp")

    exp = metalworking.metal_kernel(name="myexp", input_names=["inp"], output_names=["out"], source=EXP)
    x = np.linspace(-3, 3, 1000, dtype=np.float32)
    (y,) = exp(
        inputs=[x],
        template=[("T", np.float32)],
        grid=(x.size, 1, 1),
        threadgroup=(256, 1, 1),
        output_shapes=[x.shape],
        output_dtypes=[x.dtype],
    )
    np.testing.assert_allclose(y, np.exp(x), rtol=1e-5)
    print(f"myexp on {type(x).__name__} {x.shape} {x.dtype}: equals np.exp")

    size = 4 << 20
    x = mx.random.normal(shape=(size,))
    kernel = mx.fast.metal_kernel(name="gelu", input_names=["x_in"], output_names=["y"], source=GELU)

    def gelu(x: mx.array) -> mx.array:
        return kernel(
            inputs=[x],
            grid=(size, 1, 1),
            threadgroup=(256, 1, 1),
            output_shapes=[x.shape],
            output_dtypes=[x.dtype],
        )[0]

    compiled = mx.compile(gelu_by_mlx)
    assert mx.allclose(gelu(x), compiled(x), rtol=1e-4, atol=1e-5)
    ours, theirs = best_seconds(lambda: gelu(x)), best_seconds(lambda: compiled(x))
    print(
        f"GELU on {size:,} elements: custom kernel {ours * 1e3:.1f} ms, mx.compile {theirs * 1e3:.1f} ms: "
        f"{theirs / ours:.1f} times"
    )


if __name__ == "__main__":
    main()
