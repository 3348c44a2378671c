"""RMSNorm: one threadgroup for each row, simdgroup reductions, and the sum with a residual fused in.

`mx.fast.rms_norm` is hard to beat for the plain form. A kernel of one's own pays when it does more in the
same trip over memory, as `add_rms_norm` does: it saves writing and reading the sum between two operators.
"""

from __future__ import annotations

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main

HEADER = """
// Four neighbours as one vector. It needs only an element's alignment, so a sliced input is fine, and `P` may
// point to device or constant memory: MLX binds arrays of fewer than 8 elements as constant.
template <typename P>
inline float4 load4(P p) { return float4(float(p[0]), float(p[1]), float(p[2]), float(p[3])); }

// Sum over the threadgroup. Within a simdgroup it takes no memory and no barrier; between simdgroups one
// number each goes through threadgroup memory. Every simdgroup adds those up itself, which saves a second
// barrier. At most 32 simdgroups (1024 threads), so that one lane each is enough.
inline float threadgroup_sum(
        float value, threadgroup float* scratch, uint lane, uint simdgroup, uint simdgroups) {
    value = simd_sum(value);
    if (lane == 0) scratch[simdgroup] = value;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return simd_sum(lane < simdgroups ? scratch[lane] : 0.0f);
}
"""

SOURCE = """
    threadgroup float scratch[32];
    const uint columns = x_shape[1];
    const uint thread_index = thread_position_in_threadgroup.x;
    const uint threads = threads_per_threadgroup.x;
    const size_t row = size_t(threadgroup_position_in_grid.x) * columns;

    // Each thread takes four neighbours, then skips over those of the others: neighbouring threads read
    // neighbouring addresses. The last `columns % 4` elements go to one thread each.
    float sum = 0.0f;
    for (uint c = 4 * thread_index; c + 4 <= columns; c += 4 * threads) {
        const float4 v = load4(x + row + c);
        sum += dot(v, v);
    }
    const uint last = columns / 4 * 4 + thread_index;
    if (last < columns) sum += float(x[row + last]) * float(x[row + last]);

    sum = threadgroup_sum(
        sum, scratch, thread_index_in_simdgroup, simdgroup_index_in_threadgroup, simdgroups_per_threadgroup);
    const float factor = metal::precise::rsqrt(sum / float(columns) + eps);

    // The row is read again rather than kept: it is in the cache, and registers would limit its length.
    for (uint c = 4 * thread_index; c + 4 <= columns; c += 4 * threads) {
        const float4 v = load4(x + row + c) * load4(weight + c) * factor;
        for (uint j = 0; j < 4; j++) y[row + c + j] = T(v[j]);
    }
    if (last < columns) y[row + last] = T(float(x[row + last]) * float(weight[last]) * factor);
"""

# The same with h = x + residual, which is an output too: the next layer adds to it. h is rounded to T before
# it is squared, as it would be between two operators, and a thread reads back only what it wrote itself.
SOURCE_ADD = """
    threadgroup float scratch[32];
    const uint columns = x_shape[1];
    const uint thread_index = thread_position_in_threadgroup.x;
    const uint threads = threads_per_threadgroup.x;
    const size_t row = size_t(threadgroup_position_in_grid.x) * columns;

    float sum = 0.0f;
    for (uint c = 4 * thread_index; c + 4 <= columns; c += 4 * threads) {
        const float4 v = load4(x + row + c) + load4(residual + row + c);
        for (uint j = 0; j < 4; j++) {
            const T rounded = T(v[j]);
            h[row + c + j] = rounded;
            sum += float(rounded) * float(rounded);
        }
    }
    const uint last = columns / 4 * 4 + thread_index;
    if (last < columns) {
        const T rounded = T(float(x[row + last]) + float(residual[row + last]));
        h[row + last] = rounded;
        sum += float(rounded) * float(rounded);
    }

    sum = threadgroup_sum(
        sum, scratch, thread_index_in_simdgroup, simdgroup_index_in_threadgroup, simdgroups_per_threadgroup);
    const float factor = metal::precise::rsqrt(sum / float(columns) + eps);

    for (uint c = 4 * thread_index; c + 4 <= columns; c += 4 * threads) {
        const float4 v = load4(h + row + c) * load4(weight + c) * factor;
        for (uint j = 0; j < 4; j++) y[row + c + j] = T(v[j]);
    }
    if (last < columns) y[row + last] = T(float(h[row + last]) * float(weight[last]) * factor);
"""

_rms_norm = mx.fast.metal_kernel(
    name="rms_norm", input_names=["x", "weight", "eps"], output_names=["y"], source=SOURCE, header=HEADER
)
_add_rms_norm = mx.fast.metal_kernel(
    name="add_rms_norm",
    input_names=["x", "residual", "weight", "eps"],
    output_names=["h", "y"],
    source=SOURCE_ADD,
    header=HEADER,
)


def row_launch(rows: int, columns: int) -> dict:
    """One threadgroup for each row: enough threads for four elements each, whole simdgroups, at most 1024."""
    threads = min(1024, 32 * -(-columns // 128))
    return {"grid": (rows * threads, 1, 1), "threadgroup": (threads, 1, 1)}


def rms_norm(x: mx.array, weight: mx.array, eps: float = 1e-5) -> mx.array:
    """X / sqrt(mean(x^2) + eps) * weight over the last axis; x: [..., columns], weight: [columns]."""
    columns = x.shape[-1]
    if x.size == 0:
        return mx.zeros_like(x)
    return _rms_norm(
        inputs=[x.reshape(-1, columns), weight, eps],  # a Python number arrives as `constant float&`
        template=[("T", x.dtype)],
        output_shapes=[x.shape],
        output_dtypes=[x.dtype],
        **row_launch(x.size // columns, columns),
    )[0]


def add_rms_norm(x: mx.array, residual: mx.array, weight: mx.array, eps: float = 1e-5) -> tuple[mx.array, mx.array]:
    """(h, rms_norm(h)) of h = x + residual."""
    columns = x.shape[-1]
    if x.size == 0:
        return mx.zeros_like(x), mx.zeros_like(x)
    h, y = _add_rms_norm(
        inputs=[x.reshape(-1, columns), residual.reshape(-1, columns), weight, eps],
        template=[("T", x.dtype)],
        output_shapes=[x.shape, x.shape],
        output_dtypes=[x.dtype, x.dtype],
        **row_launch(x.size // columns, columns),
    )
    return h, y


def check() -> int:
    """Rows shorter than a simdgroup and longer than a threadgroup, every float type, sums beyond half."""
    report = Report("RMSNorm")
    wide = lambda a: a.astype(mx.float32)  # noqa: E731
    for dtype in FLOATS:
        for rows, columns in [(1, 1), (3, 31), (5, 33), (7, 100), (2, 4097), (2, 8192)]:
            x, residual = (mx.random.normal((rows, columns)).astype(dtype) for _ in range(2))
            weight = mx.random.normal((columns,)).astype(dtype)
            want = mx.fast.rms_norm(wide(x), wide(weight), 1e-5)
            report.compare("rms_norm", (rows, columns), rms_norm(x, weight), want)
            h, y = add_rms_norm(x, residual, weight)
            want = mx.fast.rms_norm(wide(x + residual), wide(weight), 1e-5)
            report.compare("add_rms_norm", (rows, columns), y, want)
            report.compare("add_rms_norm, the sum", (rows, columns), h, wide(x + residual))
    large = mx.full((2, 512), 3e4, mx.float16)  # the square alone is beyond half's 65504
    got = rms_norm(large, mx.ones(512, mx.float16))
    report.compare("rms_norm", "squares beyond half", got, mx.ones((2, 512)))
    x, weight = mx.random.normal((4, 3, 129))[:, 1:, 1:], mx.ones(128)
    report.compare("rms_norm", "a slice", rms_norm(x, weight), mx.fast.rms_norm(x, weight, 1e-5))
    report.compare("rms_norm", "empty", rms_norm(mx.zeros((0, 8)), mx.ones(8)), mx.zeros((0, 8)))
    return report.finish()


def bench(roof: float | None) -> None:
    """See benchmark_rmsnorm.py for a benchmark with all precautions."""
    x, residual = (mx.random.normal((1024, 4096)) for _ in range(2))
    weight = mx.random.normal((4096,))
    mx.eval(x, residual, weight)
    timing = Bench("rms_norm 1024 x 4096 float32", bytes_moved=2 * x.nbytes)
    timing.add("mx.fast.rms_norm", lambda: mx.fast.rms_norm(x, weight, 1e-5))
    timing.add("this kernel", lambda: rms_norm(x, weight))
    timing.finish(roof)

    def two_steps() -> tuple[mx.array, mx.array]:
        h = x + residual
        return h, mx.fast.rms_norm(h, weight, 1e-5)

    timing = Bench("x + residual, then rms_norm", bytes_moved=4 * x.nbytes)
    timing.add("MLX, two operators", two_steps)
    timing.add("this kernel", lambda: add_rms_norm(x, residual, weight))
    timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
