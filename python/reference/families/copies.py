"""Conversions between all element types, and copies out of strided arrays; ``arange``."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Writer
from ..launch import elementwise
from .unary import layout_of, strided

TYPES = ("bool_", *arrays.INTEGERS, *arrays.FLOATS, "complex64")


def converted(x: np.ndarray, dtype: str, out: str) -> np.ndarray:
    """Conversion by value: to bool by comparison with 0, to integers by truncation, from complex the real part."""
    if dtype == "complex64" and out not in ("complex64", "bool_"):
        x = x.real
    if out == "bool_":
        return x != 0
    with np.errstate(all="ignore"):
        if dtype == "bfloat16" or out == "bfloat16":
            return arrays.rounded(x.astype(np.float32), out) if out == "bfloat16" else x.astype(arrays.numpy_type(out))
        return x.astype(arrays.numpy_type(out))


def source(dtype: str, out: str) -> np.ndarray:
    """Values that fit the other type, where its range matters."""
    if dtype in ("float32", "float16", "bfloat16", "complex64") and out in arrays.INTEGERS:
        info = np.iinfo(arrays.numpy_type(out))
        x = arrays.values(5, 41, "float32", max(-90, info.min), min(info.max, 90))
        x[:6] = [0.0, 0.5, 0.99, 1.5, 2.5, 100.0]
        return arrays.rounded(x, dtype).astype(arrays.numpy_type(dtype))
    if dtype in arrays.FLOATS:
        return np.concatenate([arrays.extremes(dtype), arrays.values(5, 19, dtype)])
    return np.concatenate([arrays.extremes(dtype), arrays.values(5, 19, dtype)])


def write(writer: Writer) -> None:
    for dtype in TYPES:
        for out in TYPES:
            x = source(dtype, out)
            y = converted(x, dtype, out)
            case = writer.case("v_copy", f"{dtype} to {out}")
            case.input("x", x, dtype).room("y", x.shape, out)
            elementwise.copy(case, dtype, out, x.size)
            case.expect("y", y, out)
    for dtype in ("float32", "bfloat16", "int8", "complex64"):
        x = arrays.values(6, 1031, dtype)
        if arrays.size_of(dtype) < 8:
            case = writer.case("vn_copy", f"{dtype} 1031")
            case.input("x", x, dtype).room("y", x.shape, dtype)
            elementwise.copy(case, dtype, dtype, x.size, many=True)
            case.expect("y", x, dtype)
        case = writer.case("s_copy", f"{dtype} 99")
        case.input("x", x[:1], dtype).room("y", 99, dtype)
        elementwise.copy(case, dtype, dtype, 99, scalar=True)
        case.expect("y", np.full(99, x[0]), dtype)
        base = arrays.values(7, (5, 7, 9), dtype)
        for name, view, offset in strided(base):
            for large in (False, True):
                case = writer.case(f"g{view.ndim}{'large' if large else ''}_copy", f"{dtype} {name}")
                case.input("x", base.reshape(-1)[offset:] if offset else base, dtype).room("y", view.shape, dtype)
                if any(stride < 0 for stride in view.strides):
                    case.input("x", base, dtype)
                    elementwise.copy_strided(case, dtype, dtype, layout_of(view), large)
                    case.row["steps"][0]["args"]["0"] = f"@x+{offset * arrays.size_of(dtype)}"
                else:
                    elementwise.copy_strided(case, dtype, dtype, layout_of(view), large)
                case.expect("y", view, dtype)
        base = arrays.values(8, (3, 2, 5, 7), dtype)
        for large in (False, True):
            view = base.transpose(3, 1, 0, 2)
            case = writer.case(f"gn{'4large' if large else '2'}_copy", f"{dtype} 4 axes")
            case.input("x", base, dtype).room("y", view.shape, dtype)
            elementwise.copy_strided(case, dtype, dtype, layout_of(view), large)
            case.expect("y", view, dtype)
    for dtype in ("float32", "float16", "bfloat16", "int32", "int8", "uint64"):
        manifest = arrays.manifest_type(dtype)
        y = np.arange(33) * 2 + 3
        case = writer.case("arange", f"{dtype} 33")
        case.room("y", 33, dtype)
        case.step(f"arange{dtype}", [f"{manifest}:3", f"{manifest}:2", "@y"], threadgroup=33, grid=33)
        case.expect("y", y.astype(arrays.numpy_type(dtype)), dtype)
