"""Rotary embedding of queries and keys in one launch, both conventions, with offsets and partial rotation.

The angle depends on position and pair, not on the head: a thread computes sine and cosine once and turns the
same pair of several heads. `mx.fast.rope` does so too, for one array at a time; this saves the second launch,
which in decode is most of the cost.

Traditional: pairs are neighbours (0, 1), (2, 3), …; otherwise element i pairs with element i + dims / 2, as
in Llama's checkpoints for transformers. The two are not interchangeable: a model was trained with one.
"""

from __future__ import annotations

import math

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main

HEADER = """
constant constexpr uint HEADS = 4;  // heads of a thread

// Functions and not `cond ? q : k`: one of the two may be bound as constant and the other as device memory,
// and pointers of two address spaces have no common type.
template <typename T, typename P>
inline void rotate(P x, device T* y, size_t row, uint first, uint second, float cosine, float sine) {
    const float a = float(x[row + first]), b = float(x[row + second]);
    y[row + first] = T(a * cosine - b * sine);
    y[row + second] = T(a * sine + b * cosine);
}
"""

# Grid: x a pair, or an element that is only copied; y a position; z a sequence and HEADS heads of q or k.
SOURCE = """
    const uint D = q_shape[3], length = q_shape[2];
    const uint q_heads = q_shape[1], heads = q_heads + k_shape[1];
    const uint half_dims = DIMS / 2;
    const uint i = thread_position_in_grid.x;
    const uint position = thread_position_in_grid.y;
    const uint groups = (heads + HEADS - 1) / HEADS;
    const uint batch = thread_position_in_grid.z / groups;
    const uint first_head = thread_position_in_grid.z % groups * HEADS;

    uint first, second;
    float cosine = 1.0f, sine = 0.0f;
    if (i < half_dims) {
        first = TRADITIONAL ? 2 * i : i;
        second = TRADITIONAL ? 2 * i + 1 : i + half_dims;
        // base^(-i / half) as one exp2; the logarithm was taken once, on the host.
        const float frequency = metal::precise::exp2(-float(i) / float(half_dims) * log2_base);
        const float angle = (float(offset[batch]) + float(position)) * position_scale * frequency;
        // precise: angles reach the length of the context, and fast::cos is made for small ones.
        sine = metal::precise::sincos(angle, cosine);
    } else {
        first = second = DIMS + (i - half_dims);  // past the rotated dimensions: turned by 0, that is copied
    }
    for (uint h = first_head; h < metal::min(first_head + HEADS, heads); h++) {
        if (h < q_heads) {
            const size_t row = ((size_t(batch) * q_heads + h) * length + position) * D;
            rotate(q, q_out, row, first, second, cosine, sine);
        } else {
            const size_t row = ((size_t(batch) * k_shape[1] + (h - q_heads)) * length + position) * D;
            rotate(k, k_out, row, first, second, cosine, sine);
        }
    }
"""

_rope = mx.fast.metal_kernel(
    name="multihead_rope",
    input_names=["q", "k", "offset", "log2_base", "position_scale"],
    output_names=["q_out", "k_out"],
    source=SOURCE,
    header=HEADER,
)


def rope(
    q: mx.array,
    k: mx.array,
    *,
    dims: int | None = None,
    traditional: bool = False,
    base: float = 10000.0,
    scale: float = 1.0,
    offset: int | mx.array = 0,
) -> tuple[mx.array, mx.array]:
    """q: [batch, heads, length, D], k: [batch, kv_heads, length, D]; offset: one number, or [batch]."""
    batch, heads, length, dim = q.shape
    dims = dim if dims is None else dims
    if dims % 2 or not 0 < dims <= dim:
        raise ValueError(f"dims must be even and at most {dim}, not {dims}")
    if (batch, length, dim) != (k.shape[0], k.shape[2], k.shape[3]) or q.dtype != k.dtype:
        raise ValueError(f"q and k must agree but for heads: {q.shape} {q.dtype}, {k.shape} {k.dtype}")
    if length == 0 or batch == 0:
        return mx.zeros_like(q), mx.zeros_like(k)
    groups = -(-(heads + k.shape[1]) // 4)
    q_out, k_out = _rope(
        inputs=[q, k, mx.broadcast_to(mx.array(offset, mx.int32), (batch,)), math.log2(base), scale],
        template=[("T", q.dtype), ("DIMS", dims), ("TRADITIONAL", traditional)],
        grid=(dim - dims // 2, length, batch * groups),
        threadgroup=(32, 4, 1),
        output_shapes=[q.shape, k.shape],
        output_dtypes=[q.dtype, k.dtype],
    )
    return q_out, k_out


def check() -> int:
    """Both conventions, all dimensions and some, offsets, decode and prefill, grouped heads."""
    report = Report("multi-head RoPE")
    # The angle is the product of a rounded frequency and a position: at position p it is off by about
    # p * 2^-23, whatever computes it, and MLX's own differs by as much.
    tolerance = {mx.float32: 5e-4, mx.float16: 2e-3, mx.bfloat16: 8e-3}
    for dtype in FLOATS:
        for traditional in (False, True):
            kind = "traditional" if traditional else "halves"
            for heads, kv_heads, length, dim, dims, offset in [
                (1, 1, 1, 64, 64, 0),
                (6, 2, 33, 64, 64, 1000),
                (3, 3, 31, 100, 32, 7),
                (8, 1, 1, 128, 128, 4097),
                (2, 1, 100, 33, 32, 0),
            ]:
                q = mx.random.normal((2, heads, length, dim)).astype(dtype)
                k = mx.random.normal((2, kv_heads, length, dim)).astype(dtype)
                got = rope(q, k, dims=dims, traditional=traditional, offset=offset)
                for x, y in zip((q, k), got, strict=True):
                    want = mx.fast.rope(
                        x.astype(mx.float32),
                        dims,
                        traditional=traditional,
                        base=10000.0,
                        scale=1.0,
                        offset=offset,
                    )
                    report.compare(kind, (x.shape, dims, offset), y, want, tolerance[dtype])
    q, k = mx.random.normal((3, 2, 5, 64)), mx.random.normal((3, 1, 5, 64))
    got = rope(q, k, base=500000.0, scale=0.5, offset=mx.array([0, 10, 500]))
    for i, offset in enumerate([0, 10, 500]):
        for x, y in zip((q, k), got, strict=True):
            want = mx.fast.rope(x[i : i + 1], 64, traditional=False, base=500000.0, scale=0.5, offset=offset)
            report.compare("an offset for each sequence", offset, y[i : i + 1], want, tolerance[mx.float32])
    return report.finish()


def bench(roof: float | None) -> None:
    """Decode and prefill, against two calls of MLX's own."""
    options = {"traditional": False, "base": 10000.0, "scale": 1.0, "offset": 100}
    for length in (1, 512):
        q, k = mx.random.normal((1, 32, length, 128)), mx.random.normal((1, 8, length, 128))
        mx.eval(q, k)
        timing = Bench(f"32 + 8 heads, {length} positions, D 128", bytes_moved=2 * (q.nbytes + k.nbytes))
        timing.add("mx.fast.rope, twice", lambda q=q, k=k: [mx.fast.rope(x, 128, **options) for x in (q, k)])
        timing.add("this kernel", lambda q=q, k=k: rope(q, k, offset=100))
        timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
