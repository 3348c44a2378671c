"""Cases: launches with their data and expected results, written to a folder as JSON and ``.npy`` files."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from pathlib import Path

import numpy as np

from . import arrays

# What buffers that a kernel writes hold before: no kernel's result, so that missing stores are seen.
PREFILL = {"bool_": "0", "float16": "-77", "bfloat16": "-77", "float32": "-77", "complex64": "-77"}


def i32(value: int) -> str:
    return f"i32:{value}"


def u32(value: int) -> str:
    return f"u32:{value}"


def i64(value: int) -> str:
    return f"i64:{value}"


def u64(value: int) -> str:
    return f"u64:{value}"


def f32(value: float) -> str:
    return f"f32:{np.float32(value)!s}"


def boolean(value: bool) -> str:
    return "true" if value else "false"


def i32s(values) -> str:
    return f"i32:[{','.join(str(int(v)) for v in values)}]"


def i64s(values) -> str:
    return f"i64:[{','.join(str(int(v)) for v in values)}]"


def struct(*members: str) -> str:
    """A structure, each member at its alignment."""
    return "{" + ",".join(members) + "}"


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


class Case:
    """One case. ``family`` names all kernels that differ only in types and sizes."""

    def __init__(self, writer: Writer, family: str, name: str, shape: str = "") -> None:
        self.writer = writer
        self.row = {"group": writer.group, "family": family, "name": name, "shape": shape, "buffers": {}, "steps": [], "outputs": []}

    def input(self, name: str, values: np.ndarray, dtype: str) -> Case:
        """A buffer with these values. Strided arrays are written as they lie in memory."""
        self.row["buffers"][name] = f"npy:{self.writer.store(values, dtype)}"
        return self

    def room(self, name: str, shape: tuple[int, ...] | int, dtype: str, fill: str | None = None) -> Case:
        """A buffer that a kernel writes."""
        shape = (shape,) if isinstance(shape, int) else shape
        fill = fill or PREFILL.get(dtype, "77")
        extents = ",".join(str(extent) for extent in shape)
        self.row["buffers"][name] = f"full:{fill}:{arrays.manifest_type(dtype)}[{extents}]"
        return self

    def step(self, kernel: str, args, threadgroup, grid=None, threadgroups=None, constants=None, memory=None) -> Case:
        """A launch. ``args`` is a list, or a dictionary by buffer index; ``None`` binds nothing."""
        pairs = args.items() if isinstance(args, dict) else enumerate(args)
        step = {
            "kernel": kernel,
            "args": {str(index): value for index, value in pairs if value is not None},
            "threadgroup": _three(threadgroup),
        }
        if grid is not None:
            step["grid"] = _three(grid)
        if threadgroups is not None:
            step["threadgroups"] = _three(threadgroups)
        if constants:
            step["constants"] = {
                str(index): boolean(value) if isinstance(value, bool) else str(value)
                for index, value in constants.items()
            }
        if memory:
            step["memory"] = {str(index): length for index, length in memory.items()}
        self.row["steps"].append(step)
        return self

    def expect(self, buffer: str, values, dtype="float64", ulp=0, scale=None, tolerance=0.0, unit="") -> Case:
        """What a buffer holds afterwards: within ``ulp``, or within ``tolerance`` of ``scale``."""
        output = {"buffer": buffer, "expected": self.writer.store(values, dtype), "ulp": int(ulp)}
        if scale is not None:
            is_number = isinstance(scale, (int, float))
            output["scale"] = float(scale) if is_number else self.writer.store(scale, "float32")
            output["tolerance"] = float(tolerance)
            output["unit"] = unit
        self.row["outputs"].append(output)
        return self

    def strays(self, why: str) -> Case:
        """Notes that the kernel reads memory beside an argument, which changes no result but a checker reports."""
        self.row["strays"] = why
        return self

    def measured(self, call: str, seconds: float | None, bytes: int | None = None, flops: int | None = None) -> Case:
        """What MLX's operator is and how long it takes."""
        self.row.update({"mlx_call": call, "mlx_seconds": seconds, "bytes": bytes, "flops": flops})
        return self


def _three(size) -> list[int]:
    size = [size] if isinstance(size, int) else [int(extent) for extent in size]
    return size + [1] * (3 - len(size))


class Writer:
    """Collects cases; arrays with the same contents become one file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder.with_name(f".{folder.name}-{os.getpid()}")
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.cases: list[Case] = []
        self.group = ""
        self._names: set[tuple[str, str, str]] = set()

    def case(self, family: str, name: str, shape: str = "") -> Case:
        if (family, name, shape) in self._names:
            raise ValueError(f"two cases are named {family} {name}")
        self._names.add((family, name, shape))
        case = Case(self, family, name, shape)
        self.cases.append(case)
        return case

    def store(self, values: np.ndarray, dtype: str) -> str:
        """Writes an array once and returns its file name."""
        values = np.ascontiguousarray(values, arrays.numpy_type(dtype))
        head = f"{dtype}{values.shape}".encode()
        digest = hashlib.blake2b(values.tobytes(), digest_size=12, key=head[:64]).hexdigest()
        name = f"{digest}.npy"
        path = self.work / name
        if not path.exists():
            arrays.save(path, values, dtype)
        return name

    def finish(self, identity: dict[str, str]) -> None:
        """Writes the manifest and puts the folder into place."""
        rows = [case.row for case in self.cases]
        manifest = {"versions": identity, "cases": rows}
        (self.work / "manifest.json").write_text(json.dumps(manifest, indent=1))
        shutil.rmtree(self.folder, ignore_errors=True)
        self.work.rename(self.folder)


def is_current(folder: Path, identity: dict[str, str]) -> bool:
    """Whether a folder was written by these versions."""
    try:
        return json.loads((folder / "manifest.json").read_text())["versions"] == identity
    except (OSError, ValueError, KeyError):
        return False


def sum_tolerance(terms: int, dtype: str, accumulated: str = "float32") -> float:
    """How far a sum of ``terms`` products may be from the exact one, as a part of the sum of magnitudes.

    Rounding errors behave like independent ones, so they grow with the root of the number of terms
    (Higham and Mary, 2019); four deviations are allowed, then the rounding to the result's type.
    """
    u = arrays.ROUNDOFF[accumulated]
    return max(8.0, 4.0 * math.sqrt(terms)) * u + (arrays.ROUNDOFF[dtype] if dtype != accumulated else 0.0)
