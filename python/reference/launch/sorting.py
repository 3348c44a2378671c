"""Sorting along the last axis: in one block, or in several that are merged."""

from __future__ import annotations

from ..arrays import size_of
from ..cases import Case, ceil_div, i32, i32s, i64s

PER_THREAD = 4


def block_threads(length: int, dtype: str) -> int:
    wanted = ceil_div(length, PER_THREAD)
    threads = next((size for size, above in ((512, 256), (256, 128), (128, 64), (64, 32)) if wanted > above), 32)
    return 256 if threads == 512 and size_of(dtype) > 4 else threads


def is_one_block(length: int, dtype: str) -> bool:
    return length <= block_threads(length, dtype) * PER_THREAD


def sort(case: Case, dtype: str, rows: int, length: int, arg=False) -> None:
    """A row-contiguous array: values, or the order of the indices."""
    threads = block_threads(length, dtype)
    out = "uint32" if arg else dtype
    name = f"c{'arg' if arg else ''}_block_sort_{dtype}_{out}_bn{threads}_tn{PER_THREAD}"
    args = ["@x", "@y", i32(length), i32(1), i32(1), i32(length), i32(length)]
    case.step(name, args, threadgroup=threads, threadgroups=(1, rows))


def sort_strided(case: Case, dtype: str, shape, strides, axis_length: int, axis_stride: int, out_strides,
                 out_axis_stride: int, arg=False) -> None:
    """``shape`` and ``strides`` are those of the other axes."""
    threads = block_threads(axis_length, dtype)
    out = "uint32" if arg else dtype
    name = f"nc{'arg' if arg else ''}_block_sort_{dtype}_{out}_bn{threads}_tn{PER_THREAD}"
    rows = 1
    for extent in shape:
        rows *= extent
    args = ["@x", "@y", i32(axis_length), i32(axis_stride), i32(out_axis_stride), i32(len(shape)), i32s(shape),
            i64s(strides), i64s(out_strides)]
    case.step(name, args, threadgroup=threads, threadgroups=(1, rows))


def sort_in_blocks(case: Case, dtype: str, rows: int, length: int) -> str:
    """Sorts values and indices; returns the suffix of the buffers that hold the result: ``v0`` or ``v1``."""
    threads = block_threads(length, dtype)
    blocks = ceil_div(length, threads * PER_THREAD)
    tail = f"{dtype}_uint32_bn{threads}_tn{PER_THREAD}"
    for name, kind in (("v0", dtype), ("v1", dtype), ("i0", "uint32"), ("i1", "uint32")):
        case.room(name, (rows, length), kind)
    case.room("parts", (rows, blocks + 1), "uint32")
    args = ["@x", "@v0", "@i0", i32(length), i32(1), i32(1), i32s([rows]), i64s([length])]
    case.step(f"sort_mbsort_{tail}", args, threadgroup=threads, threadgroups=(blocks, rows))
    source, tiles = 0, 2
    while tiles // 2 < blocks:
        vals, idxs = f"@v{source}", f"@i{source}"
        args = ["@parts", vals, idxs, i32(length), i32(tiles), i32(blocks)]
        case.step(f"partition_mbsort_{tail}", args, threadgroup=min(blocks + 1, 1024), threadgroups=(1, rows))
        source = 1 - source
        args = ["@parts", vals, idxs, f"@v{source}", f"@i{source}", i32(length), i32(tiles), i32(blocks)]
        case.step(f"merge_mbsort_{tail}", args, threadgroup=threads, threadgroups=(blocks, rows))
        tiles *= 2
    return str(source)
