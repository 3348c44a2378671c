"""LayerNorm: mean and variance in two passes over a cached row, weight and bias optional.

The one-pass form, mean(x^2) - mean(x)^2, cancels: with a mean of 1000 and a deviation of 1 it loses all of
float's digits. The second pass reads the row from the cache and costs next to nothing.
"""

from __future__ import annotations

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main

HEADER = """
// Four neighbours; `P` may point to device or constant memory (small inputs are bound as constant).
template <typename P>
inline float4 load4(P p) { return float4(float(p[0]), float(p[1]), float(p[2]), float(p[3])); }

// Sum over the threadgroup, one barrier; see rmsnorm_kernel.py. Two sums in one kernel need two scratch
// arrays: with one, a fast simdgroup would write its second number before a slow one has read the first.
inline float threadgroup_sum(
        float value, threadgroup float* scratch, uint lane, uint simdgroup, uint simdgroups) {
    value = simd_sum(value);
    if (lane == 0) scratch[simdgroup] = value;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return simd_sum(lane < simdgroups ? scratch[lane] : 0.0f);
}
"""

SOURCE = """
    threadgroup float sums[32];
    threadgroup float squares[32];
    const uint lane = thread_index_in_simdgroup;
    const uint simdgroup = simdgroup_index_in_threadgroup;
    const uint columns = x_shape[1];
    const uint thread_index = thread_position_in_threadgroup.x;
    const uint threads = threads_per_threadgroup.x;
    const size_t row = size_t(threadgroup_position_in_grid.x) * columns;
    const uint last = columns / 4 * 4 + thread_index;  // the ragged end, one element each

    float sum = 0.0f;
    for (uint c = 4 * thread_index; c + 4 <= columns; c += 4 * threads)
        sum += dot(load4(x + row + c), float4(1.0f));
    if (last < columns) sum += float(x[row + last]);
    sum = threadgroup_sum(sum, sums, lane, simdgroup, simdgroups_per_threadgroup);
    const float mean = sum / float(columns);

    float square = 0.0f;
    for (uint c = 4 * thread_index; c + 4 <= columns; c += 4 * threads) {
        const float4 d = load4(x + row + c) - mean;
        square += dot(d, d);
    }
    if (last < columns) square += (float(x[row + last]) - mean) * (float(x[row + last]) - mean);
    square = threadgroup_sum(square, squares, lane, simdgroup, simdgroups_per_threadgroup);
    const float factor = metal::precise::rsqrt(square / float(columns) + eps);

    // HAS_WEIGHT and HAS_BIAS are template constants: what they exclude is not in the compiled code.
    for (uint c = 4 * thread_index; c + 4 <= columns; c += 4 * threads) {
        float4 v = (load4(x + row + c) - mean) * factor;
        if (HAS_WEIGHT) v *= load4(weight + c);
        if (HAS_BIAS) v += load4(bias + c);
        for (uint j = 0; j < 4; j++) y[row + c + j] = T(v[j]);
    }
    if (last < columns) {
        float v = (float(x[row + last]) - mean) * factor;
        if (HAS_WEIGHT) v *= float(weight[last]);
        if (HAS_BIAS) v += float(bias[last]);
        y[row + last] = T(v);
    }
"""

_layer_norm = mx.fast.metal_kernel(
    name="layer_norm",
    input_names=["x", "weight", "bias", "eps"],
    output_names=["y"],
    source=SOURCE,
    header=HEADER,
)


def layer_norm(
    x: mx.array, weight: mx.array | None = None, bias: mx.array | None = None, eps: float = 1e-5
) -> mx.array:
    """(x - mean) / sqrt(var + eps) * weight + bias over the last axis; x: [..., columns]."""
    columns = x.shape[-1]
    if x.size == 0:
        return mx.zeros_like(x)
    threads = min(1024, 32 * -(-columns // 128))
    # An absent input still needs an array, and one with an axis: 0-d inputs are references and have no `[c]`.
    absent = mx.zeros(1, x.dtype)
    return _layer_norm(
        inputs=[
            x.reshape(-1, columns),
            absent if weight is None else weight,
            absent if bias is None else bias,
            eps,
        ],
        template=[("T", x.dtype), ("HAS_WEIGHT", weight is not None), ("HAS_BIAS", bias is not None)],
        grid=(x.size // columns * threads, 1, 1),
        threadgroup=(threads, 1, 1),
        output_shapes=[x.shape],
        output_dtypes=[x.dtype],
    )[0]


def check() -> int:
    """Odd sizes, every float type, with and without weight and bias, a mean far from zero."""
    report = Report("LayerNorm")

    def wide(a: mx.array | None) -> mx.array | None:
        return None if a is None else a.astype(mx.float32)

    for dtype in FLOATS:
        for rows, columns in [(1, 1), (3, 31), (5, 33), (7, 100), (2, 4097), (2, 8192)]:
            x, weight, bias = (mx.random.normal(s).astype(dtype) for s in [(rows, columns), (columns,), (columns,)])
            want = mx.fast.layer_norm(wide(x), wide(weight), wide(bias), 1e-5)
            report.compare("layer_norm", (rows, columns), layer_norm(x, weight, bias), want)
    x, weight, bias = mx.random.normal((3, 100)), mx.random.normal((100,)), mx.random.normal((100,))
    for w, b in [(weight, None), (None, bias), (None, None)]:
        want = mx.fast.layer_norm(x, w, b, 1e-5)
        case = f"weight: {w is not None}, bias: {b is not None}"
        report.compare("layer_norm", case, layer_norm(x, w, b), want)
    # Shifted by 1000 the inputs themselves carry an error of 2^-24 * 1000 = 6e-5, hence the wider tolerance.
    want = mx.fast.layer_norm(x, weight, bias, 1e-5)
    report.compare("layer_norm, mean 1000", (3, 100), layer_norm(x + 1000, weight, bias), want, tolerance=3e-4)
    odd = mx.random.normal((4, 130))[:, 1:]
    report.compare("layer_norm", "a slice", layer_norm(odd), mx.fast.layer_norm(odd, None, None, 1e-5))
    report.compare("layer_norm", "empty", layer_norm(mx.zeros((0, 8))), mx.zeros((0, 8)))
    return report.finish()


def bench(roof: float | None) -> None:
    """Against MLX's own kernel."""
    x, weight, bias = (mx.random.normal(s) for s in [(1024, 4096), (4096,), (4096,)])
    mx.eval(x, weight, bias)
    timing = Bench("layer_norm 1024 x 4096 float32", bytes_moved=2 * x.nbytes)
    timing.add("mx.fast.layer_norm", lambda: mx.fast.layer_norm(x, weight, bias, 1e-5))
    timing.add("this kernel", lambda: layer_norm(x, weight, bias))
    timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
