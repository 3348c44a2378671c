"""Scaled dot-product attention: one query, few queries in two passes, tiles; masks, sinks, shared heads."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Case, Writer, sum_tolerance
from ..launch import attention as launch


def attend(q, k, v, scale: float, causal=False, mask=None, sinks=None) -> np.ndarray:
    """In double precision over ``[..., heads, length, width]``; keys' heads are repeated."""
    q, k, v = (it.astype(np.float64) for it in (q, k, v))
    repeat = q.shape[-3] // k.shape[-3]
    k, v = np.repeat(k, repeat, -3), np.repeat(v, repeat, -3)
    scores = scale * q @ np.swapaxes(k, -1, -2)
    queries, keys = scores.shape[-2:]
    if causal:
        allowed = np.arange(keys)[None] <= np.arange(queries)[:, None] + keys - queries
        scores = np.where(allowed, scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == np.bool_ else scores + mask
    top = scores.max(-1, keepdims=True)
    extra = 0.0
    if sinks is not None:
        column = sinks.astype(np.float64)[:, None, None]
        top = np.maximum(top, column)
        extra = np.exp(column - top)
    weights = np.exp(scores - top)
    return weights / (weights.sum(-1, keepdims=True) + extra) @ v


def judge(case: Case, y: np.ndarray, dtype: str, keys: int, width: int, scale: float) -> None:
    score = 4.0 * width * scale
    rounding = 0 if dtype == "float32" else arrays.ROUNDOFF[dtype]
    tolerance = sum_tolerance(keys, dtype) + score * (sum_tolerance(width, "float32") + rounding) + 2.0**-18 + rounding
    case.expect("y", y, scale=2.0, tolerance=tolerance, unit="of |v|")


def write_vector(writer: Writer) -> None:
    for dtype in arrays.FLOATS:
        for width in (64, 96, 128, 256):
            for heads, kv_heads, queries, keys in ((1, 1, 1, 1), (4, 2, 1, 77), (3, 3, 3, 300)):
                scale = width**-0.5
                q = arrays.values(keys, (heads, queries, width), dtype)
                k, v = (arrays.values(seed, (kv_heads, keys, width), dtype) for seed in (1, 2))
                mask = arrays.values(9, (heads, queries, keys), "bool_")
                mask[..., 0] = True
                bias = arrays.values(10, (heads, queries, keys), dtype)
                sinks = arrays.values(11, heads, dtype)
                forms = [("", {}), (" causal", {"causal": True}), (" bool mask", {"mask": mask}),
                         (" float mask", {"mask": bias}), (" sinks", {"sinks": sinks})]
                for name, given in forms if width == 64 or keys == 77 else forms[:2]:
                    case = writer.case(f"sdpa_vector_{width}", f"{dtype} {heads}/{kv_heads}×{queries}×{keys}{name}")
                    case.input("q", q, dtype).input("k", k, dtype).input("v", v, dtype).room("y", q.shape, dtype)
                    kind = None
                    if "mask" in given:
                        kind = "bool" if given["mask"].dtype == np.bool_ else "float"
                        case.input("mask", given["mask"], "bool_" if kind == "bool" else dtype)
                    if "sinks" in given:
                        case.input("sinks", sinks, dtype)
                    launch.vector(case, dtype, heads, kv_heads, queries, keys, width, scale,
                                  given.get("causal", False), kind, "sinks" in given)
                    judge(case, attend(q, k, v, scale, **given), dtype, keys, width, scale)
                if keys > 1:
                    for causal in (False, True):
                        case = writer.case(f"sdpa_vector_2pass_{width}", f"{dtype} {heads}/{kv_heads}×{queries}×{keys}{' causal' if causal else ''}")
                        case.input("q", q, dtype).input("k", k, dtype).input("v", v, dtype).room("y", q.shape, dtype)
                        launch.vector_in_blocks(case, dtype, heads, kv_heads, queries, keys, width, scale, 64, causal)
                        judge(case, attend(q, k, v, scale, causal), dtype, keys, width, scale)


def write_tiled(writer: Writer) -> None:
    for dtype in arrays.FLOATS:
        for width in (64, 80, 128):
            for batch, heads, kv_heads, queries, keys in ((1, 1, 1, 1, 1), (1, 2, 1, 32, 64), (2, 2, 2, 45, 77), (1, 4, 2, 33, 33)):
                scale = width**-0.5
                q = arrays.values(keys, (batch, heads, queries, width), dtype)
                k, v = (arrays.values(seed, (batch, kv_heads, keys, width), dtype) for seed in (1, 2))
                mask = arrays.values(9, (batch, heads, queries, keys), "bool_")
                mask[..., 0] = True
                bias = arrays.values(10, (batch, heads, queries, keys), dtype)
                sinks = arrays.values(11, heads, dtype)
                forms = [("", {}), (" causal", {"causal": True}), (" bool mask", {"mask": mask}),
                         (" float mask", {"mask": bias}), (" sinks", {"sinks": sinks})]
                for name, given in forms if width == 64 else forms[:2]:
                    case = writer.case(f"steel_attention_{width}", f"{dtype} {batch}×{heads}/{kv_heads}×{queries}×{keys}{name}")
                    case.input("q", q, dtype).input("k", k, dtype).input("v", v, dtype).room("y", q.shape, dtype)
                    kind = None
                    if "mask" in given:
                        kind = "bool" if given["mask"].dtype == np.bool_ else "float"
                        case.input("mask", given["mask"], "bool_" if kind == "bool" else dtype)
                    if "sinks" in given:
                        case.input("sinks", sinks, dtype)
                    launch.tiled(case, dtype, batch, heads, kv_heads, queries, keys, width, scale,
                                 given.get("causal", False), kind, "sinks" in given)
                    judge(case, attend(q, k, v, scale, **given), dtype, keys, width, scale)


def write(writer: Writer) -> None:
    write_vector(writer)
    write_tiled(writer)
