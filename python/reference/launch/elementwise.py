"""Unary, binary, ternary and copy kernels over contiguous arrays and over strided ones."""

from __future__ import annotations

import math

from ..arrays import Layout, size_of
from ..cases import Case, ceil_div, i32, i32s, i64, i64s, u32
from . import block_dims


def work_per_thread(dtype: str, size: int) -> int:
    """Elements per thread of the contiguous kernels."""
    return max(1, 8 // size_of(dtype)) if size >= 1 << 16 else 1


def _contiguous(case: Case, kernel: str, args: list[str], size: int, per_thread: int) -> None:
    threads = max(1, ceil_div(size, per_thread))
    case.step(kernel, [*args, u32(size)], threadgroup=min(threads, 1024), grid=threads)


def unary(case: Case, op: str, dtype: str, out: str, size: int, x="@x", y="@y", many: bool | None = None) -> None:
    per_thread = work_per_thread(dtype, size) if many is None else (max(1, 8 // size_of(dtype)) if many else 1)
    prefix = "vn" if per_thread > 1 else "v"
    _contiguous(case, f"{prefix}_{op}{dtype}{out}", [x, y], size, per_thread)


def unary_strided(case: Case, op: str, dtype: str, out: str, layout: Layout, large=False, x="@x", y="@y") -> None:
    """The kernels for any number of dimensions."""
    per_thread = 4 if large else 1
    shape = layout.shape
    inner, middle = shape[-1], shape[-2] if len(shape) > 1 else 1
    rest = math.prod(shape) // (inner * middle)
    grid = (ceil_div(inner, per_thread), middle, rest)
    name = f"gn4large_{op}{dtype}{out}" if large else f"gn1_{op}{dtype}{out}"
    args = [x, y, i32s(shape), i64s(layout.strides), i32(len(shape))]
    case.step(name, args, threadgroup=block_dims(*grid), grid=grid)


def unary_large(case: Case, op: str, dtype: str, out: str, size: int, x="@x", y="@y") -> None:
    """The kernel for arrays of more than 2^32 elements, on a small one."""
    per_thread = max(1, 8 // size_of(dtype))
    threads = ceil_div(size, per_thread)
    width = min(threads, 64)
    grid = (width, ceil_div(threads, width), 1)
    case.step(f"v2_{op}{dtype}{out}", [x, y, i64(size)], threadgroup=block_dims(*grid), grid=grid)


def binary(case: Case, op: str, dtype: str, kind: str, size: int, many: bool | None = None, outs=("@c",)) -> None:
    """``kind`` says which operand is a scalar: ``ss``, ``sv``, ``vs`` or ``vv``."""
    if kind == "ss":
        case.step(f"ss_{op}{dtype}", ["@a", "@b", *outs], threadgroup=1, grid=1)
        return
    per_thread = work_per_thread(dtype, size) if many is None else (max(1, 8 // size_of(dtype)) if many else 1)
    name = f"{kind}{'n' if per_thread > 1 else ''}_{op}{dtype}"
    _contiguous(case, name, ["@a", "@b", *outs], size, per_thread)


def binary_strided(case: Case, op: str, dtype: str, a: Layout, b: Layout, large=False, outs=("@c",)) -> None:
    shape, ndim = a.shape, len(a.shape)
    suffix = "large" if large else ""
    if ndim <= 3:
        grid = (*reversed(shape), 1, 1)[:3]
        strides = [i64(a.strides[0]), i64(b.strides[0])] if ndim == 1 else [i64s(a.strides), i64s(b.strides)]
        name = f"g{ndim}{suffix}_{op}{dtype}"
        case.step(name, ["@a", "@b", *outs, *strides], threadgroup=block_dims(*grid), grid=grid)
        return
    per_thread = 4 if large else 2
    grid = (ceil_div(shape[-1], per_thread), shape[-2], math.prod(shape[:-2]))
    args = ["@a", "@b", *outs, i32s(shape), i64s(a.strides), i64s(b.strides), i32(ndim)]
    name = f"gn{per_thread}{suffix}_{op}{dtype}"
    case.step(name, args, threadgroup=block_dims(*grid), grid=grid)


def select(case: Case, dtype: str, size: int, kind="v", many: bool | None = None) -> None:
    """``where(a, b, c)``; ``kind`` is ``v``, ``vs`` (the last operand is a scalar) or ``sv``."""
    per_thread = work_per_thread(dtype, size) if many is None else (max(1, 8 // size_of(dtype)) if many else 1)
    name = f"{kind}{'n' if per_thread > 1 else ''}_Select{dtype}"
    _contiguous(case, name, ["@a", "@b", "@c", "@d"], size, per_thread)


def copy(case: Case, dtype: str, out: str, size: int, scalar=False, many: bool | None = None) -> None:
    """A conversion of contiguous elements, or of one element to all."""
    per_thread = work_per_thread(out, size) if many is None else (max(1, 8 // size_of(out)) if many else 1)
    name = f"{'s' if scalar else 'v'}{'n' if per_thread > 1 else ''}_copy{dtype}{out}"
    _contiguous(case, name, ["@x", "@y"], size, per_thread)


def copy_strided(case: Case, dtype: str, out: str, layout: Layout, large=False) -> None:
    """From a strided array to a contiguous one."""
    shape, ndim = layout.shape, len(layout.shape)
    suffix = "large" if large else ""
    if ndim <= 3:
        grid = (*reversed(shape), 1, 1)[:3]
        strides = i64(layout.strides[0]) if ndim == 1 else i64s(layout.strides)
        name = f"g{ndim}{suffix}_copy{dtype}{out}"
        case.step(name, {0: "@x", 1: "@y", 3: strides}, threadgroup=block_dims(*grid), grid=grid)
        return
    per_thread = 4 if large else 2
    grid = (ceil_div(shape[-1], per_thread), shape[-2], math.prod(shape[:-2]))
    args = {0: "@x", 1: "@y", 2: i32s(shape), 3: i64s(layout.strides), 5: i32(ndim)}
    case.step(f"gn{per_thread}{suffix}_copy{dtype}{out}", args, threadgroup=block_dims(*grid), grid=grid)
