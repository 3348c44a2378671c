"""Arrays of Metal's element types: bfloat16 beside NumPy's own, files, roundings.

A bfloat16 array is carried as ``float32`` values that bfloat16 can hold; only files have the 16-bit form.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

# Names as kernels spell them, with NumPy's type and the name in launch manifests.
_TABLE = {
    "bool_": (np.bool_, "bool"),
    "int8": (np.int8, "i8"),
    "uint8": (np.uint8, "u8"),
    "int16": (np.int16, "i16"),
    "uint16": (np.uint16, "u16"),
    "int32": (np.int32, "i32"),
    "uint32": (np.uint32, "u32"),
    "int64": (np.int64, "i64"),
    "uint64": (np.uint64, "u64"),
    "float16": (np.float16, "f16"),
    "bfloat16": (np.float32, "bf16"),
    "float32": (np.float32, "f32"),
    "float64": (np.float64, "f64"),
    "complex64": (np.complex64, "complex64"),
}

FLOATS = ("float32", "float16", "bfloat16")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")

# Unit roundoff: half the distance from 1 to the next number.
ROUNDOFF = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8, "complex64": 2.0**-24}


def numpy_type(dtype: str) -> type:
    """The NumPy type that carries values of a kernel's type."""
    return _TABLE[dtype][0]


def manifest_type(dtype: str) -> str:
    """The name of a kernel's type in launch manifests."""
    return _TABLE[dtype][1]


def size_of(dtype: str) -> int:
    """Bytes of an element."""
    return 2 if dtype == "bfloat16" else np.dtype(numpy_type(dtype)).itemsize


def to_bfloat16_bits(values: np.ndarray) -> np.ndarray:
    """Rounds ``float32`` to nearest even bfloat16; NaN stays a quiet NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    return np.where(np.isnan(values), quiet, rounded).astype(np.uint16)


def rounded(values: np.ndarray, dtype: str) -> np.ndarray:
    """Values rounded to a kernel's type, in the NumPy type that carries it."""
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype == "bfloat16":
            bits = to_bfloat16_bits(np.asarray(values, np.float32)).astype(np.uint32) << np.uint32(16)
            return bits.view(np.float32).reshape(np.shape(values))
        return np.asarray(values).astype(numpy_type(dtype))


def save(path: Path, values: np.ndarray, dtype: str) -> None:
    """Writes a ``.npy`` file; bfloat16 as two-byte voids."""
    values = np.ascontiguousarray(values)
    if dtype == "bfloat16":
        values = to_bfloat16_bits(values).view("V2")
    np.save(path, values)


@dataclass(frozen=True)
class Layout:
    """Where the elements of a strided array lie in a buffer, in elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @staticmethod
    def contiguous(shape: tuple[int, ...]) -> Layout:
        strides, step = [], 1
        for extent in reversed(shape):
            strides.append(step)
            step *= extent
        return Layout(tuple(shape), tuple(reversed(strides)))


def values(seed: int, shape: tuple[int, ...] | int, dtype: str, low: float = -2.0, high: float = 2.0) -> np.ndarray:
    """Seeded values: normal-like floats within bounds, or integers over a modest range."""
    rng = np.random.default_rng(seed)
    if dtype == "bool_":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype == "complex64":
        return (rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(np.complex64)
    if dtype in INTEGERS:
        info = np.iinfo(numpy_type(dtype))
        return rng.integers(max(info.min, -100), min(info.max, 100), shape, endpoint=True).astype(numpy_type(dtype))
    return rounded(rng.uniform(low, high, shape), dtype)


def extremes(dtype: str) -> np.ndarray:
    """The values that kernels get wrong: zeros, ones, infinities, NaN, the largest and smallest numbers."""
    if dtype == "bool_":
        return np.array([False, True])
    if dtype in INTEGERS:
        info = np.iinfo(numpy_type(dtype))
        some = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1, info.max // 2]
        return np.array(some + ([-1, -2, -3] if info.min < 0 else []), numpy_type(dtype))
    largest = {"float32": 3.4028234663852886e38, "float16": 65504.0, "bfloat16": 3.3895313892515355e38}
    smallest = {"float32": 2.0**-126, "float16": 2.0**-14, "bfloat16": 2.0**-126}
    if dtype == "complex64":
        parts = [0.0, 1.0, -1.0, 0.5, -2.0, 1e-3, 10.0]
        return np.array([complex(a, b) for a in parts for b in parts], np.complex64)
    big, small = largest[dtype], smallest[dtype]
    some = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 10.0, -10.0, 1e-3, -1e-3, 100.0, -100.0]
    some += [np.inf, -np.inf, np.nan, big, -big, small, -small, np.pi, -np.pi, np.pi / 2, 0.999, 1.001]
    return rounded(np.array(some), dtype)
