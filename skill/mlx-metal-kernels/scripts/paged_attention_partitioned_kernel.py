"""Decode attention over a paged KV cache, in two passes: partitions of the context, then their combination.

One query for each sequence cannot fill a GPU: heads * batch threadgroups are few, and each has a long way.
So the context is cut into partitions that run at the same time; each leaves its result with maximum and sum,
and a small second kernel joins them by the rule of online softmax. No atomics, the same result every time.

Cache layout: [blocks, block_size, kv_heads, D]. A block table lists, for each sequence, which blocks hold its
keys in order; entries past its length are never looked at.
"""

from __future__ import annotations

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main

PARTITION = 256  # keys of a threadgroup; short enough to fill the GPU, long enough to hide the second pass

HEADER = """
constant constexpr uint PARTITION = 256;
constant constexpr uint SIMDGROUPS = 4;
constant constexpr float LOG2_E = 1.44269504089f;
"""

# Grid: one threadgroup of four simdgroups for each (partition, head, sequence).
PARTITIONS = """
    constexpr uint OWN = (D + 31) / 32;  // neighbouring columns of a lane: 32 lanes read a whole row at once
    threadgroup float maxima[SIMDGROUPS];
    threadgroup float sums[SIMDGROUPS];
    threadgroup float results[SIMDGROUPS * D];

    const uint lane = thread_index_in_simdgroup;
    const uint simdgroup = simdgroup_index_in_threadgroup;
    const uint partition = threadgroup_position_in_grid.x;
    const uint partitions = threadgroups_per_grid.x;
    const uint head = threadgroup_position_in_grid.y;
    const uint heads = threadgroups_per_grid.y;
    const uint sequence = threadgroup_position_in_grid.z;

    const uint block_size = k_cache_shape[1], kv_heads = k_cache_shape[2];
    const uint kv_head = head / (heads / kv_heads);
    const uint length = uint(lengths[sequence]);
    const uint first = partition * PARTITION;
    const size_t slot = (size_t(sequence) * heads + head) * partitions + partition;
    // The same for the whole threadgroup, so that leaving before a barrier is allowed. The second pass knows
    // from the length that nothing was written here.
    if (first >= length) return;
    const uint end = metal::min(length, first + PARTITION);

    float query[OWN], result[OWN];
    for (uint i = 0; i < OWN; i++) {
        const uint c = lane * OWN + i;
        query[i] = c < D ? float(q[(size_t(sequence) * heads + head) * D + c]) * scale * LOG2_E : 0.0f;
        result[i] = 0.0f;
    }
    float maximum = -FLT_MAX, sum = 0.0f;

    // The simdgroups take keys in turn. One key costs one simd_sum; keys are rows in memory, read whole.
    for (uint key = first + simdgroup; key < end; key += SIMDGROUPS) {
        const uint block = uint(block_tables[size_t(sequence) * block_tables_shape[1] + key / block_size]);
        const size_t row = ((size_t(block) * block_size + key % block_size) * kv_heads + kv_head) * D;
        float s = 0.0f;
        for (uint i = 0; i < OWN; i++) {
            const uint c = lane * OWN + i;
            if (c < D) s += query[i] * float(k_cache[row + c]);
        }
        s = simd_sum(s);
        const float larger = metal::max(maximum, s);
        const float weight = metal::exp2(s - larger);
        const float correction = metal::exp2(maximum - larger);
        sum = sum * correction + weight;
        maximum = larger;
        for (uint i = 0; i < OWN; i++) {
            const uint c = lane * OWN + i;
            if (c < D) result[i] = result[i] * correction + weight * float(v_cache[row + c]);
        }
    }

    // A simdgroup that had no key brings the sum 0 and the maximum -FLT_MAX, which weighs nothing.
    if (lane == 0) {
        maxima[simdgroup] = maximum;
        sums[simdgroup] = sum;
    }
    for (uint i = 0; i < OWN; i++)
        if (lane * OWN + i < D) results[simdgroup * D + lane * OWN + i] = result[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);

    float larger = -FLT_MAX, total = 0.0f;
    for (uint g = 0; g < SIMDGROUPS; g++) larger = metal::max(larger, maxima[g]);
    for (uint g = 0; g < SIMDGROUPS; g++) total += sums[g] * metal::exp2(maxima[g] - larger);
    for (uint c = simdgroup * 32 + lane; c < D; c += 32 * SIMDGROUPS) {
        float joined = 0.0f;
        for (uint g = 0; g < SIMDGROUPS; g++)
            joined += results[g * D + c] * metal::exp2(maxima[g] - larger);
        partial[slot * D + c] = joined;  // not divided by the sum yet: once, in the second pass
    }
    if (simdgroup == 0 && lane == 0) {
        partial_maximum[slot] = larger;
        partial_sum[slot] = total;
    }
"""

# Grid: one threadgroup for each (head, sequence), a thread for each column.
COMBINE = """
    const uint c = thread_position_in_threadgroup.x;
    const uint head = threadgroup_position_in_grid.y;
    const uint heads = threadgroups_per_grid.y;
    const uint sequence = threadgroup_position_in_grid.z;
    const uint partitions = partial_maximum_shape[2];
    const uint length = uint(lengths[sequence]);
    const uint used = (length + PARTITION - 1) / PARTITION;
    const size_t row = size_t(sequence) * heads + head;

    float larger = -FLT_MAX;
    for (uint p = 0; p < used; p++) larger = metal::max(larger, partial_maximum[row * partitions + p]);
    float total = 0.0f, joined = 0.0f;
    for (uint p = 0; p < used; p++) {
        const size_t slot = row * partitions + p;
        const float factor = metal::exp2(partial_maximum[slot] - larger);
        total += partial_sum[slot] * factor;
        if (c < D) joined += partial[slot * D + c] * factor;
    }
    if (c < D) out[row * D + c] = T(total > 0.0f ? joined / total : 0.0f);  // no context: zeros
"""

_partitions = mx.fast.metal_kernel(
    name="paged_attention_partitions",
    input_names=["q", "k_cache", "v_cache", "block_tables", "lengths", "scale"],
    output_names=["partial", "partial_maximum", "partial_sum"],
    source=PARTITIONS,
    header=HEADER,
)
_combine = mx.fast.metal_kernel(
    name="paged_attention_combine",
    input_names=["partial", "partial_maximum", "partial_sum", "lengths"],
    output_names=["out"],
    source=COMBINE,
    header=HEADER,
)


def paged_attention(
    q: mx.array,
    k_cache: mx.array,
    v_cache: mx.array,
    block_tables: mx.array,
    lengths: mx.array,
    scale: float,
    *,
    longest: int | None = None,
) -> mx.array:
    """One decode step. q: [batch, heads, D]; caches as above; block_tables: [batch, most]; lengths: [batch].

    `longest` bounds the lengths. Without it all of the table counts: reading `lengths` on the host would wait
    for the GPU in every step, which costs more than partitions that return at once.
    """
    batch, heads, dim = q.shape
    capacity = block_tables.shape[1] * k_cache.shape[1]
    partitions = max(1, -(-(capacity if longest is None else longest) // PARTITION))
    lengths = lengths.astype(mx.int32)
    partial = _partitions(
        inputs=[q, k_cache, v_cache, block_tables.astype(mx.int32), lengths, scale],
        template=[("T", q.dtype), ("D", dim)],
        grid=(128 * partitions, heads, batch),
        threadgroup=(128, 1, 1),
        output_shapes=[
            (batch, heads, partitions, dim),
            (batch, heads, partitions),
            (batch, heads, partitions),
        ],
        output_dtypes=[mx.float32] * 3,  # partial results in float: they are joined, not final
    )
    threads = 32 * -(-dim // 32)
    return _combine(
        inputs=[*partial, lengths],
        template=[("T", q.dtype), ("D", dim)],
        grid=(threads, heads, batch),
        threadgroup=(threads, 1, 1),
        output_shapes=[q.shape],
        output_dtypes=[q.dtype],
    )[0]


def paged(
    lengths: list[int], block_size: int, kv_heads: int, dim: int, dtype: mx.Dtype
) -> tuple[mx.array, mx.array, mx.array, list[tuple[mx.array, mx.array]]]:
    """Caches with shuffled blocks, the table, and each sequence's keys and values in order.

    What no sequence owns is NaN and what the table does not need is far out of range: touching either shows.
    """
    needed = [-(-length // block_size) for length in lengths]
    most = max(1, *needed) + 1
    order = [int(b) for b in mx.random.permutation(sum(needed) + 2).tolist()]
    caches = [mx.full((len(order), block_size, kv_heads, dim), mx.nan, dtype) for _ in range(2)]
    table, contents = [], []
    for length, count in zip(lengths, needed, strict=True):
        blocks = [order.pop() for _ in range(count)]
        table.append(blocks + [2**30] * (most - count))
        pair = tuple(mx.random.normal((length, kv_heads, dim)).astype(dtype) for _ in range(2))
        contents.append(pair)
        for cache, values in zip(caches, pair, strict=True):
            for i, block in enumerate(blocks):
                rows = values[i * block_size : (i + 1) * block_size]
                cache[block, : rows.shape[0]] = rows
    return *caches, mx.array(table, mx.int32), contents


def check() -> int:
    """Contexts of nothing, of one key, off the block, off the partition, of several partitions."""
    report = Report("paged attention, partitioned")
    for dtype in FLOATS:
        for heads, kv_heads, dim, block_size, lengths in [
            (4, 2, 64, 16, [1, 31, 33]),
            (2, 2, 100, 8, [100, 0, 257]),
            (8, 1, 128, 32, [4097, 256]),
        ]:
            k_cache, v_cache, table, contents = paged(lengths, block_size, kv_heads, dim, dtype)
            q = mx.random.normal((len(lengths), heads, dim)).astype(dtype)
            got = paged_attention(q, k_cache, v_cache, table, mx.array(lengths), dim**-0.5)
            for i, (keys, values) in enumerate(contents):
                k, v = (a.astype(mx.float32).swapaxes(0, 1)[None] for a in (keys, values))
                query = q[i][None, :, None].astype(mx.float32)
                want = mx.zeros((heads, dim))
                if lengths[i]:
                    want = mx.fast.scaled_dot_product_attention(query, k, v, scale=dim**-0.5)[0, :, 0]
                report.compare(f"{heads} heads of {dim}", f"length {lengths[i]}", got[i], want)
    return report.finish()


def bench(roof: float | None) -> None:
    """Decode is bound by the cache's bytes: compare with attention over the same cache laid out densely."""
    length, heads, kv_heads, dim, block_size = 4096, 8, 2, 128, 16
    k_cache, v_cache, table, contents = paged([length], block_size, kv_heads, dim, mx.float16)
    q = mx.random.normal((1, heads, dim)).astype(mx.float16)
    lengths = mx.array([length], mx.int32)
    k, v = (a.swapaxes(0, 1)[None] for a in contents[0])
    k, v = mx.contiguous(k), mx.contiguous(v)
    mx.eval(k_cache, v_cache, table, q, lengths, k, v)
    timing = Bench(f"decode, {length} keys, {heads} heads ({kv_heads}), D {dim}, float16", bytes_moved=2 * k.nbytes)
    timing.add("MLX, dense cache", lambda: mx.fast.scaled_dot_product_attention(q[:, :, None], k, v, scale=0.1))
    timing.add("this kernel, paged", lambda: paged_attention(q, k_cache, v_cache, table, lengths, 0.1))
    timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
