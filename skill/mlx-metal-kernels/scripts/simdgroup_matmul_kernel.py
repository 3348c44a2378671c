"""Matrix product with simdgroup matrices: 64 x 64 tiles, any sizes, either layout of B, bias fused.

`simdgroup_matrix` is an 8 x 8 matrix spread over the 32 lanes of a simdgroup. It exists from the A14 and the
M1 on (GPU family Apple7). Up to the M4 it runs on the ordinary float pipes: what it saves is loads and
registers, not arithmetic, and half is no faster than float. The M5 has matrix units, which only the tensor
operations of Metal 4 reach.
"""

from __future__ import annotations

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main

HEADER = """
#include <metal_simdgroup_matrix>

constant constexpr uint TILE = 64;   // rows and columns of C for a threadgroup of 4 simdgroups
constant constexpr uint STEP = 16;   // how far a step goes along K
constant constexpr uint PART = 32;   // rows and columns of C for a simdgroup: 4 x 4 matrices of 8 x 8
constant constexpr uint A_STRIDE = STEP + 4, B_STRIDE = TILE + 4;  // padded, against bank conflicts
"""

# The tiles lie in threadgroup memory as float whatever T is: each element is converted once, on its way in,
# and the products need neither half nor bfloat matrices (the latter: Metal 3.1, macOS 14).
SOURCE = """
    threadgroup float a_tile[TILE * A_STRIDE];
    threadgroup float b_tile[STEP * B_STRIDE];
    threadgroup float edge[4 * 64];  // one 8 x 8 matrix for each simdgroup, on its way out

    const uint lane = thread_index_in_simdgroup;
    const uint simdgroup = simdgroup_index_in_threadgroup;
    const uint thread_index = simdgroup * 32 + lane;
    const uint M = a_shape[1], K = a_shape[2], N = TRANSPOSED ? b_shape[1] : b_shape[2];
    const uint first_row = threadgroup_position_in_grid.y * TILE;
    const uint first_column = threadgroup_position_in_grid.x * TILE;
    const size_t batch = threadgroup_position_in_grid.z;
    const auto a_matrix = a + batch * M * K;
    const auto b_matrix = b + (b_shape[0] == 1 ? 0 : batch) * K * N;  // one B for all, or one each

    // The accumulators stay in registers from the first step to the last: 32 floats of each lane. Twice the
    // edge would be 128 and spill, which is slower by a factor, not by percents.
    simdgroup_float8x8 c[4][4];
    for (uint i = 0; i < 4; i++)
        for (uint j = 0; j < 4; j++) c[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    const uint part_row = simdgroup / 2 * PART, part_column = simdgroup % 2 * PART;

    for (uint k0 = 0; k0 < K; k0 += STEP) {
        threadgroup_barrier(mem_flags::mem_threadgroup);  // nobody still reads the tiles of the step before
        // All 128 threads load together, neighbours in memory by neighbouring threads. Past an edge there are
        // zeros, which add nothing.
        for (uint i = thread_index; i < TILE * STEP; i += 128) {
            const uint r = i / STEP, k = i % STEP;
            const bool inside = first_row + r < M && k0 + k < K;
            a_tile[r * A_STRIDE + k] = inside ? float(a_matrix[size_t(first_row + r) * K + k0 + k]) : 0.0f;
        }
        for (uint i = thread_index; i < TILE * STEP; i += 128) {
            const uint k = TRANSPOSED ? i % STEP : i / TILE;
            const uint n = TRANSPOSED ? i / STEP : i % TILE;
            const bool inside = k0 + k < K && first_column + n < N;
            const size_t index = TRANSPOSED ? size_t(first_column + n) * K + k0 + k
                                            : size_t(k0 + k) * N + first_column + n;
            b_tile[k * B_STRIDE + n] = inside ? float(b_matrix[index]) : 0.0f;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);

        for (uint k = 0; k < STEP; k += 8) {
            // 8 loads serve 16 products; with one product at a time there would be 2 loads for each.
            simdgroup_float8x8 a_part[4], b_part[4];
            for (uint i = 0; i < 4; i++)
                simdgroup_load(a_part[i], a_tile + (part_row + 8 * i) * A_STRIDE + k, A_STRIDE);
            for (uint j = 0; j < 4; j++)
                simdgroup_load(b_part[j], b_tile + k * B_STRIDE + part_column + 8 * j, B_STRIDE);
            for (uint i = 0; i < 4; i++)
                for (uint j = 0; j < 4; j++)
                    simdgroup_multiply_accumulate(c[i][j], a_part[i], b_part[j], c[i][j]);
        }
    }

    // Which lane holds which element is not documented, so a matrix goes out through threadgroup memory:
    // there bias, conversion and the test of the edge are element by element. Only the simdgroup itself looks
    // at its part of `edge`, so a simdgroup barrier is enough, and cheaper.
    threadgroup float* mine = edge + 64 * simdgroup;
    for (uint i = 0; i < 4; i++) {
        for (uint j = 0; j < 4; j++) {
            simdgroup_store(c[i][j], mine, 8);
            simdgroup_barrier(mem_flags::mem_threadgroup);
            for (uint e = lane; e < 64; e += 32) {
                const uint row = first_row + part_row + 8 * i + e / 8;
                const uint column = first_column + part_column + 8 * j + e % 8;
                if (row < M && column < N) {
                    const float added = HAS_BIAS ? float(bias[column]) : 0.0f;
                    out[(batch * M + row) * N + column] = T(mine[e] + added);
                }
            }
            simdgroup_barrier(mem_flags::mem_threadgroup);
        }
    }
"""

_matmul = mx.fast.metal_kernel(
    name="simdgroup_matmul",
    input_names=["a", "b", "bias"],
    output_names=["out"],
    source=SOURCE,
    header=HEADER,
)


def matmul(a: mx.array, b: mx.array, bias: mx.array | None = None, *, transposed: bool = False) -> mx.array:
    """A @ b + bias, accumulated in float32.

    Args:
        a: [M, K] or [batch, M, K].
        b: [K, N] or [batch, K, N]; `transposed`: [N, K] or [batch, N, K], as linear layers keep weights.
        bias: [N].
        transposed: whether b is given as its transpose. Passing `w.T` instead would work, and copy the weights
            in every call: a kernel gets row-contiguous inputs, and what is not gets copied.
    """
    a3, b3 = (x[None] if x.ndim == 2 else x for x in (a, b))
    batch, rows, inner = a3.shape
    columns = b3.shape[1 if transposed else 2]
    if b3.shape[2 if transposed else 1] != inner or b3.shape[0] not in (1, batch) or a.dtype != b.dtype:
        raise ValueError(f"a {a.shape} {a.dtype} and b {b.shape} {b.dtype} do not fit together")
    shape = (*a.shape[:-1], columns)
    if 0 in (batch, rows, columns):
        return mx.zeros(shape, a.dtype)
    return _matmul(
        inputs=[a3, b3, mx.zeros(1, a.dtype) if bias is None else bias],
        template=[("T", a.dtype), ("TRANSPOSED", transposed), ("HAS_BIAS", bias is not None)],
        grid=(128 * -(-columns // 64), -(-rows // 64), batch),
        threadgroup=(128, 1, 1),
        output_shapes=[shape],
        output_dtypes=[a.dtype],
    )[0]


def check() -> int:
    """Sizes below, at and past the tiles, in every direction; batches; both layouts; K of nothing."""
    report = Report("simdgroup matrix product")
    for dtype in FLOATS:
        for rows, inner, columns in [
            (1, 1, 1),
            (31, 33, 100),
            (64, 64, 64),
            (65, 17, 129),
            (8, 4097, 8),
            (100, 31, 1),
        ]:
            a, b = mx.random.normal((rows, inner)), mx.random.normal((inner, columns)) / inner**0.5
            a, b = a.astype(dtype), b.astype(dtype)
            bias = mx.random.normal((columns,)).astype(dtype)
            want = a.astype(mx.float32) @ b.astype(mx.float32)
            case = (rows, inner, columns)
            report.compare("a @ b", case, matmul(a, b), want)
            got = matmul(a, mx.contiguous(b.T), bias, transposed=True)
            report.compare("a @ b.T + bias", case, got, want + bias.astype(mx.float32))
    a, b = mx.random.normal((3, 33, 20)), mx.random.normal((3, 20, 70))
    report.compare("a @ b", "batches", matmul(a, b), a @ b)
    report.compare("a @ b", "one b for a batch", matmul(a, b[0]), a @ b[0])
    # What lies past the edge must not be used: here it would be infinite.
    big = mx.full((40, 40), mx.inf)
    big[:33, :33] = 1
    a = mx.contiguous(big[:33, :33])
    report.compare("a @ b", "infinity past the edge", matmul(a, a), mx.full((33, 33), 33.0))
    report.compare("a @ b", "no rows", matmul(mx.zeros((0, 5)), mx.zeros((5, 7))), mx.zeros((0, 7)))
    return report.finish()


def bench(roof: float | None) -> None:
    """Against MLX's own product; on a Mac that is steel, tuned for every chip."""
    for size, dtype in [(512, mx.float32), (512, mx.float16)]:
        a, b = (mx.random.normal((size, size)).astype(dtype) for _ in range(2))
        mx.eval(a, b)
        timing = Bench(f"{size}^3 {dtype}", flops=2 * size**3)
        timing.add("MLX", lambda a=a, b=b: a @ b, rounds=5)
        timing.add("this kernel", lambda a=a, b=b: matmul(a, b), rounds=5)
        timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
