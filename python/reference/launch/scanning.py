"""Cumulative sums, products, minima, maxima, logaddexp."""

from __future__ import annotations

from ..arrays import size_of
from ..cases import Case, ceil_div, u64

TILE = 32


def _name(kind: str, op: str, dtype: str, out: str, inclusive: bool, reverse: bool) -> str:
    order = f"{'reverse_' if reverse else ''}{'inclusive' if inclusive else 'exclusive'}"
    return f"{kind}_scan_{order}_{op}_{dtype}_{out}"


def scan(case: Case, op: str, dtype: str, out: str, rows: int, length: int, inclusive=True, reverse=False) -> None:
    """Along the last axis."""
    reads = 4 if size_of(dtype) <= 4 else 2
    per_simdgroup = reads * 32
    threads = 1024
    if length <= reads * 1024:
        threads = ceil_div(length, per_simdgroup) * 32
    elif length <= reads * 2048:
        threads = ceil_div(length // 2, per_simdgroup) * 32
    name = _name("contig", op, dtype, out, inclusive, reverse)
    case.step(name, ["@x", "@y", u64(length)], threadgroup=threads, grid=(threads, rows))


def scan_strided(case: Case, op: str, dtype: str, out: str, outer: int, length: int, stride: int, inclusive=True,
                 reverse=False) -> None:
    """Along the middle axis of ``outer × length × stride``."""
    reads = 4 if size_of(dtype) <= 4 else 2
    blocks = ceil_div(stride, TILE)
    threads = TILE // reads * 32
    name = _name("strided", op, dtype, out, inclusive, reverse)
    args = ["@x", "@y", u64(length), u64(stride), u64(blocks)]
    case.step(name, args, threadgroup=threads, grid=(threads, outer * blocks))
