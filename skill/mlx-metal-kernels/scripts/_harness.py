"""What the scripts share: MLX with Metal kernels, a comparison that can fail, a table, honest timing.

The kernels do not need this file: to use one elsewhere, copy its `HEADER`, `SOURCE` and function.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

# Off a Mac this import gives MLX its Metal kernels; on a Mac MLX has them and it changes nothing.
with contextlib.suppress(ModuleNotFoundError):
    import metalworking.mlx  # noqa: F401
import mlx.core as mx
import numpy as np

FLOATS = (mx.float32, mx.float16, mx.bfloat16)

# |got - want| may be up to tolerance * (scale + |want|), element by element; scale, 1 unless a script says
# otherwise, is the size of a typical result. `want` is computed in float32 from
# the same inputs; the kernels accumulate in float32 too, so that for the 16-bit types what is left is the
# rounding of the result (2^-11 and 2^-8), here with a factor of two to four to spare.
TOLERANCE = {mx.float32: 1e-5, mx.float16: 1e-3, mx.bfloat16: 8e-3}


def name_of(dtype: mx.Dtype) -> str:
    """`float16` of `mlx.core.float16`."""
    return str(dtype).rsplit(".", 1)[-1]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Left-aligned first column, right-aligned others."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


class Report:
    """Comparisons of one script; `finish` prints a line for each kind and type, and every failure."""

    def __init__(self, title: str):
        self.title = title
        self.kinds: dict[tuple[str, str, float], list[float]] = {}
        self.failures: list[str] = []

    def compare(
        self,
        kind: str,
        case: object,
        got: mx.array,
        want: mx.array,
        tolerance: float | None = None,
        scale: float = 1.0,
    ) -> None:
        """Element by element, NaN equal to NaN; the shapes must agree too."""
        tolerance = TOLERANCE[got.dtype] if tolerance is None else tolerance
        worst = math.inf
        mx.eval(got, want)  # before NumPy asks: it takes an error for "no such protocol" and tries the next
        if got.shape == want.shape:
            # In NumPy, so that no kernel under test takes part in its own judgement.
            got64, want64 = (np.asarray(a.astype(mx.float32), np.float64) for a in (got, want))
            with np.errstate(invalid="ignore"):
                share = np.abs(got64 - want64) / (tolerance * (scale + np.abs(want64)))
            share[(got64 == want64) | (np.isnan(got64) & np.isnan(want64))] = 0
            worst = float(np.nan_to_num(share, nan=math.inf, posinf=math.inf).max(initial=0))
        self.kinds.setdefault((kind, name_of(got.dtype), tolerance), []).append(worst)
        if worst > 1:
            where = f"shape {got.shape}, not {want.shape}" if got.shape != want.shape else f"error {worst:.3g}"
            self.failures.append(f"{kind}, {case}, {name_of(got.dtype)}: {where}")

    def require(self, fact: str, holds: bool) -> None:
        """Something that is true or false."""
        self.kinds.setdefault((fact, "", math.nan), []).append(0.0 if holds else math.inf)
        if not holds:
            self.failures.append(fact)

    def finish(self) -> int:
        """Prints the table; 0 when everything agreed, else 1."""
        rows = []
        for (kind, dtype, tolerance), errors in self.kinds.items():
            figures = [f"{max(errors):.2f}", f"{tolerance:.0e}"] if dtype else ["", ""]
            rows.append([kind, dtype, str(len(errors)), *figures, "ok" if max(errors) <= 1 else "FAIL"])
        print(f"{self.title}: worst error as a share of the tolerance")
        print(table(["what", "dtype", "cases", "error", "tolerance", ""], rows))
        for failure in self.failures:
            print(f"FAILED: {failure}")
        return 1 if self.failures else 0


def milliseconds(function: Callable[[], object], rounds: int = 15, sample_ms: float = 4.0) -> float:
    """Median time of one call.

    Warm-up first (compilation, caches, clocks); then samples of enough calls in one `mx.eval` to outweigh the
    cost of waiting for the GPU, which is of the order of 0.1 ms and would hide any smaller kernel.
    """

    def sample(calls: int) -> float:
        start = time.perf_counter()
        mx.eval([function() for _ in range(calls)])
        mx.synchronize()
        return (time.perf_counter() - start) * 1e3

    sample(1)
    calls = max(1, min(200, math.ceil(sample_ms / max(min(sample(1) for _ in range(2)), 1e-3))))
    sample(calls)
    return statistics.median(sample(calls) for _ in range(rounds)) / calls


class Bench:
    """Timings of one problem, the first row being the one to beat."""

    def __init__(self, title: str, *, bytes_moved: int = 0, flops: int = 0):
        self.title = title
        self.bytes_moved = bytes_moved
        self.flops = flops
        self.rows: list[tuple[str, float]] = []

    def add(self, name: str, function: Callable[[], object], **options: float) -> float:
        """Times a function that returns arrays."""
        self.rows.append((name, milliseconds(function, **options)))
        return self.rows[-1][1]

    def finish(self, roof_gb_per_s: float | None = None) -> None:
        """Prints the table; with a roof also the share of the chip's bandwidth."""
        header, rows = ["what", "ms", "speed-up"], []
        if self.bytes_moved:
            header += ["GB/s"] + (["of roof"] if roof_gb_per_s else [])
        if self.flops:
            header.append("GFLOP/s")
        for name, ms in self.rows:
            row = [name, f"{ms:.4f}", f"{self.rows[0][1] / ms:.2f}x"]
            if self.bytes_moved:
                rate = self.bytes_moved / ms / 1e6
                row += [f"{rate:.1f}"] + ([f"{rate / roof_gb_per_s:.0%}"] if roof_gb_per_s else [])
            if self.flops:
                row.append(f"{self.flops / ms / 1e6:.1f}")
            rows.append(row)
        print(f"\n{self.title}")
        print(table(header, rows))


def chips() -> dict[str, dict]:
    """Chips by slug (`m4-max`): device name, bandwidths; generated from metalworking's machine data."""
    return json.loads((Path(__file__).parent / "chips.json").read_text())


def roof_gb_per_s(chip: str | None) -> float | None:
    """Specified bandwidth of a chip: the named one, else this Mac's; `None` where there is no Apple GPU."""
    known = chips()
    if chip is not None:
        if chip not in known:
            raise SystemExit(f"no chip `{chip}`; known: {', '.join(known)}")
        return max(known[chip]["bandwidth_gb_per_s"], default=None)
    if sys.platform != "darwin":
        return None
    info = mx.device_info if hasattr(mx, "device_info") else mx.metal.device_info  # older MLX has the latter
    device = info().get("device_name")
    rates = [rate for entry in known.values() if entry["device"] == device for rate in entry["bandwidth_gb_per_s"]]
    return max(rates, default=None)


def main(check: Callable[[], int], bench: Callable[[float | None], None]) -> None:
    """Runs the checks, and with `--bench` the timings after them: a wrong kernel is never timed."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__.splitlines()[0])
    parser.add_argument("--bench", action="store_true", help="time the kernel too, once it is right")
    parser.add_argument("--chip", metavar="NAME", help="whose bandwidth is the roof (m4-max; default: this Mac's)")
    arguments = parser.parse_args()
    roof = roof_gb_per_s(arguments.chip)
    if not mx.metal.is_available():
        raise SystemExit("no Metal here: `pip install metalworking` runs Metal kernels without a Mac")
    mx.random.seed(0)
    failed = check()
    if arguments.bench and not failed:
        bench(roof)
        if sys.platform == "darwin":
            print("\nBefore believing it: mains power, no Low Power Mode, nothing else on the GPU, a second run.")
        else:
            print("\nTimes of this machine's CPU, MLX's and the kernel's: they rank nothing on a Mac's GPU.")
    raise SystemExit(failed)
