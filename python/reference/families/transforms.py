"""Fourier transforms, forward and back, against NumPy's in double precision."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Writer
from ..launch import transforms as launch

# Powers of two, each radix alone and with others, rows that do not fill the last threadgroup.
LENGTHS = (2, 3, 4, 5, 7, 8, 11, 13, 16, 30, 49, 60, 64, 77, 143, 169, 210, 256, 343, 512, 625, 1000, 1024, 2048, 2197, 4096)


def write(writer: Writer) -> None:
    for length in LENGTHS:
        for inverse in (False, True):
            batch = 3 if length > 100 else 7
            x = arrays.values(length, (batch, length), "complex64")
            wide = x.astype(np.complex128)
            y = np.fft.ifft(wide) if inverse else np.fft.fft(wide)
            case = writer.case("fft", f"complex64 {batch}×{length}{' back' if inverse else ''}")
            case.input("x", x, "complex64").room("y", x.shape, "complex64")
            launch.fft(case, length, batch, inverse)
            # Twiddle factors come from fast sines: a few units for each of the steps.
            # One for each real and imaginary part.
            scale = np.sqrt(np.sum(np.abs(wide) ** 2, -1, keepdims=True)) / (length if inverse else 1)
            tolerance = 16 * (1 + np.log2(length)) * 2.0**-24
            case.expect("y", y, "complex64", scale=np.repeat(scale, 2 * length, -1), tolerance=tolerance, unit="of |x|₂")
