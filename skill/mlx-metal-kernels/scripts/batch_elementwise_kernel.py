"""Fused elementwise kernels over whole batches: SwiGLU of two arrays, GELU with a bias for each column.

Elementwise work is bound by memory: each fused operation saves one trip of the array to memory and back.
First try `mx.compile`, which fuses plain chains by itself; write a kernel when it cannot see the whole chain.
"""

from __future__ import annotations

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main

HEADER = """
constant constexpr uint N = 4;  // elements of a thread: neighbours, so that they travel as one vector

// Arithmetic in float whatever the storage type: conversions are free next to memory.
inline float silu(float x) { return x / (1.0f + metal::exp(-x)); }

inline float gelu_tanh(float x) {
    // precise::tanh: the fast one is exp-based and overflows to NaN for large arguments.
    return 0.5f * x * (1.0f + metal::precise::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
}
"""

# One thread for N neighbours of a flat array. The size comes from the shape, so that it is no part of the
# compiled code: one compilation for all sizes.
SWIGLU = """
    const uint size = gate_shape[0];
    const uint first = thread_position_in_grid.x * N;
    if (first + N <= size) {
        // No test inside: the compiler makes one vector load and one vector store of the N neighbours.
        for (uint j = 0; j < N; j++)
            y[first + j] = T(silu(float(gate[first + j])) * float(up[first + j]));
    } else {
        for (uint i = first; i < size; i++)  // the one thread with the ragged end
            y[i] = T(silu(float(gate[i])) * float(up[i]));
    }
"""

# Rows on the y axis of the grid: no division and no modulo to find the column.
BIAS_GELU = """
    const uint columns = x_shape[1];
    const uint first = thread_position_in_grid.x * N;
    const size_t row = size_t(thread_position_in_grid.y) * columns;  // 64 bits: rows * columns may pass 2^32
    if (first + N <= columns) {
        for (uint j = 0; j < N; j++)
            y[row + first + j] = T(gelu_tanh(float(x[row + first + j]) + float(bias[first + j])));
    } else {
        for (uint c = first; c < columns; c++)
            y[row + c] = T(gelu_tanh(float(x[row + c]) + float(bias[c])));
    }
"""

_swiglu = mx.fast.metal_kernel(
    name="swiglu", input_names=["gate", "up"], output_names=["y"], source=SWIGLU, header=HEADER
)
_bias_gelu = mx.fast.metal_kernel(
    name="bias_gelu", input_names=["x", "bias"], output_names=["y"], source=BIAS_GELU, header=HEADER
)


def swiglu(gate: mx.array, up: mx.array) -> mx.array:
    """silu(gate) * up, any shape."""
    if gate.shape != up.shape or gate.dtype != up.dtype:
        raise ValueError("gate and up must have the same shape and dtype")
    if gate.size == 0:  # a grid of no threads is an error in Metal
        return mx.zeros_like(gate)
    return _swiglu(
        inputs=[gate.reshape(-1), up.reshape(-1)],
        template=[("T", gate.dtype)],
        grid=(-(-gate.size // 4), 1, 1),  # threads, not threadgroups
        threadgroup=(256, 1, 1),
        output_shapes=[gate.shape],
        output_dtypes=[gate.dtype],
    )[0]


def bias_gelu(x: mx.array, bias: mx.array) -> mx.array:
    """gelu(x + bias), tanh form; x: [..., columns], bias: [columns]."""
    columns = x.shape[-1]
    if bias.shape != (columns,):
        raise ValueError(f"bias must have shape ({columns},), not {bias.shape}")
    if x.size == 0:
        return mx.zeros_like(x)
    chunks = -(-columns // 4)
    threads = min(256, 32 * -(-chunks // 32))
    return _bias_gelu(
        inputs=[x.reshape(-1, columns), bias],
        template=[("T", x.dtype)],
        grid=(chunks, x.size // columns, 1),
        threadgroup=(threads, 1, 1),
        output_shapes=[x.shape],
        output_dtypes=[x.dtype],
    )[0]


def reference_swiglu(gate: mx.array, up: mx.array) -> mx.array:
    """The same with MLX's operators."""
    return gate * mx.sigmoid(gate) * up


def reference_bias_gelu(x: mx.array, bias: mx.array) -> mx.array:
    """The same with MLX's operators."""
    x = x + bias
    return 0.5 * x * (1 + mx.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def check() -> int:
    """Odd sizes, every float type, slices that start off a vector's alignment, nothing at all."""
    report = Report("batch elementwise")
    wide = lambda a: a.astype(mx.float32)  # noqa: E731
    for dtype in FLOATS:
        for shape in [(1,), (31,), (33,), (3, 100), (4097,), (2, 3, 65)]:
            gate, up = (mx.random.normal(shape).astype(dtype) * 4 for _ in range(2))
            report.compare("swiglu", shape, swiglu(gate, up), reference_swiglu(wide(gate), wide(up)))
        for shape in [(1, 1), (5, 31), (7, 33), (2, 3, 100), (2, 4097)]:
            x, bias = mx.random.normal(shape).astype(dtype), mx.random.normal(shape[-1:]).astype(dtype)
            want = reference_bias_gelu(wide(x), wide(bias))
            report.compare("bias_gelu", shape, bias_gelu(x, bias), want)
    extremes = mx.array([-1e4, -100, -0.0, 0.0, 100, 1e4])
    report.compare("swiglu", "large values", swiglu(extremes, extremes), reference_swiglu(extremes, extremes))
    zero = mx.zeros(6)
    report.compare("bias_gelu", "large values", bias_gelu(extremes, zero), mx.maximum(extremes, 0))
    odd = mx.random.normal((1001,))
    report.compare("swiglu", "a slice", swiglu(odd[1:], odd[:-1]), reference_swiglu(odd[1:], odd[:-1]))
    turned = mx.random.normal((33, 65)).T  # not row-contiguous: MLX copies it first
    report.compare("swiglu", "transposed", swiglu(turned, turned), reference_swiglu(turned, turned))
    report.compare("swiglu", "empty", swiglu(mx.zeros((0, 5)), mx.zeros((0, 5))), mx.zeros((0, 5)))
    return report.finish()


def bench(roof: float | None) -> None:
    """Against the composed operators and against `mx.compile`, which is the rival to beat."""
    shape = (1024, 4096)
    gate, up = (mx.random.normal(shape) for _ in range(2))
    mx.eval(gate, up)
    compiled = mx.compile(reference_swiglu)
    timing = Bench(f"swiglu {shape} float32", bytes_moved=3 * gate.nbytes)
    timing.add("MLX operators", lambda: reference_swiglu(gate, up))
    timing.add("mx.compile", lambda: compiled(gate, up))
    timing.add("this kernel", lambda: swiglu(gate, up))
    timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
