"""Sums, products, minima, maxima, any, all; positions of minima and maxima."""

from __future__ import annotations

from ..arrays import size_of
from ..cases import Case, ceil_div, i32, i32s, i64, i64s, u64
from . import rounded_up

READS = 4
WRITES = 4


def reduce_all(case: Case, op: str, dtype: str, out: str, size: int) -> None:
    """Everything to one element, in one launch or, for long arrays, in two."""
    if size <= READS * 1024:
        threads = rounded_up(ceil_div(size, READS))
        args = ["@x", "@y", u64(size), u64(size)]
        case.step(f"all_reduce_{op}{dtype}", args, threadgroup=threads, grid=threads)
        return
    rows = 32 * READS if size * size_of(dtype) <= 1 << 26 else 1024 * READS
    row = ceil_div(size, rows)
    threads = rounded_up(min(ceil_div(row, READS), 1024))
    case.room("partial", rows, out)
    args = ["@x", "@partial", u64(size), u64(row)]
    case.step(f"all_reduce_{op}{dtype}", args, threadgroup=threads, grid=(threads, rows))
    threads = rounded_up(min(ceil_div(rows, READS), 1024))
    args = ["@partial", "@y", u64(rows), u64(rows)]
    case.step(f"all_reduce_{op}{out}", args, threadgroup=threads, grid=threads)


def _row_threads(row: int) -> int:
    if row <= 512:
        return 32
    if row <= 1024:
        return 128
    return min(1024, rounded_up(ceil_div(row, READS)))


def reduce_rows(case: Case, op: str, dtype: str, rows: int, length: int) -> None:
    """The last axis of a row-contiguous matrix of at least four rows."""
    threads = _row_threads(length)
    args = ["@x", "@y", u64(length), i64(rows)]
    grid = (threads, ceil_div(rows, WRITES))
    case.step(f"row_reduce_simple_{op}{dtype}", args, threadgroup=threads, grid=grid)


def _dims(count: int) -> int:
    return next(dims for dims in (1, 2, 5) if count <= dims)


def _general(length, inner, shape, strides, reduced, reduced_strides, wide) -> list[str]:
    """Arguments of the kernels that reduce several axes; ``reduced`` are the other reduced axes."""
    return ["@x", "@y", wide(length), i64(inner), i32s(shape or [1]), i64s(strides or [0]), i32(len(shape)),
            i32s(reduced or [1]), i64s(reduced_strides or [0]), i32(len(reduced))]


def reduce_rows_small(case: Case, op: str, dtype: str, length: int, shape, strides, reduced, reduced_strides,
                      large=False) -> None:
    """Short rows: a thread, or a simdgroup, gives one element."""
    others, outputs = _product(reduced), _product(shape)
    args = _general(length, others, shape, strides, reduced, reduced_strides, i64)
    name = f"row_reduce_small_{'large_' if large else ''}{_dims(len(reduced))}_reduce_{op}{dtype}"
    if (others < 32 and length <= 8) or others <= 8:
        case.step(name, args, threadgroup=min(1024, outputs), grid=outputs)
    else:
        case.step(name, args, threadgroup=32, grid=(32, outputs))


def reduce_rows_looped(case: Case, op: str, dtype: str, length: int, shape, strides, reduced, reduced_strides,
                       large=False) -> None:
    """Long rows together with other axes: a threadgroup gives one element."""
    others, outputs = _product(reduced), _product(shape)
    threads = _row_threads(length)
    args = _general(length, others, shape, strides, reduced, reduced_strides, i64)
    name = f"row_reduce_looped_{'large_' if large else ''}{_dims(len(reduced))}_reduce_{op}{dtype}"
    case.step(name, args, threadgroup=threads, grid=(threads, outputs))


def _product(extents) -> int:
    product = 1
    for extent in extents:
        product *= extent
    return product


def arg_reduce(case: Case, op: str, dtype: str, rows: int, length: int, axis_stride=1, row_stride=None) -> None:
    """Position of the least or greatest element of each row."""
    row_stride = length if row_stride is None else row_stride
    threads = min(1024, rounded_up(ceil_div(length, READS)))
    args = ["@x", "@y", i32s([rows]), i64s([row_stride]), i64s([1]), u64(1), i64(axis_stride), u64(length)]
    case.step(f"{op}_{dtype}", args, threadgroup=threads, grid=(threads, rows))
