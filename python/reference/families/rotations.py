"""Rotary position embedding, in all of its kernels."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Writer
from ..launch import rope as launch


def rotated(x: np.ndarray, dims: int, frequency: np.ndarray, scale: float, offset: int, traditional: bool, forward: bool):
    """The rotation in double precision; ``frequency`` has an entry for each pair."""
    wide = x.astype(np.float64)
    angle = (np.arange(x.shape[-2])[:, None] + offset) * scale * frequency[None, :]
    cos, sin = np.cos(angle), np.sin(angle) * (1 if forward else -1)
    y = wide.copy()
    half = dims // 2
    first, second = (slice(0, dims, 2), slice(1, dims, 2)) if traditional else (slice(0, half), slice(half, dims))
    a, b = wide[..., first], wide[..., second]
    y[..., first], y[..., second] = a * cos - b * sin, a * sin + b * cos
    return y


def write(writer: Writer) -> None:
    base = 10000.0
    for dtype in arrays.FLOATS:
        for shape in ((1, 1, 3, 8), (2, 5, 7, 16), (1, 3, 33, 64)):
            for form in range(4):
                traditional, forward = form % 2 == 1, form < 2
                for freqs in (False, True):
                    for large in (False, True):
                        dims = shape[-1]
                        x = arrays.values(form, shape, dtype)
                        d = np.arange(dims // 2) / (dims // 2)
                        wavelengths = np.exp2(d * np.log2(base)).astype(np.float32)
                        frequency = 1 / wavelengths.astype(np.float64) if freqs else np.exp2(-d * np.log2(base))
                        y = rotated(x, dims, frequency, 0.5, 3, traditional, forward)
                        family = f"rope{'_freqs' if freqs else ''}{'_large' if large else ''}"
                        name = f"{dtype} {'×'.join(map(str, shape))}{' pairs' if traditional else ''}"
                        case = writer.case(family, name + ("" if forward else " back"))
                        case.input("x", x, dtype).input("offset", np.array([3], np.int32), "int32")
                        if freqs:
                            case.input("freqs", wavelengths, "float32")
                        case.room("y", shape, dtype)
                        launch.rope(case, dtype, shape, dims, base, 0.5, traditional, forward, freqs, large)
                        # The angle is rounded, so the error is a part of the largest angle.
                        angle = (shape[2] + 3) * 0.5
                        tolerance = (angle * 8 + 8) * 2.0**-24 + arrays.ROUNDOFF[dtype]
                        case.expect("y", y, scale=4.0, tolerance=tolerance, unit="of |x|")
        for heads, width in ((1, 8), (5, 64)):
            for traditional in (False, True):
                for freqs in (False, True):
                    x = arrays.values(width, (heads, width), dtype)
                    d = np.arange(width // 2) / (width // 2)
                    wavelengths = np.exp2(d * np.log2(base)).astype(np.float32)
                    frequency = 1 / wavelengths.astype(np.float64) if freqs else np.exp2(-d * np.log2(base))
                    y = rotated(x[:, None], width, frequency, 1.0, 17, traditional, True)
                    family = f"rope_single{'_freqs' if freqs else ''}"
                    case = writer.case(family, f"{dtype} {heads}×{width}{' pairs' if traditional else ''}")
                    case.input("x", x, dtype).room("y", x.shape, dtype)
                    if freqs:
                        case.input("freqs", wavelengths, "float32")
                    launch.rope_single(case, dtype, heads, width, width, base, 1.0, 17, traditional, freqs)
                    tolerance = (17 * 8 + 8) * 2.0**-24 + arrays.ROUNDOFF[dtype]
                    case.expect("y", y.reshape(x.shape), scale=4.0, tolerance=tolerance, unit="of |x|")
