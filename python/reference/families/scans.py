"""Cumulative operations along the last axis and along an inner one."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Writer, sum_tolerance
from ..launch import scanning

LENGTHS = (1, 5, 31, 128, 1000, 4099, 9001)


def logaddexp_scan(x: np.ndarray, axis: int) -> np.ndarray:
    return np.logaddexp.accumulate(x, axis)


def neutral(op: str, dtype: str):
    if op in ("sum", "prod"):
        return 0 if op == "sum" else 1
    if dtype in arrays.INTEGERS:
        info = np.iinfo(arrays.numpy_type(dtype))
        return info.min if op == "max" else info.max
    return np.inf if op == "min" else -np.inf


def scanned(op: str, x: np.ndarray, dtype: str, axis: int, inclusive: bool, reverse: bool) -> np.ndarray:
    """The scan in the result's own integers, or in double precision."""
    kind = arrays.numpy_type(dtype) if dtype in arrays.INTEGERS else np.float64
    wide = np.flip(x, axis).astype(kind) if reverse else x.astype(kind)
    call = {"sum": lambda v: np.cumsum(v, axis, dtype=kind), "prod": lambda v: np.cumprod(v, axis, dtype=kind),
            "max": lambda v: np.maximum.accumulate(v, axis), "min": lambda v: np.minimum.accumulate(v, axis),
            "logaddexp": lambda v: logaddexp_scan(v, axis)}[op]
    with np.errstate(all="ignore"):
        y = call(wide)
    if not inclusive:
        first = np.full_like(np.take(y, [0], axis), neutral(op, dtype))
        y = np.concatenate([first, np.take(y, range(y.shape[axis] - 1), axis)], axis)
    return np.flip(y, axis) if reverse else y


def values(op: str, seed: int, shape, dtype: str) -> np.ndarray:
    if dtype not in arrays.FLOATS:
        return arrays.values(seed, shape, dtype)
    if op == "prod":
        # Near 1, so that the product neither vanishes nor overflows.
        return arrays.rounded(np.exp(arrays.values(seed, shape, "float32", -0.01, 0.01)), dtype)
    return arrays.values(seed, shape, dtype)


def judge(case, op: str, x: np.ndarray, y: np.ndarray, dtype: str, axis: int, inclusive: bool, reverse: bool) -> None:
    if dtype in arrays.INTEGERS:
        case.expect("y", y, dtype)
    elif op in ("max", "min"):
        case.expect("y", y)
    else:
        length = x.shape[axis]
        kept = sum_tolerance(length, dtype, dtype)
        if op == "sum":
            scale = scanned("sum", np.abs(x), dtype, axis, inclusive, reverse)
            case.expect("y", y, scale=scale, tolerance=kept, unit="of Σ|x|")
        elif op == "prod":
            case.expect("y", y, scale=np.abs(y), tolerance=2 * kept, unit="of |y|")
        else:
            finite = np.where(np.isfinite(y), np.abs(y), 0)
            case.expect("y", y, scale=3 + finite, tolerance=4 * kept, unit="of 3 + |y|")


def write(writer: Writer) -> None:
    for op in ("sum", "prod", "max", "min", "logaddexp"):
        for dtype in ("float32", "float16", "bfloat16", "int32", "uint64", "int8"):
            if op == "logaddexp" and dtype not in arrays.FLOATS:
                continue
            for number, length in enumerate(LENGTHS):
                if length > 1000 and dtype not in ("float32", "int32"):
                    continue
                for form in range(4):
                    inclusive, reverse = form % 2 == 0, form >= 2
                    if number % 4 != form and not (dtype == "float32" and length in (31, 1000)):
                        continue
                    x = values(op, length, (3, length), dtype)
                    y = scanned(op, x, dtype, 1, inclusive, reverse)
                    order = f"{'reverse_' if reverse else ''}{'inclusive' if inclusive else 'exclusive'}"
                    case = writer.case(f"contig_scan_{order}_{op}", f"{dtype} 3×{length}")
                    case.input("x", x, dtype).room("y", x.shape, dtype)
                    scanning.scan(case, op, dtype, dtype, 3, length, inclusive, reverse)
                    judge(case, op, x, y, dtype, 1, inclusive, reverse)
            for number, (outer, length, stride) in enumerate(((2, 37, 5), (1, 100, 33), (3, 1, 7), (2, 64, 70))):
                inclusive, reverse = number % 2 == 0, number >= 2
                x = values(op, number, (outer, length, stride), dtype)
                y = scanned(op, x, dtype, 1, inclusive, reverse)
                order = f"{'reverse_' if reverse else ''}{'inclusive' if inclusive else 'exclusive'}"
                case = writer.case(f"strided_scan_{order}_{op}", f"{dtype} {outer}×{length}×{stride}")
                case.input("x", x, dtype).room("y", x.shape, dtype)
                scanning.scan_strided(case, op, dtype, dtype, outer, length, stride, inclusive, reverse)
                judge(case, op, x, y, dtype, 1, inclusive, reverse)
    x = arrays.values(1, (2, 77), "float32")
    x[0, 40], x[1, 40] = np.nan, np.inf
    case = writer.case("contig_scan_inclusive_sum", "float32 NaN and infinity")
    case.input("x", x, "float32").room("y", x.shape, "float32")
    scanning.scan(case, "sum", "float32", "float32", 2, 77)
    case.expect("y", np.cumsum(x, 1, dtype=np.float64), scale=np.cumsum(np.nan_to_num(np.abs(x), posinf=1), 1),
                tolerance=sum_tolerance(77, "float32"), unit="of Σ|x|")
