"""Matrices of small floating-point numbers that share scales (mxfp4, mxfp8, nvfp4), with MLX's CPU operators as
the definition of the formats."""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from .. import arrays
from ..cases import Writer, sum_tolerance
from ..launch import quantized as launch

# Format, elements that share a scale, bits.
FORMATS = (("mxfp4", 32, 4), ("mxfp8", 32, 8), ("nvfp4", 16, 4))


def write(writer: Writer) -> None:
    for mode, group, bits in FORMATS:
        for dtype in arrays.FLOATS:
            for outputs, inputs in ((16, 512), (13, 512), (9, 384), (3, 64)):
                dense, x = arrays.values(bits, (outputs, inputs), dtype), arrays.values(group, (2, inputs), dtype)
                w, scales = mx.quantize(mx.array(dense), group, bits, mode=mode)
                # The numbers themselves and their scales are exact in every type.
                wide = mx.dequantize(w, scales, group_size=group, bits=bits, mode=mode)
                wide = np.array(wide.astype(mx.float32)).astype(np.float64)
                case = writer.case(f"{mode}_qmv", f"{dtype} {outputs}×{inputs}")
                case.input("w", np.array(w), "uint32").input("scales", np.array(scales), "uint8")
                case.input("one", np.ones(1, np.float32), "float32")
                case.input("x", x, dtype).room("y", (2, outputs), dtype)
                launch.fp_qmv(case, mode, dtype, 2, outputs, inputs, group, bits)
                y, terms = x.astype(np.float64) @ wide.T, np.abs(x.astype(np.float64)) @ np.abs(wide.T)
                case.expect("y", y, scale=terms, tolerance=sum_tolerance(inputs, dtype) + 2.0**-23, unit="of Σ|wx|")
