"""Elementwise kernels of two operands, and selection by a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np

from .. import arrays
from ..cases import Case, Writer
from ..launch import elementwise
from .unary import flushed, layout_of


def maximum(a, b):
    """The kernel's rule: NaN when the first is NaN, else a > b ? a : b."""
    return np.where(np.isnan(a), a, np.where(a > b, a, b))


def minimum(a, b):
    return np.where(np.isnan(a), a, np.where(a < b, a, b))


def remainder(a, b):
    """``fmod`` with the divisor's sign."""
    r = np.fmod(a, b)
    return np.where((r != 0) & ((r < 0) != (b < 0)), r + b, r)


@dataclass(frozen=True)
class Op:
    name: str
    call: Callable
    ulp: int = 0
    half_ulp: int = 0
    is_test: bool = False
    low: float = -4.0


FLOAT_OPS = [
    Op("Add", np.add),
    Op("Subtract", np.subtract),
    Op("Multiply", np.multiply),
    Op("Divide", np.divide),
    Op("Maximum", maximum),
    Op("Minimum", minimum),
    Op("Remainder", remainder, 1, 1),
    Op("Power", np.power, 16, 1, low=0.1),
    Op("LogAddExp", np.logaddexp),
    Op("ArcTan2", np.arctan2, 6, 1),
    Op("Equal", np.equal, is_test=True),
    Op("NotEqual", np.not_equal, is_test=True),
    Op("NaNEqual", lambda a, b: (a == b) | (np.isnan(a) & np.isnan(b)), is_test=True),
    Op("Less", np.less, is_test=True),
    Op("LessEqual", np.less_equal, is_test=True),
    Op("Greater", np.greater, is_test=True),
    Op("GreaterEqual", np.greater_equal, is_test=True),
]

INTEGER_OPS = [
    ("Add", np.add, False), ("Subtract", np.subtract, False), ("Multiply", np.multiply, False),
    ("Maximum", np.maximum, False), ("Minimum", np.minimum, False), ("Equal", np.equal, True),
    ("Less", np.less, True), ("GreaterEqual", np.greater_equal, True), ("BitwiseAnd", np.bitwise_and, False),
    ("BitwiseOr", np.bitwise_or, False), ("BitwiseXor", np.bitwise_xor, False),
]
DIVISIONS = [("Remainder", np.remainder), ("FloorDivide", np.floor_divide)]


def operands(op: Op, seed: int, shape, dtype: str, special=True) -> tuple[np.ndarray, np.ndarray]:
    a = arrays.values(seed, shape, dtype, op.low, 4)
    b = arrays.values(seed + 1, shape, dtype, -3, 3)
    if special:
        some = arrays.extremes(dtype)
        count = len(some) ** 2
        a.reshape(-1)[:count] = np.repeat(some, len(some))[: a.size]
        b.reshape(-1)[:count] = np.tile(some, len(some))[: b.size]
    if op.name in ("Remainder", "Power"):
        # Huge quotients and overflowing powers are judged by their own cases below.
        bad = ~np.isfinite(a) | ~np.isfinite(b) | (np.abs(a) > 1e3) | (np.abs(b) > 1e3) | (np.abs(b) < 1e-2)
        a, b = np.where(bad, arrays.rounded(np.array(1.5), dtype), a), np.where(bad, arrays.rounded(np.array(2.25), dtype), b)
        if op.name == "Power":
            a = np.abs(a)
            large = np.abs(b * np.log(np.maximum(a, 1e-3))) > 9
            b = np.where(large | (a < 1e-3), arrays.rounded(np.array(0.5), dtype), b)
    return a, b


def outcome(op: Op, a, b, dtype: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        y = op.call(a.astype(np.float64), b.astype(np.float64))
    return y if op.is_test else flushed(y, dtype)


def judge(case: Case, op: Op, y: np.ndarray, dtype: str, a: np.ndarray, b: np.ndarray) -> None:
    if op.is_test:
        case.expect("c", y, "bool_")
    elif op.name == "LogAddExp":
        # The larger operand and a logarithm up to ln 2 are added and may cancel.
        scale = 1 + np.maximum(np.abs(a), np.abs(b)).astype(np.float64)
        case.expect("c", y, scale=np.broadcast_to(np.where(np.isfinite(scale), scale, 1), y.shape),
                    tolerance=6 * arrays.ROUNDOFF[dtype], unit="of 1 + |max|")
    else:
        case.expect("c", y, ulp=op.ulp if dtype == "float32" else op.half_ulp)


def write_float(writer: Writer, number: int, op: Op) -> None:
    for dtype in ("float32",) if op.name == "ArcTan2" else arrays.FLOATS:
        out = "bool_" if op.is_test else dtype
        kinds = [("vv", False, 777), ("vvn", True, 1031), ("sv", False, 77), ("vs", False, 77), ("ss", False, 1),
                 ("svn", True, 1029), ("vsn", True, 1027)]
        for prefix, many, size in kinds if dtype == "float32" else kinds[:2]:
            a, b = operands(op, number * 10, size, dtype, special=prefix[:2] == "vv")
            kind = prefix[:2]
            left, right = (a[:1] if kind[0] == "s" else a), (b[:1] if kind[1] == "s" else b)
            case = writer.case(f"{prefix}_{op.name}", f"{dtype} {size}")
            case.input("a", left, dtype).input("b", right, dtype).room("c", size, out)
            elementwise.binary(case, op.name, dtype, kind, size, many)
            judge(case, op, np.broadcast_to(outcome(op, left, right, dtype), size), dtype, left, right)
        write_strided(writer, op, number, dtype, out)


def write_strided(writer: Writer, op: Op, number: int, dtype: str, out: str) -> None:
    shapes = {1: (9,), 2: (5, 7), 3: (4, 5, 7), 4: (3, 2, 5, 7)}
    for ndim, shape in shapes.items():
        if dtype != "float32" and ndim != 2:
            continue
        # The first operand lies transposed, the second is repeated along its first axis.
        base_a, base_b = operands(op, number * 10 + ndim, shape[::-1], dtype, special=False)
        a = base_a.transpose()
        base_b = np.ascontiguousarray(base_b.transpose())
        b = np.broadcast_to(base_b[:1], shape)
        for large in (False, True):
            prefix = f"g{ndim}" if ndim <= 3 else "gn4" if large else "gn2"
            case = writer.case(f"{prefix}{'large' if large else ''}_{op.name}", f"{dtype} {'×'.join(map(str, shape))}")
            case.input("a", base_a, dtype).input("b", base_b, dtype).room("c", shape, out)
            elementwise.binary_strided(case, op.name, dtype, layout_of(a), layout_of(b), large)
            judge(case, op, outcome(op, a, b, dtype), dtype, a, b)


def write_integers(writer: Writer) -> None:
    for dtype in arrays.INTEGERS:
        some = arrays.extremes(dtype)
        a, b = np.repeat(some, len(some)), np.tile(some, len(some))
        for name, call, is_test in INTEGER_OPS:
            with np.errstate(all="ignore"):
                y = call(a, b)
            case = writer.case(f"vv_{name}", f"{dtype} {a.size}")
            case.input("a", a, dtype).input("b", b, dtype).room("c", a.size, "bool_" if is_test else dtype)
            elementwise.binary(case, name, dtype, "vv", a.size)
            case.expect("c", y, "bool_" if is_test else dtype)
        # No divisor is zero, and no quotient overflows: Metal leaves those open.
        fine = (b != 0) & ~((a == a.min()) & (b.astype(np.float64) == -1))
        x, y = a[fine], b[fine]
        for name, call in DIVISIONS:
            case = writer.case(f"vv_{name}", f"{dtype} {x.size}")
            case.input("a", x, dtype).input("b", y, dtype).room("c", x.size, dtype)
            elementwise.binary(case, name, dtype, "vv", x.size)
            case.expect("c", call(x, y), dtype)
        case = writer.case("vv_DivMod", f"{dtype} {x.size}")
        case.input("a", x, dtype).input("b", y, dtype).room("c", x.size, dtype).room("d", x.size, dtype)
        elementwise.binary(case, "DivMod", dtype, "vv", x.size, outs=("@c", "@d"))
        case.expect("c", np.floor_divide(x, y), dtype).expect("d", np.remainder(x, y), dtype)
        width = arrays.size_of(dtype) * 8
        counts = (np.arange(a.size) % width).astype(a.dtype)
        for name, call in (("LeftShift", np.left_shift), ("RightShift", np.right_shift)):
            case = writer.case(f"vv_{name}", f"{dtype} {a.size}")
            case.input("a", a, dtype).input("b", counts, dtype).room("c", a.size, dtype)
            elementwise.binary(case, name, dtype, "vv", a.size)
            case.expect("c", call(a, counts), dtype)
        powers = (np.arange(a.size) % 7).astype(a.dtype)
        with np.errstate(all="ignore"):
            y = np.power(a, powers)
        case = writer.case("vv_Power", f"{dtype} {a.size}")
        case.input("a", a, dtype).input("b", powers, dtype).room("c", a.size, dtype)
        elementwise.binary(case, "Power", dtype, "vv", a.size)
        case.expect("c", y, dtype)


def write_logic(writer: Writer) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    for name, call in (("LogicalAnd", np.logical_and), ("LogicalOr", np.logical_or), ("BitwiseXor", np.logical_xor)):
        case = writer.case(f"vv_{name}", "bool 4")
        case.input("a", a, "bool_").input("b", b, "bool_").room("c", 4, "bool_")
        elementwise.binary(case, name, "bool_", "vv", 4)
        case.expect("c", call(a, b), "bool_")


def write_complex(writer: Writer) -> None:
    some = arrays.extremes("complex64")
    a, b = np.repeat(some, len(some)), np.tile(some, len(some))
    a, b = a[b != 0], b[b != 0]
    for name, call in (("Add", np.add), ("Subtract", np.subtract), ("Multiply", np.multiply), ("Divide", np.divide)):
        y = call(a.astype(np.complex128), b.astype(np.complex128))
        size = np.abs(y) if name in ("Multiply", "Divide") else np.abs(a) + np.abs(b)
        case = writer.case(f"vv_{name}", f"complex64 {a.size}")
        case.input("a", a, "complex64").input("b", b, "complex64").room("c", a.size, "complex64")
        elementwise.binary(case, name, "complex64", "vv", a.size)
        scale = np.repeat(size + 1e-6, 2).astype(np.float32)
        case.expect("c", y, "complex64", scale=scale, tolerance=8 * 2.0**-24, unit="of |y|")


def write_select(writer: Writer) -> None:
    for dtype in ("float32", "float16", "bfloat16", "int8", "uint16", "int64", "bool_"):
        for prefix, many, size in (("v", False, 37), ("v", True, 1031), ("vs", False, 45), ("sv", True, 1033)):
            b, c = arrays.values(1, size, dtype), arrays.values(2, size, dtype)
            condition = arrays.values(3, size, "bool_")
            if prefix == "vs":
                c = c[:1]
            if prefix == "sv":
                b = b[:1]
            if many and arrays.size_of(dtype) >= 8:
                continue
            case = writer.case(f"{prefix}{'n' if many else ''}_Select", f"{dtype} {size}")
            case.input("a", condition, "bool_").input("b", b, dtype).input("c", c, dtype).room("d", size, dtype)
            elementwise.select(case, dtype, size, prefix, many)
            case.expect("d", np.where(condition, b, c), dtype)


def write(writer: Writer) -> None:
    for number, op in enumerate(FLOAT_OPS):
        write_float(writer, number, op)
    write_integers(writer)
    write_logic(writer)
    write_complex(writer)
    write_select(writer)
