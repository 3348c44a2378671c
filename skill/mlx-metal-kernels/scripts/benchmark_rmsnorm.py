"""How to time a kernel so that the figure means something, with RMSNorm as the example.

The checklist of SKILL.md as code: right before fast; the honest rivals (`mx.compile`, `mx.fast`), not only
the naive form; warm-up; enough calls in one evaluation to outweigh waiting for the GPU; arrays larger than
the caches, or a word about it; contenders in turn, so that heat and neighbours hit all alike; median and
spread; bytes per second against the chip's roof. Without `--bench` it does so on small arrays, as a test of
itself.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import mlx.core as mx
from _harness import Report, main, name_of, table
from rmsnorm_kernel import rms_norm

EPS = 1e-5
# Largest last-level caches of Apple's chips are near 100 MB; smaller working sets may never touch memory.
CACHE_BYTES = 100e6


def naive(x: mx.array, weight: mx.array) -> mx.array:
    """As one would write it; float32 inside, or half would overflow."""
    wide = x.astype(mx.float32)
    return (wide * mx.rsqrt(mx.mean(wide * wide, axis=-1, keepdims=True) + EPS)).astype(x.dtype) * weight


CONTENDERS: dict[str, Callable[[mx.array, mx.array], mx.array]] = {
    "operators": naive,
    "mx.compile": mx.compile(naive),
    "mx.fast.rms_norm": lambda x, weight: mx.fast.rms_norm(x, weight, EPS),
    "custom kernel": lambda x, weight: rms_norm(x, weight, EPS),
}


def sample_ms(function: Callable[[], mx.array], calls: int) -> float:
    """One call's share of `calls` in a single evaluation."""
    mx.synchronize()  # nothing of before is still running
    start = time.perf_counter()
    mx.eval([function() for _ in range(calls)])  # MLX is lazy: without eval there is nothing to time
    mx.synchronize()
    return (time.perf_counter() - start) * 1e3 / calls


def measure(rows: int, columns: int, dtype: mx.Dtype, rounds: int, roof: float | None) -> dict[str, float]:
    """Prints a table for one shape and returns the medians."""
    x = mx.random.normal((rows, columns)).astype(dtype)
    weight = mx.random.normal((columns,)).astype(dtype)
    mx.eval(x, weight)  # or making the inputs would be timed too

    calls = {}
    for name, function in CONTENDERS.items():
        one = lambda function=function: function(x, weight)  # noqa: E731
        sample_ms(one, 1)  # compiles, fills caches, wakes the clocks
        calls[name] = (one, max(1, min(100, round(4 / max(sample_ms(one, 1), 0.01)))))
    samples: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for _ in range(rounds):
        for name, (one, count) in calls.items():  # in turn
            samples[name].append(sample_ms(one, count))

    moved = 2 * x.nbytes + weight.nbytes  # the least that any implementation must move
    medians = {name: statistics.median(values) for name, values in samples.items()}
    lines = []
    for name, values in samples.items():
        cut = statistics.quantiles(values, n=10) if len(values) > 1 else values * 9
        rate = moved / medians[name] / 1e6
        line = [name, f"{medians[name]:.4f}", f"{cut[0]:.4f} to {cut[-1]:.4f}"]
        line += [f"{medians['operators'] / medians[name]:.2f}x", f"{rate:.1f}"]
        lines.append([*line, f"{rate / roof:.0%}"] if roof else line)
    print(f"\n{rows} x {columns} {name_of(dtype)}, {moved / 1e6:.1f} MB, {rounds} rounds")
    print(table(["what", "median ms", "10% to 90%", "speed-up", "GB/s", *(["of roof"] if roof else [])], lines))
    if moved < CACHE_BYTES:
        print("note: this fits in a cache, so GB/s may pass the memory's roof")
    return medians


def check() -> int:
    """Every contender computes the same, and the measurement yields figures."""
    report = Report("contenders of the benchmark")
    for dtype in (mx.float32, mx.float16):
        x, weight = mx.random.normal((5, 1000)).astype(dtype), mx.random.normal((1000,)).astype(dtype)
        want = mx.fast.rms_norm(x.astype(mx.float32), weight.astype(mx.float32), EPS)
        for name, function in CONTENDERS.items():
            # The naive form rounds twice (before and after the weight), hence twice the tolerance.
            tolerance = 2e-3 if dtype == mx.float16 else None
            report.compare(name, x.shape, function(x, weight), want, tolerance)
    medians = measure(8, 1000, mx.float32, 3, None)
    report.require("times are above zero", all(value > 0 for value in medians.values()))
    print()
    return report.finish()


def bench(roof: float | None) -> None:
    """Decode, prefill, and one beyond the caches."""
    for rows, columns, dtype in [(1, 4096, mx.float16), (512, 4096, mx.float16), (8192, 4096, mx.float32)]:
        measure(rows, columns, dtype, 21, roof)


if __name__ == "__main__":
    main(check, bench)
