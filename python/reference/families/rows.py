"""Norms, softmax, logsumexp, cross entropy over the last axis."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Writer, i32, sum_tolerance
from ..launch import rows as launch
from ..launch import rounded_up

AXES = (1, 3, 31, 128, 1000, 4096)
LOOPED = (1, 37, 4097, 5003)


def shapes(family: str, looped_family: str):
    for axis in AXES:
        yield family, axis, False
    for axis in LOOPED:
        yield looped_family, axis, True


def write_rms(writer: Writer) -> None:
    for dtype in arrays.FLOATS:
        for family, axis, looped in shapes("rms", "rms_looped"):
            x, w = arrays.values(axis, (3, axis), dtype), arrays.values(axis + 1, axis, dtype)
            wide = x.astype(np.float64)
            normal = wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + 1e-5)
            for w_stride in (1, 0):
                y = normal * (w if w_stride else w[:1]).astype(np.float64)
                case = writer.case(family, f"{dtype} 3×{axis}{'' if w_stride else ', one weight'}")
                case.input("x", x, dtype).input("w", w, dtype).room("y", x.shape, dtype)
                launch.rms_norm(case, dtype, 3, axis, 1e-5, w_stride, looped)
                # The normalised value is rounded to the type before the weight is applied.
                tolerance = sum_tolerance(axis, dtype) + 3 * arrays.ROUNDOFF[dtype]
                case.expect("y", y, scale=np.abs(y), tolerance=tolerance, ulp=1, unit="of |y|")
    x = np.array([[0, 0, 0, 0], [1, np.inf, 2, 3], [np.nan, 1, 1, 1], [1e-30, 0, 0, 0]], np.float32)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        y = wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + 1e-5)
        y[1] = [0, np.nan, 0, 0]
    case = writer.case("rms", "float32 special values")
    case.input("x", x, "float32").input("w", np.ones(4, np.float32), "float32").room("y", x.shape, "float32")
    launch.rms_norm(case, "float32", 4, 4, 1e-5)
    case.expect("y", y, ulp=8)


def write_layer_norm(writer: Writer) -> None:
    for dtype in arrays.FLOATS:
        for family, axis, looped in shapes("layer_norm", "layer_norm_looped"):
            if axis == 1:
                continue
            x = arrays.values(axis, (3, axis), dtype)
            w, b = arrays.values(axis + 1, axis, dtype), arrays.values(axis + 2, axis, dtype)
            wide = x.astype(np.float64)
            spread = wide - wide.mean(-1, keepdims=True)
            inverse = 1 / np.sqrt((spread * spread).mean(-1, keepdims=True) + 1e-5)
            y = spread * inverse * w + b
            case = writer.case(family, f"{dtype} 3×{axis}")
            case.input("x", x, dtype).input("w", w, dtype).input("b", b, dtype).room("y", x.shape, dtype)
            launch.layer_norm(case, dtype, 3, axis, 1e-5, looped=looped)
            scale = ((np.abs(wide) + np.abs(wide).mean(-1, keepdims=True)) * inverse) * np.abs(w) + np.abs(b)
            tolerance = sum_tolerance(axis, dtype) + 3 * arrays.ROUNDOFF[dtype]
            case.expect("y", y, scale=scale, tolerance=tolerance, unit="of Σ|terms|")


def softmax(x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        e = np.exp(wide - wide.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


def write_softmax(writer: Writer) -> None:
    for dtype in arrays.FLOATS:
        for precise in (False, True):
            if precise and dtype == "float32":
                continue
            tail = "_precise" if precise else ""
            for family, axis, looped in shapes(f"block_softmax{tail}", f"looped_softmax{tail}"):
                x = arrays.values(axis, (3, axis), dtype, -4, 4)
                y = softmax(x)
                case = writer.case(family, f"{dtype} 3×{axis}")
                case.input("x", x, dtype).room("y", x.shape, dtype)
                launch.softmax(case, dtype, 3, axis, precise, looped)
                # `fast::exp(x)` may be off by 3 + 2|x| units; without `precise` the sum is kept in the type.
                kept = "float32" if precise or dtype == "float32" else dtype
                exponential = (3 + 2 * 8) * 2 * arrays.ROUNDOFF["float32"] + 8 * arrays.ROUNDOFF[kept]
                tolerance = sum_tolerance(axis, dtype, kept) + 2 * exponential
                smallest = {"float16": 2.0**-24}.get(dtype, 0.0)
                case.expect("y", y, scale=np.abs(y) + smallest / tolerance, tolerance=tolerance, ulp=1, unit="of |y|")
    x = np.zeros((6, 5), np.float32)
    x[1] = [1, -np.inf, 2, 3, -np.inf]
    x[2] = [1, np.inf, 2, 3, 4]
    x[3] = [1, np.nan, 2, 3, 4]
    x[4] = [88, 88, -88, 3e38, 1]
    x[5] = [-1e4, -1e4, 0, -1e4, -1e4]
    for looped in (False, True):
        case = writer.case(f"{'looped' if looped else 'block'}_softmax", "float32 special values")
        case.input("x", x, "float32").room("y", x.shape, "float32")
        launch.softmax(case, "float32", 6, 5, looped=looped)
        case.expect("y", softmax(x), ulp=16)


def write_logsumexp(writer: Writer) -> None:
    for dtype in arrays.FLOATS:
        for family, axis, looped in shapes("block_logsumexp", "looped_logsumexp"):
            x = arrays.values(axis, (3, axis), dtype, -4, 4)
            wide = x.astype(np.float64)
            y = np.log(np.exp(wide).sum(-1))
            case = writer.case(family, f"{dtype} 3×{axis}")
            case.input("x", x, dtype).room("y", 3, dtype)
            launch.logsumexp(case, dtype, 3, axis, looped)
            # A relative error of the sum is an absolute one of its logarithm.
            tolerance = sum_tolerance(axis, dtype) + (3 + 2 * 8) * 2 * arrays.ROUNDOFF["float32"]
            case.expect("y", y, scale=1 + np.abs(y) + np.abs(wide).max(-1), tolerance=tolerance, unit="of 1 + |y|")


def write_cross_entropy(writer: Writer) -> None:
    for dtype in arrays.FLOATS:
        for axis in (1, 5, 130, 4099):
            x = arrays.values(axis, (4, axis), dtype, -4, 4)
            targets = np.array([0, axis - 1, -1, axis // 2], np.int32)
            wide = x.astype(np.float64)
            picked = wide[np.arange(4), targets]
            y = np.log(np.exp(wide).sum(-1)) - picked
            threads = min(1024, rounded_up(-(-axis // 4)))
            case = writer.case("cross_entropy", f"{dtype} 4×{axis}")
            case.input("x", x, dtype).input("t", targets, "int32").room("y", 4, "float32")
            case.step(f"cross_entropy_{dtype}", ["@x", "@t", "@y", i32(axis)], threadgroup=threads, grid=4 * threads)
            tolerance = sum_tolerance(axis, "float32") + (3 + 2 * 8) * 2 * arrays.ROUNDOFF["float32"]
            case.expect("y", y, scale=1 + np.abs(picked) + np.abs(y), tolerance=tolerance, unit="of 1 + |y|")


def write(writer: Writer) -> None:
    write_rms(writer)
    write_layer_norm(writer)
    write_softmax(writer)
    write_logsumexp(writer)
    write_cross_entropy(writer)
