"""Sorting values and indices, in one block and in several."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Writer
from ..launch import sorting

TYPES = ("float32", "float16", "bfloat16", "int32", "uint8", "int64")


def distinct(seed: int, shape, dtype: str) -> np.ndarray:
    """Values of which no two in a row are equal, so that the order of indices is one."""
    rng = np.random.default_rng(seed)
    rows, length = shape
    order = np.stack([rng.permutation(length) for _ in range(rows)])
    return order.astype(arrays.numpy_type(dtype))


def write(writer: Writer) -> None:
    for dtype in TYPES:
        for length in (1, 2, 33, 128, 200, 500, 1021, 2048):
            if sorting.is_one_block(length, dtype):
                x = arrays.values(length, (3, length), dtype)
                case = writer.case(f"c_block_sort_bn{sorting.block_threads(length, dtype)}", f"{dtype} 3×{length}")
                case.input("x", x, dtype).room("y", x.shape, dtype)
                sorting.sort(case, dtype, 3, length)
                case.expect("y", np.sort(x, 1), dtype)
        for length in (33, 129):
            x = distinct(length, (3, length), dtype) if dtype != "bfloat16" else None
            if x is None:
                continue
            case = writer.case(f"carg_block_sort_bn{sorting.block_threads(length, dtype)}", f"{dtype} 3×{length}")
            case.input("x", x, dtype).room("y", x.shape, "uint32")
            sorting.sort(case, dtype, 3, length, arg=True)
            case.expect("y", np.argsort(x, 1), "uint32")
        base = arrays.values(3, (4, 50, 3), dtype)
        # Sorted along the middle axis; the others are strided.
        case = writer.case("nc_block_sort_bn32", f"{dtype} middle of 4×50×3")
        case.input("x", base, dtype).room("y", base.shape, dtype)
        sorting.sort_strided(case, dtype, (4, 3), (150, 1), 50, 3, (150, 1), 3)
        case.expect("y", np.sort(base, 1), dtype)
    for dtype in ("float32", "float16", "int32", "int64", "uint8"):
        for rows, length in ((1, 2049), (2, 5003), (3, 20011)):
            x = arrays.values(length, (rows, length), dtype)
            case = writer.case("mbsort", f"{dtype} {rows}×{length}")
            case.input("x", x, dtype)
            last = sorting.sort_in_blocks(case, dtype, rows, length)
            case.expect(f"v{last}", np.sort(x, 1), dtype)
    x = arrays.values(5, (2, 99), "float32")
    x[0, 3], x[0, 50], x[0, 70], x[1, 9] = np.nan, np.inf, -np.inf, np.nan
    x[1, 10:20] = [0.0, -0.0] * 5
    case = writer.case("c_block_sort_bn32", "float32 special values")
    case.input("x", x, "float32").room("y", x.shape, "float32")
    sorting.sort(case, "float32", 2, 99)
    case.expect("y", np.sort(x, 1), "float32")
