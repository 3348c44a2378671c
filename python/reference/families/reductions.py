"""Reductions of everything, of rows, of columns, and of several axes; positions of minima and maxima."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Case, Writer, ceil_div, i32, i32s, i64, i64s, sum_tolerance, u64
from ..launch import block_dims, reducing

OPS = ("sum", "prod", "min", "max")
TYPES = ("float32", "float16", "bfloat16", "int32", "int64", "uint8")


def out_type(op: str, dtype: str) -> str:
    """Sums and products of narrow integers are 32 bits wide."""
    if op in ("sum", "prod") and dtype in ("bool_", "int8", "uint8", "int16", "uint16"):
        return "uint32" if dtype.startswith("u") else "int32"
    return dtype


def values(op: str, seed: int, shape, dtype: str) -> np.ndarray:
    if op == "prod":
        if dtype in arrays.FLOATS:
            return arrays.rounded(np.exp(arrays.values(seed, shape, "float32", -0.01, 0.01)), dtype)
        return (arrays.values(seed, shape, dtype) % 3 + 1).astype(arrays.numpy_type(dtype))
    return arrays.values(seed, shape, dtype)


def reduced(op: str, x: np.ndarray, out: str, axis) -> np.ndarray:
    kind = arrays.numpy_type(out) if out in arrays.INTEGERS else np.float64
    wide = x.astype(kind)
    with np.errstate(all="ignore"):
        if op == "sum":
            return wide.sum(axis, dtype=kind)
        if op == "prod":
            return wide.prod(axis, dtype=kind)
        return wide.max(axis) if op == "max" else wide.min(axis)


def judge(case: Case, op: str, x: np.ndarray, dtype: str, out: str, axis) -> None:
    y = reduced(op, x, out, axis)
    if out in arrays.INTEGERS or op in ("min", "max"):
        case.expect("y", y, out if out in arrays.INTEGERS else "float64")
        return
    terms = x.size // max(1, y.size)
    if op == "sum":
        scale = np.abs(x.astype(np.float64)).sum(axis)
        case.expect("y", y, scale=scale, tolerance=sum_tolerance(terms, dtype, dtype), unit="of Σ|x|")
    else:
        case.expect("y", y, scale=np.abs(y), tolerance=2 * sum_tolerance(terms, dtype, dtype), unit="of |y|")


def write_all(writer: Writer) -> None:
    for op in OPS:
        for dtype in TYPES:
            out = out_type(op, dtype)
            for size in (1, 7, 1000, 4096) + ((5003, 100003) if dtype in ("float32", "int32", "uint8") else ()):
                if op == "prod" and dtype == "float16" and size > 1000:
                    continue
                x = values(op, size, size, dtype)
                case = writer.case(f"all_reduce_{op}", f"{dtype} {size}")
                case.input("x", x, dtype).room("y", 1, out)
                reducing.reduce_all(case, op, dtype, out, size)
                judge(case, op, x[None], dtype, out, 1)
    for op, call in (("and", np.all), ("or", np.any)):
        for size in (1, 77, 5003):
            for fill in (False, True):
                x = np.full(size, fill)
                x[size // 2] = not fill
                case = writer.case(f"all_reduce_{op}", f"bool {size} of {fill}")
                case.input("x", x, "bool_").room("y", 1, "bool_")
                reducing.reduce_all(case, op, "bool_", "bool_", size)
                case.expect("y", np.array([call(x)]), "bool_")
    for op in ("min", "max", "sum"):
        x = arrays.values(4, 501, "float32")
        for name, fill in (("NaN", np.nan), ("infinity", np.inf), ("minus infinity", -np.inf)):
            x[300] = fill
            case = writer.case(f"all_reduce_{op}", f"float32 {name}")
            case.input("x", x, "float32").room("y", 1, "float32")
            reducing.reduce_all(case, op, "float32", "float32", x.size)
            y = np.array([reduced(op, x, "float32", 0)])
            case.expect("y", y, scale=1e3, tolerance=1e-6)
    # Reducing no element gives the neutral one.
    for op, dtype, y in (("sum", "float32", 0), ("prod", "int32", 1), ("max", "float32", -np.inf), ("min", "int32", 2**31 - 1)):
        case = writer.case(f"init_reduce_{op}", f"{dtype} 5")
        case.room("y", 5, dtype).step(f"init_reduce_{op}{dtype}", ["@y"], threadgroup=5, grid=5)
        case.expect("y", np.full(5, y, arrays.numpy_type(dtype)), dtype)


def write_rows(writer: Writer) -> None:
    for op in OPS:
        for dtype in TYPES:
            out = out_type(op, dtype)
            for rows, length in ((4, 1), (7, 3), (33, 33), (5, 1025), (6, 2051)):
                if dtype not in ("float32", "int32") and length > 100:
                    continue
                x = values(op, length, (rows, length), dtype)
                case = writer.case(f"row_reduce_simple_{op}", f"{dtype} {rows}×{length}")
                case.input("x", x, dtype).room("y", rows, out)
                reducing.reduce_rows(case, op, dtype, rows, length)
                judge(case, op, x, dtype, out, 1)


def write_general(writer: Writer) -> None:
    """Rows and columns together with other axes: the inner loops over shapes and strides."""
    shape = (3, 4, 5, 6)
    for op in OPS:
        for dtype in ("float32", "bfloat16", "int32"):
            out = out_type(op, dtype)
            for length, name, launch in ((6, "small", reducing.reduce_rows_small), (600, "looped", reducing.reduce_rows_looped)):
                for axes in ((1, 3), (0, 2, 3), (0, 1, 2, 3)):
                    for large in (False, True):
                        full = (*shape[:3], length)
                        x = values(op, length, full, dtype)
                        strides = [stride // x.itemsize for stride in x.strides]
                        kept = [axis for axis in range(4) if axis not in axes]
                        others = [axis for axis in axes if axis != 3]
                        case = writer.case(
                            f"row_reduce_{name}_{'large_' if large else ''}{reducing._dims(len(others))}_reduce_{op}",
                            f"{dtype} {'×'.join(map(str, full))} axes {axes}")
                        y_shape = tuple(full[axis] for axis in kept) or (1,)
                        case.input("x", x, dtype).room("y", y_shape, out)
                        launch(case, op, dtype, length, [full[axis] for axis in kept], [strides[axis] for axis in kept],
                               [full[axis] for axis in others], [strides[axis] for axis in others], large)
                        judge(case, op, x.reshape(full), dtype, out, axes if kept else (0, 1, 2, 3)) if kept else judge(
                            case, op, x.reshape(1, -1), dtype, out, 1)


def columns(case: Case, kind: str, op: str, dtype: str, out: str, outer: int, length: int, inner: int, large: bool) -> None:
    """Launches a kernel that reduces the middle axis of ``outer × length × inner``."""
    suffix = "large_" if large else ""
    args = ["@x", "@y", u64(length), i64(inner), i32s([outer]), i64s([length * inner]), i32(1), i32s([length]),
            i64s([inner]), i32(1), u64(1)]
    if kind == "small":
        groups = (ceil_div(inner, 32 * 4), outer)
        case.step(f"col_reduce_small_{suffix}1_reduce_{op}{dtype}", args, threadgroup=(32, 8), threadgroups=groups)
    elif kind == "longcolumn":
        args.append(u64(outer * inner))
        case.step(f"col_reduce_longcolumn_{suffix}1_reduce_{op}{dtype}", args, threadgroup=(inner, 1024 // inner // 32 * 32 or 8),
                  threadgroups=(outer, 1, 1))
    elif kind == "looped":
        args.append(i64(0))
        groups = (ceil_div(inner, 32), outer)
        case.step(f"col_reduce_looped_{suffix}1_32_32_reduce_{op}{dtype}", args, threadgroup=256, threadgroups=groups)
    else:
        case.room("partial", (32, outer, inner), out)
        args[1] = "@partial"
        args += [i64(0), u64(outer)]
        groups = (ceil_div(inner, 32), outer * 32)
        case.step(f"col_reduce_2pass_{suffix}1_32_32_reduce_{op}{dtype}", args, threadgroup=256, threadgroups=groups)
        rest = ["@partial", "@y", u64(32), i64(outer * inner), i32s([1]), i64s([0]), i32(1), i32s([32]),
                i64s([outer * inner]), i32(1), u64(1), i64(0)]
        groups = (ceil_div(outer * inner, 32), 1)
        case.step(f"col_reduce_looped_{suffix}1_32_32_reduce_{op}{out}", rest, threadgroup=256, threadgroups=groups)


def write_columns(writer: Writer) -> None:
    sizes = {"small": ((2, 9, 5), (3, 20, 130)), "longcolumn": ((2, 999, 3), (1, 300, 9)),
             "looped": ((2, 77, 40), (1, 33, 3)), "2pass": ((2, 3001, 33),)}
    for op in OPS:
        for dtype in ("float32", "float16", "bfloat16", "int32"):
            out = out_type(op, dtype)
            for kind, shapes in sizes.items():
                for outer, length, inner in shapes:
                    if dtype == "float16" and (op == "prod" or length > 1000):
                        continue
                    for large in (False, True):
                        x = values(op, inner, (outer, length, inner), dtype)
                        family = f"col_reduce_{kind}{'_large' if large else ''}_{op}"
                        case = writer.case(family, f"{dtype} {outer}×{length}×{inner}")
                        case.input("x", x, dtype).room("y", (outer, inner), out)
                        columns(case, kind, op, dtype, out, outer, length, inner, large)
                        judge(case, op, x, dtype, out, 1)


def write_positions(writer: Writer) -> None:
    for op, call in (("argmin", np.argmin), ("argmax", np.argmax)):
        for dtype in ("float32", "float16", "bfloat16", "int32", "uint8", "int64"):
            for length in (1, 5, 33, 1000, 5003):
                x = arrays.values(length, (3, length), dtype)
                case = writer.case(op, f"{dtype} 3×{length}")
                case.input("x", x, dtype).room("y", 3, "uint32")
                reducing.arg_reduce(case, op, dtype, 3, length)
                case.expect("y", call(x, 1), "uint32")
            x = arrays.values(9, (50, 4), dtype)
            case = writer.case(op, f"{dtype} columns of 50×4")
            case.input("x", x, dtype).room("y", 4, "uint32")
            reducing.arg_reduce(case, op, dtype, 4, 50, axis_stride=4, row_stride=1)
            case.expect("y", call(x, 0), "uint32")


def write(writer: Writer) -> None:
    write_all(writer)
    write_rows(writer)
    write_general(writer)
    write_columns(writer)
    write_positions(writer)
