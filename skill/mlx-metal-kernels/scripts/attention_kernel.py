"""Attention without a score matrix: online softmax over tiles of keys, grouped heads, optional causal mask.

Meant to be read and varied (attention_variants_kernel.py does). For plain attention take
`mx.fast.scaled_dot_product_attention`: it uses simdgroup matrices, which this kernel leaves out for clarity.
"""

from __future__ import annotations

import functools

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main

QUERIES = 8  # simdgroups of a threadgroup, one query each: they share the tiles of keys and values

HEADER = """
constant constexpr uint QUERIES = 8;
constant constexpr uint KEYS = 32;  // keys of a tile: one for each lane
constant constexpr float LOG2_E = 1.44269504089f;

// Copies rows of D elements to padded rows in threadgroup memory. Neighbouring threads read neighbouring
// addresses, four elements each where D allows. Rows past the end become zeros: 0 * weight 0 is 0, while
// what lies in memory there may be NaN.
template <typename T, uint D, uint STRIDE, uint THREADS>
inline void load_tile(threadgroup T* tile, const device T* source, uint rows, uint thread_index) {
    constexpr uint N = D % 4 == 0 ? 4 : 1;
    for (uint i = N * thread_index; i < KEYS * D; i += N * THREADS) {
        const uint r = i / D, c = i % D;
        for (uint j = 0; j < N; j++) tile[r * STRIDE + c + j] = r < rows ? source[i + j] : T(0);
    }
}
"""

# What the variants fill in: `visible` (may this query see this key?), `score` (what becomes of a score s),
# `first_key`/`end_key` (keys outside are skipped, tile by tile: the same for all threads of a threadgroup),
# and what the running maximum and sum start from. Names that they may use: s, key, position (the query's own
# place among the keys), group_first and group_last (positions of the threadgroup's queries), key_count, head.
SOURCE = """
    constexpr uint THREADS = 32 * QUERIES;
    constexpr uint STRIDE = D + 4 / sizeof(T);  // one word more: lanes that walk down a column hit all banks
    constexpr uint OWN = (D + 31) / 32;         // columns of the result that a lane keeps
    threadgroup T tile[KEYS * STRIDE];          // keys, then values: half the memory, two barriers more
    threadgroup float query[QUERIES * D];

    const uint lane = thread_index_in_simdgroup;
    const uint simdgroup = simdgroup_index_in_threadgroup;
    const uint thread_index = thread_position_in_threadgroup.x;
    const uint query_count = q_shape[2], key_count = k_shape[2];
    const uint head = threadgroup_position_in_grid.y;
    const uint kv_head = head / (q_shape[1] / k_shape[1]);  // grouped-query attention: heads share keys
    const uint batch = threadgroup_position_in_grid.z;

    const uint first_query = threadgroup_position_in_grid.x * QUERIES;
    const bool has_query = first_query + simdgroup < query_count;
    // A simdgroup without a query repeats the last one: it must help to load, and reach every barrier.
    const uint query_index = has_query ? first_query + simdgroup : query_count - 1;
    // The last query sits at the last key. Signed: with more queries than keys some lie before key 0.
    const int shift = int(key_count) - int(query_count);
    const int position = int(query_index) + shift;
    const int group_first = int(first_query) + shift;
    const int group_last = int(min(first_query + QUERIES, query_count)) - 1 + shift;

    const size_t q_row = (size_t(batch) * q_shape[1] + head) * query_count + query_index;
    const size_t kv_row = (size_t(batch) * k_shape[1] + kv_head) * key_count;
    for (uint c = lane; c < D; c += 32) query[simdgroup * D + c] = float(q[q_row * D + c]) * scale;

    float maximum = @MAXIMUM@;
    float sum = @SUM@;
    float result[OWN];
    for (uint i = 0; i < OWN; i++) result[i] = 0.0f;

    const int end = metal::min(int(key_count), int(@END_KEY@));
    const int first = metal::max(0, int(@FIRST_KEY@)) / int(KEYS) * int(KEYS);  // at the start of a tile
    for (int tile_key = first; tile_key < end; tile_key += KEYS) {
        const uint rows = min(KEYS, key_count - tile_key);
        threadgroup_barrier(mem_flags::mem_threadgroup);  // nobody still reads the values of the tile before
        load_tile<T, D, STRIDE, THREADS>(tile, k + (kv_row + tile_key) * D, rows, thread_index);
        threadgroup_barrier(mem_flags::mem_threadgroup);

        // A lane computes the whole score of its own key: 32 scores at once and no reduction for each.
        float s = 0.0f;
        for (uint c = 0; c < D; c++) s += query[simdgroup * D + c] * float(tile[lane * STRIDE + c]);
        const int key = tile_key + int(lane);
        s = @SCORE@;
        s = key < int(key_count) && (@VISIBLE@) ? s * LOG2_E : -INFINITY;

        // Online softmax, in base 2: scale what there is to the new maximum, then add. The maximum starts at
        // -FLT_MAX, not at -INFINITY: while all keys are masked, the difference would be a NaN.
        const float larger = metal::max(maximum, simd_max(s));
        const float weight = metal::exp2(s - larger);
        const float correction = metal::exp2(maximum - larger);
        sum = sum * correction + simd_sum(weight);
        maximum = larger;

        threadgroup_barrier(mem_flags::mem_threadgroup);  // nobody still reads the keys
        load_tile<T, D, STRIDE, THREADS>(tile, v + (kv_row + tile_key) * D, rows, thread_index);
        threadgroup_barrier(mem_flags::mem_threadgroup);

        // Now a lane owns columns of the result; each key's weight is handed round from the lane that has it.
        for (uint i = 0; i < OWN; i++) result[i] *= correction;
        for (uint j = 0; j < KEYS; j++) {
            const float w = simd_shuffle(weight, ushort(j));
            for (uint i = 0; i < OWN; i++) {
                const uint c = lane + 32 * i;
                if (c < D) result[i] += w * float(tile[j * STRIDE + c]);
            }
        }
    }

    if (has_query) {
        for (uint i = 0; i < OWN; i++) {
            const uint c = lane + 32 * i;
            if (c < D) out[q_row * D + c] = T(sum > 0.0f ? result[i] / sum : 0.0f);  // no visible key: zeros
        }
    }
"""

CAUSAL = {"visible": "key <= position", "end_key": "group_last + 1"}


@functools.cache  # one kernel object for each variant: MLX keeps compiled code with it
def attention_kernel(
    name: str,
    *,
    extra_inputs: tuple[str, ...] = (),
    visible: str = "true",
    score: str = "s",
    first_key: str = "0",
    end_key: str = "key_count",
    maximum: str = "-FLT_MAX",
    sum: str = "0.0f",
) -> object:
    """The kernel with the places of `SOURCE` filled in."""
    source = SOURCE
    for place, text in {
        "VISIBLE": visible,
        "SCORE": score,
        "FIRST_KEY": first_key,
        "END_KEY": end_key,
        "MAXIMUM": maximum,
        "SUM": sum,
    }.items():
        source = source.replace(f"@{place}@", text)
    return mx.fast.metal_kernel(
        name=f"attention_{name}",
        input_names=["q", "k", "v", "scale", *extra_inputs],
        output_names=["out"],
        source=source,
        header=HEADER,
    )


def launch(kernel: object, q: mx.array, k: mx.array, v: mx.array, scale: float, *extra: object) -> mx.array:
    """Runs a variant. q: [batch, heads, queries, D]; k and v: [batch, kv_heads, keys, D]."""
    batch, heads, queries, dim = q.shape
    if heads % k.shape[1] or k.shape != v.shape or k.shape[0] != batch or k.shape[3] != dim:
        raise ValueError(f"shapes do not fit: q {q.shape}, k {k.shape}, v {v.shape}")
    used = 32 * (dim * q.dtype.size + 4) + QUERIES * dim * 4
    if used > 32768:
        raise ValueError(f"head dimension {dim} needs {used} bytes of threadgroup memory; the limit is 32768")
    if q.size == 0:
        return mx.zeros_like(q)
    if k.size < 8:  # then MLX binds `constant` pointers, which `load_tile` does not take
        raise ValueError("fewer than 8 elements of keys")
    return kernel(
        inputs=[q, k, v, scale, *extra],
        template=[("T", q.dtype), ("D", dim)],
        grid=(32 * QUERIES * -(-queries // QUERIES), heads, batch),
        threadgroup=(32 * QUERIES, 1, 1),
        output_shapes=[q.shape],
        output_dtypes=[q.dtype],
    )[0]


def attention(q: mx.array, k: mx.array, v: mx.array, scale: float, *, causal: bool = False) -> mx.array:
    """softmax(q k^T scale) v; with `causal` the last query sees all keys, the one before it all but one."""
    kernel = attention_kernel("causal", **CAUSAL) if causal else attention_kernel("full")
    return launch(kernel, q, k, v, scale)


def inputs(
    heads: tuple[int, int], lengths: tuple[int, int], dim: int, dtype: mx.Dtype, batch: int = 1
) -> tuple[mx.array, mx.array, mx.array]:
    """Random q, k, v."""
    shapes = [(batch, heads[0], lengths[0], dim)] + [(batch, heads[1], lengths[1], dim)] * 2
    return tuple(mx.random.normal(shape).astype(dtype) for shape in shapes)


def check() -> int:
    """Lengths off every tile, head dimensions off 32, grouped heads, one query and many."""
    report = Report("attention")
    shapes = [
        ((1, 1), (1, 1), 64, 1),
        ((4, 2), (1, 100), 64, 2),
        ((2, 2), (33, 33), 64, 1),
        ((6, 2), (31, 65), 100, 1),
        ((2, 1), (9, 257), 128, 1),
    ]
    for dtype in FLOATS:
        for heads, lengths, dim, batch in shapes if dtype == mx.float32 else shapes[1:4]:
            q, k, v = inputs(heads, lengths, dim, dtype, batch)
            wide = [a.astype(mx.float32) for a in (q, k, v)]
            for causal in (False, True):
                want = mx.fast.scaled_dot_product_attention(*wide, scale=dim**-0.5, mask="causal" if causal else None)
                got = attention(q, k, v, dim**-0.5, causal=causal)
                report.compare("causal" if causal else "full", (heads, lengths, dim), got, want)
    # Scores of +-1000: without subtracting the maximum, exp would overflow.
    q, k, v = inputs((2, 2), (7, 70), 64, mx.float32)
    want = mx.fast.scaled_dot_product_attention(q * 100, k, v, scale=1.0)
    report.compare("full", "large scores", attention(q * 100, k, v, 1.0), want, tolerance=1e-3)
    q, k, v = inputs((1, 1), (5, 3), 64, mx.float32)  # more queries than keys: two of them see nothing
    got = attention(q, k, v, 1.0, causal=True)
    want = mx.fast.scaled_dot_product_attention(q[:, :, 2:], k, v, scale=1.0, mask="causal")
    report.compare("causal", "queries before the first key", got[:, :, 2:], want)
    report.require("a query that sees nothing gives zeros", bool((got[:, :, :2] == 0).all().item()))
    return report.finish()


def bench(roof: float | None) -> None:
    """Prefill, where the fused kernel of MLX is the one to beat."""
    q, k, v = inputs((8, 2), (512, 512), 64, mx.float32)
    mx.eval(q, k, v)
    timing = Bench("attention, 8 heads (2 for keys), 512 x 512, D 64, float32", flops=4 * 8 * 512 * 512 * 64)
    timing.add("MLX", lambda: mx.fast.scaled_dot_product_attention(q, k, v, scale=0.125))
    timing.add("this kernel", lambda: attention(q, k, v, 0.125))
    timing.add("this kernel, causal", lambda: attention(q, k, v, 0.125, causal=True))
    timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
