"""Elementwise kernels of one operand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

import mlx.core as mx
import numpy as np

from .. import arrays
from ..arrays import Layout
from ..cases import Case, Writer
from ..launch import elementwise

vector_erf = np.vectorize(math.erf, otypes=[np.float64])


def erfinv(y: np.ndarray) -> np.ndarray:
    """Inverse of the error function by bisection, then Newton's method in double precision."""
    low, high = np.full(y.shape, -6.0), np.full(y.shape, 6.0)
    for _ in range(60):
        middle = (low + high) / 2
        below = vector_erf(middle) < y
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    x = (low + high) / 2
    x = np.where(y == 0, y, np.where(y == 1, np.inf, np.where(y == -1, -np.inf, x)))
    # Near 0 it is a line.
    x = np.where(np.abs(y) < 1e-8, y * (math.sqrt(math.pi) / 2), x)
    return np.where(np.abs(y) <= 1, x, np.nan)


def sign(x: np.ndarray) -> np.ndarray:
    """−1, 0 or 1; 0 for NaN, as the kernel's two comparisons give."""
    return (x > 0).astype(np.float64) - (x < 0)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@dataclass(frozen=True)
class Op:
    name: str
    call: Callable[[np.ndarray], np.ndarray]
    # Units in the last place that the MSL specification allows the function, or that MLX's own formula needs.
    ulp: int
    low: float = -3.0
    high: float = 3.0
    # Half formulas round each step; this is what their result may be off.
    half_ulp: int = 1
    # For `float32`: the terms that errors grow with, where they are not the result itself, and the part allowed.
    scale: Callable[[np.ndarray], np.ndarray] | None = None
    tolerance: float = 0.0


# MLX's `expm1f` reduces its argument with the high part of ln 2 alone: the low part, 1.43e-6, is left out once for
# each factor of two. `erf` is built on it.
LOW_PART_OF_LN_2 = 1.43e-6


def expm1_terms(x: np.ndarray) -> np.ndarray:
    return np.exp(x) * (np.abs(x) / np.log(2) + 1)


FLOAT_OPS = [
    Op("Abs", np.abs, 0, half_ulp=0),
    Op("ArcCos", np.arccos, 4, -1, 1),
    Op("ArcCosh", np.arccosh, 4, 1, 50),
    Op("ArcSin", np.arcsin, 4, -1, 1),
    Op("ArcSinh", np.arcsinh, 4, -50, 50),
    Op("ArcTan", np.arctan, 5, -20, 20),
    Op("ArcTanh", np.arctanh, 5, -0.99, 0.99),
    Op("Ceil", np.ceil, 0, -50, 50, half_ulp=0),
    Op("Cos", np.cos, 4, -30, 30),
    Op("Cosh", np.cosh, 4, -8, 8),
    Op("Erf", vector_erf, 13),
    Op("ErfInv", erfinv, 8, -1, 1),
    Op("Exp", np.exp, 4, -8, 8),
    Op("Expm1", np.expm1, 4, -8, 8, scale=expm1_terms, tolerance=LOW_PART_OF_LN_2 + 4 * 2.0**-24),
    Op("Floor", np.floor, 0, -50, 50, half_ulp=0),
    Op("Log", np.log, 4, 0, 50),
    Op("Log10", np.log10, 4, 0, 50),
    Op("Log1p", np.log1p, 8, -0.5, 50),
    Op("Log2", np.log2, 4, 0, 50),
    Op("Negative", np.negative, 0, half_ulp=0),
    Op("Round", np.rint, 0, -50, 50, half_ulp=0),
    Op("Rsqrt", lambda x: 1 / np.sqrt(x), 4, 0, 50),
    Op("Sigmoid", sigmoid, 6, -8, 8, half_ulp=4),
    Op("Sign", sign, 0, half_ulp=0),
    Op("Sin", np.sin, 4, -30, 30),
    Op("Sinh", np.sinh, 4, -8, 8),
    Op("Sqrt", np.sqrt, 0, 0, 50, half_ulp=0),
    Op("Square", np.square, 0, half_ulp=0),
    Op("Tan", np.tan, 6, -1.5, 1.5),
    Op("Tanh", np.tanh, 5, -8, 8),
]

INTEGER_OPS = [
    ("Abs", np.abs, True), ("Negative", np.negative, True), ("Square", np.square, True), ("Sign", np.sign, True),
    ("Ceil", lambda x: x, True), ("Floor", lambda x: x, True), ("BitwiseInvert", np.invert, True),
]


def flushed(y: np.ndarray, dtype: str) -> np.ndarray:
    """Results below the smallest normal number are zero where denormals are flushed."""
    with np.errstate(all="ignore"):
        return y if dtype == "float16" else np.where(np.abs(y) < 2.0**-126, y * 0, y)


def data(op: Op, seed: int, size: int, dtype: str, special=True) -> np.ndarray:
    values = arrays.values(seed, size, dtype, op.low, op.high)
    if special:
        some = arrays.extremes(dtype)[:size]
        values[: len(some)] = some
    return values


def expected(op: Op, x: np.ndarray, dtype: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return flushed(op.call(x.astype(np.float64)), dtype)


def judge(case: Case, op: Op, x: np.ndarray, dtype: str) -> None:
    y = expected(op, x, dtype)
    if dtype != "float32":
        case.expect("y", y, ulp=op.half_ulp)
    elif op.scale is None:
        case.expect("y", y, ulp=op.ulp)
    else:
        with np.errstate(all="ignore"):
            scale = op.scale(x.astype(np.float64))
        case.expect("y", y, ulp=op.ulp, scale=np.where(np.isfinite(scale), scale, 1), tolerance=op.tolerance,
                    unit="of the terms")


def strided(base: np.ndarray) -> list[tuple[str, np.ndarray, int]]:
    """Views of an array with their first element's position: transposed, every other, reversed, repeated."""
    views = [
        ("transposed", base.transpose(2, 0, 1)),
        ("every second", base[:, ::2, :]),
        ("reversed", base[::-1]),
        ("repeated", np.broadcast_to(base[:, :1, :], base.shape)),
        ("one axis", base[1, 2]),
    ]
    return [(name, view, _offset(base, view)) for name, view in views]


def _offset(base: np.ndarray, view: np.ndarray) -> int:
    start = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return start // base.itemsize


def layout_of(view: np.ndarray) -> Layout:
    return Layout(view.shape, tuple(stride // view.itemsize for stride in view.strides))


def note_strays(case: Case, view: np.ndarray) -> None:
    """For kernels over any number of axes."""
    if view.ndim == 1:
        case.strays("for one axis MLX's index function also reads the stride before the first, and multiplies it by 0")


def write_float(writer: Writer, number: int, op: Op) -> None:
    for dtype in arrays.FLOATS:
        forms = [("v", 1), ("v", 129), ("vn", 1031)]
        for form, size in forms:
            x = data(op, number, size, dtype, special=size > 1)
            case = writer.case(f"{form}_{op.name}", f"{dtype} {size}")
            case.input("x", x, dtype).room("y", size, dtype)
            elementwise.unary(case, op.name, dtype, dtype, size, many=form == "vn")
            judge(case, op, x, dtype)

        base = arrays.values(number + 100, (5, 7, 9), dtype, op.low, op.high)
        for name, view, offset in strided(base):
            large = name in ("every second", "one axis")
            if dtype != "float32" and name != "transposed":
                continue
            case = writer.case(f"{'gn4large' if large else 'gn1'}_{op.name}", f"{dtype} {name}")
            case.input("x", base, dtype).room("y", view.shape, dtype)
            source = f"@x+{offset * arrays.size_of(dtype)}"
            elementwise.unary_strided(case, op.name, dtype, dtype, layout_of(view), large, x=source)
            note_strays(case, view)
            judge(case, op, view, dtype)

    x = data(op, number + 200, 333, "float32")
    case = writer.case(f"v2_{op.name}", "float32 333")
    case.input("x", x, "float32").room("y", x.shape, "float32")
    elementwise.unary_large(case, op.name, "float32", "float32", x.size)
    judge(case, op, x, "float32")

    # No element: nothing is written.
    case = writer.case(f"v_{op.name}", "float32 0")
    case.input("x", np.zeros(2, np.float32), "float32").room("y", 2, "float32")
    elementwise.unary(case, op.name, "float32", "float32", 0, many=True)
    case.expect("y", np.full(2, -77.0))


def write_integers(writer: Writer) -> None:
    for name, call, _ in INTEGER_OPS:
        for dtype in arrays.INTEGERS:
            x = np.concatenate([arrays.extremes(dtype), arrays.values(7, 50, dtype)])
            if name == "Negative" or name == "Square":
                with np.errstate(all="ignore"):
                    y = call(x)
            else:
                y = call(x)
            case = writer.case(f"v_{name}", f"{dtype} {x.size}")
            case.input("x", x, dtype).room("y", x.shape, dtype)
            elementwise.unary(case, name, dtype, dtype, x.size)
            case.expect("y", y, dtype)
    x = np.array([True, False, True])
    case = writer.case("v_LogicalNot", "bool 3")
    case.input("x", x, "bool_").room("y", 3, "bool_")
    elementwise.unary(case, "LogicalNot", "bool_", "bool_", 3)
    case.expect("y", ~x, "bool_")


def write_complex(writer: Writer) -> None:
    x = np.concatenate([arrays.extremes("complex64"), arrays.values(3, 50, "complex64")])
    wide = x.astype(np.complex128)
    for name, y, out in (("Real", x.real, "float32"), ("Imag", x.imag, "float32"), ("Conjugate", x.conj(), "complex64"),
                         ("Negative", -x, "complex64")):
        case = writer.case(f"v_{name}", f"complex64 {x.size}")
        case.input("x", x, "complex64").room("y", x.shape, out)
        elementwise.unary(case, name, "complex64", out, x.size)
        case.expect("y", y, out)
    for name, call in (("Exp", np.exp), ("Square", np.square), ("Sin", np.sin), ("Cos", np.cos), ("Sqrt", np.sqrt)):
        y = call(wide)
        scale = np.repeat(np.abs(y) + 1e-3, 2).astype(np.float32)
        case = writer.case(f"v_{name}", f"complex64 {x.size}")
        case.input("x", x, "complex64").room("y", x.shape, "complex64")
        elementwise.unary(case, name, "complex64", "complex64", x.size)
        # The parts of a root are roots of r ± x, which cancel.
        tolerance = 2.0**-12 if name == "Sqrt" else 16 * 2.0**-24
        case.expect("y", y, "complex64", scale=scale, tolerance=tolerance, unit="of |y|")


def write_small_floats(writer: Writer) -> None:
    """Conversions to and from 8-bit floats, as MLX's own code defines them."""
    bits = np.arange(256, dtype=np.uint8)
    for dtype in arrays.FLOATS:
        kind = getattr(mx, dtype)
        y = np.array(mx.from_fp8(mx.array(bits), kind).astype(mx.float32))
        case = writer.case("v_FromFP8", f"{dtype} 256")
        case.input("x", bits, "uint8").room("y", 256, dtype)
        elementwise.unary(case, "FromFP8", "uint8", dtype, 256)
        case.expect("y", y)
        x = arrays.values(11, 512, dtype, -500, 500)
        x[:8] = [0, 1, -1, 0.01, -0.002, 448, -448, 17]
        y = np.array(mx.to_fp8(mx.array(x).astype(kind)))
        case = writer.case("v_ToFP8", f"{dtype} 512")
        case.input("x", x, dtype).room("y", 512, "uint8")
        elementwise.unary(case, "ToFP8", dtype, "uint8", 512)
        case.expect("y", y, "uint8")


def write(writer: Writer) -> None:
    for number, op in enumerate(FLOAT_OPS):
        write_float(writer, number, op)
    write_integers(writer)
    write_complex(writer)
    write_small_floats(writer)
