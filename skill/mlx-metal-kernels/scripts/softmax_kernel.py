"""Softmax over the last axis in two trips over the row instead of three: maximum and sum in one (online).

The sum is kept relative to the largest value seen so far; when a larger one comes, what was summed is scaled
by exp(old - new), which never exceeds 1. The same rule joins the partial results of lanes and simdgroups.
"""

from __future__ import annotations

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main

HEADER = """
template <typename P>
inline float4 load4(P p) { return float4(float(p[0]), float(p[1]), float(p[2]), float(p[3])); }

// exp(x) as exp2(x * log2(e)): the hardware has a base-2 exponential, so the other form multiplies anyway.
// Not fast::exp2, which promises nothing for the -INFINITY of a masked element.
inline float  exp_base2(float x)  { return metal::exp2(x * 1.44269504089f); }
inline float4 exp_base2(float4 x) { return metal::exp2(x * 1.44269504089f); }
"""

SOURCE = """
    threadgroup float maxima[32];
    threadgroup float sums[32];
    const uint lane = thread_index_in_simdgroup;
    const uint columns = x_shape[1];
    const uint thread_index = thread_position_in_threadgroup.x;
    const uint threads = threads_per_threadgroup.x;
    const size_t row = size_t(threadgroup_position_in_grid.x) * columns;
    const uint last = columns / 4 * 4 + thread_index;

    // Not -INFINITY: with nothing seen yet, exp(old - new) would be exp(-inf + inf), a NaN.
    float maximum = -FLT_MAX;
    float sum = 0.0f;
    for (uint c = 4 * thread_index; c + 4 <= columns; c += 4 * threads) {
        const float4 v = load4(x + row + c);
        const float larger = metal::max(maximum, metal::max(metal::max(v.x, v.y), metal::max(v.z, v.w)));
        sum = sum * exp_base2(maximum - larger) + dot(exp_base2(v - larger), float4(1.0f));
        maximum = larger;
    }
    if (last < columns) {
        const float v = float(x[row + last]);
        const float larger = metal::max(maximum, v);
        sum = sum * exp_base2(maximum - larger) + exp_base2(v - larger);
        maximum = larger;
    }

    // 32 lanes become one pair, then the simdgroups' pairs one, by the same rule.
    float larger = simd_max(maximum);
    sum = simd_sum(sum * exp_base2(maximum - larger));
    if (lane == 0) {
        maxima[simdgroup_index_in_threadgroup] = larger;
        sums[simdgroup_index_in_threadgroup] = sum;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const bool used = lane < simdgroups_per_threadgroup;
    maximum = used ? maxima[lane] : -FLT_MAX;
    larger = simd_max(maximum);
    sum = simd_sum(used ? sums[lane] * exp_base2(maximum - larger) : 0.0f);
    const float factor = 1.0f / sum;

    for (uint c = 4 * thread_index; c + 4 <= columns; c += 4 * threads) {
        const float4 v = exp_base2(load4(x + row + c) - larger) * factor;
        for (uint j = 0; j < 4; j++) y[row + c + j] = T(v[j]);
    }
    if (last < columns) y[row + last] = T(exp_base2(float(x[row + last]) - larger) * factor);
"""

_softmax = mx.fast.metal_kernel(name="softmax", input_names=["x"], output_names=["y"], source=SOURCE, header=HEADER)


def softmax(x: mx.array) -> mx.array:
    """Softmax over the last axis, accumulated in float32; a row of nothing but -inf gives NaN, as in MLX."""
    columns = x.shape[-1]
    if x.size == 0:
        return mx.zeros_like(x)
    threads = min(1024, 32 * -(-columns // 128))
    return _softmax(
        inputs=[x.reshape(-1, columns)],
        template=[("T", x.dtype)],
        grid=(x.size // columns * threads, 1, 1),
        threadgroup=(threads, 1, 1),
        output_shapes=[x.shape],
        output_dtypes=[x.dtype],
    )[0]


def check() -> int:
    """Odd sizes, every float type, large values, masked elements and rows."""
    report = Report("softmax")
    for dtype in FLOATS:
        for rows, columns in [(1, 1), (3, 31), (5, 33), (7, 100), (2, 4097), (2, 8192)]:
            x = (mx.random.normal((rows, columns)) * 4).astype(dtype)
            want = mx.softmax(x.astype(mx.float32), axis=-1, precise=True)
            # float32: MLX's own CPU operator is off by up to 1.5e-5 at 8192 columns, this kernel by 3e-6.
            tolerance = 3e-5 if dtype == mx.float32 else None
            report.compare("softmax", (rows, columns), softmax(x), want, tolerance, scale=1 / columns)
    for case, x in [
        ("rising", mx.arange(4097, dtype=mx.float32)[None]),  # every step finds a new maximum
        ("large", mx.array([[1e30, -1e30, 1e30, 0.0, 88.0], [-1e30] * 5])),
        ("masked", mx.where(mx.random.uniform(shape=(9, 333)) < 0.7, -mx.inf, mx.random.normal((9, 333)))),
        ("all masked", mx.full((2, 40), -mx.inf)),
        ("a slice", mx.random.normal((4, 130))[:, 1:]),
        ("empty", mx.zeros((0, 8))),
    ]:
        want = mx.softmax(x, axis=-1, precise=True)
        report.compare("softmax", case, softmax(x), want, 3e-5, scale=1 / x.shape[-1])
    return report.finish()


def bench(roof: float | None) -> None:
    """Against MLX's own kernel, on rows as long as a vocabulary."""
    x = mx.random.normal((256, 32768))
    mx.eval(x)
    timing = Bench("softmax 256 x 32768 float32", bytes_moved=2 * x.nbytes)
    timing.add("mx.softmax", lambda: mx.softmax(x, axis=-1, precise=True))
    timing.add("this kernel", lambda: softmax(x))
    timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
