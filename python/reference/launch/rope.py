"""Rotary position embedding."""

from __future__ import annotations

import math

from ..cases import Case, ceil_div, f32, i32, i64, i64s
from . import block_dims

HEADS_PER_THREAD = 4


def rope(case: Case, dtype: str, shape, dims: int, base: float, scale: float, traditional=False, forward=True,
         freqs=False, large=False) -> None:
    """``shape`` is batch, heads, length, head dimension; the offset is in buffer ``offset``."""
    batch, heads, length, width = shape
    strides = (length * width, width, 1)
    grid = (dims // 2, length, batch * ceil_div(heads, HEADS_PER_THREAD))
    args = {0: "@x", 1: "@y", 2: "@offset", 3: f32(scale), 4: i64s(strides), 5: i64s(strides), 6: i64(0),
            7: i32(heads)}
    args |= {10: "@freqs", 11: i64(1)} if freqs else {10: f32(math.log2(base))}
    name = f"rope_{'freqs_' if freqs else ''}{'large_' if large else ''}{dtype}"
    constants = {1: forward, 2: traditional, 3: False}
    case.step(name, args, threadgroup=block_dims(*grid), grid=grid, constants=constants)


def rope_single(case: Case, dtype: str, heads: int, width: int, dims: int, base: float, scale: float, offset: int,
                traditional=False, freqs=False) -> None:
    """One token of one sequence."""
    grid = (dims // 2, heads)
    args = {0: "@x", 1: "@y", 2: i32(offset), 3: f32(scale), 4: i64(width)}
    args |= {10: "@freqs", 11: i64(1)} if freqs else {10: f32(math.log2(base))}
    name = f"rope_single_{'freqs_' if freqs else ''}{dtype}"
    case.step(name, args, threadgroup=block_dims(*grid), grid=grid, constants={1: True, 2: traditional})
