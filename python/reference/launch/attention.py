"""Scaled dot-product attention: the kernel for one query, and the tiled one."""

from __future__ import annotations

from ..cases import Case, ceil_div, f32, i32, i64s, struct, u64

KERNEL_TYPES = {"float32": "float", "float16": "float16_t", "bfloat16": "bfloat16_t"}


def vector(case: Case, dtype: str, heads: int, kv_heads: int, queries: int, keys: int, width: int, scale: float,
           causal=False, mask: str | None = None, sinks=False) -> None:
    """Few queries against a cache of keys: ``[heads, queries, width]`` and ``[kv_heads, keys, width]``.

    ``mask`` is ``bool`` or ``float``: a buffer of ``[heads, queries, keys]``.
    """
    constants = {20: mask is not None, 21: False, 22: causal, 23: mask == "bool", 24: mask == "float", 25: sinks}
    args = dict(enumerate(["@q", "@k", "@v", "@y", i32(heads // kv_heads), i32(keys), u64(keys * width), u64(width),
                           u64(keys * width), u64(width), f32(scale)]))
    if mask is not None:
        args |= {11 if mask == "bool" else 12: "@mask", 13: i32(1), 14: i32(keys), 15: i32(queries * keys)}
    if sinks:
        args |= {16: "@sinks", 17: i32(heads)}
    name = f"sdpa_vector_{KERNEL_TYPES[dtype]}_{width}_{width}"
    case.step(name, args, threadgroup=1024, threadgroups=(heads, queries), constants=constants)


def tiled(case: Case, dtype: str, batch: int, heads: int, kv_heads: int, queries: int, keys: int, width: int,
          scale: float, causal=False, mask: str | None = None, sinks=False) -> None:
    """Many queries: ``[batch, heads, queries, width]`` and ``[batch, kv_heads, keys, width]``.

    ``mask`` is ``bool`` or ``float``: a buffer of ``[batch, heads, queries, keys]``.
    """
    bq, bk = 32, 16 if width >= 128 else 32
    wm, wn = 4, 1 if width < 256 else 2
    blocks_q, blocks_k = ceil_div(queries, bq), ceil_div(keys, bk)
    q_strides = (heads * queries * width, queries * width, width)
    k_strides = (kv_heads * keys * width, keys * width, width)
    params = struct(
        i32(batch), i32(heads), i32(width), i32(queries), i32(keys), i32(heads // kv_heads), f32(scale),
        i32(blocks_q), i32(blocks_k), i32(queries // bq), i32(keys // bk), i32(queries % bq), i32(keys % bk),
        i32(keys - queries), i64s(q_strides), i64s(k_strides), i64s(k_strides), i64s(q_strides),
    )
    constants = {200: queries % bq == 0, 201: keys % bk == 0, 300: mask is not None, 301: causal, 302: sinks,
                 303: False}
    args = {0: "@q", 1: "@k", 2: "@v", 3: "@y", 4: params}
    if mask is not None:
        args |= {5: struct(i64s([heads * queries * keys, queries * keys, keys])), 6: "@mask"}
    if sinks:
        args[7] = "@sinks"
    kind = "bool_" if mask == "bool" else dtype
    name = f"steel_attention_{dtype}_bq{bq}_bk{bk}_bd{width}_bv{width}_wm{wm}_wn{wn}_mask{kind}"
    case.step(name, args, threadgroup=(32, wm, wn), threadgroups=(blocks_q, heads, batch), constants=constants)


def vector_in_blocks(case: Case, dtype: str, heads: int, kv_heads: int, queries: int, keys: int, width: int,
                     scale: float, blocks=64, causal=False) -> None:
    """As :func:`vector`, with the keys divided over threadgroups; a second kernel joins the parts."""
    kind = KERNEL_TYPES[dtype]
    constants = {20: False, 21: False, 22: causal, 23: False, 24: False, 25: False, 26: blocks}
    case.room("parts", (heads, queries, blocks, width), dtype)
    case.room("sums", (heads, queries, blocks), "float32").room("maxs", (heads, queries, blocks), "float32")
    args = {0: "@q", 1: "@k", 2: "@v", 3: "@parts", 4: "@sums", 5: "@maxs", 7: i32(keys), 8: u64(keys * width),
            9: u64(width), 10: u64(keys * width), 11: u64(width), 12: f32(scale)}
    case.step(f"sdpa_vector_2pass_1_{kind}_{width}_{width}", args, threadgroup=(32, heads // kv_heads, queries),
              threadgroups=(kv_heads, 1, blocks), constants=constants)
    args = ["@parts", "@sums", "@maxs", "@y", i32(blocks)]
    case.step(f"sdpa_vector_2pass_2_{kind}_{width}", args, threadgroup=1024, threadgroups=(heads, queries))
