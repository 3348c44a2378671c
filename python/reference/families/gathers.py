"""Products in which each row has a matrix of its own, chosen by an index."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Writer, sum_tolerance
from ..launch import quantized as launch
from .quantised import operands, quantised


def write(writer: Writer) -> None:
    lhs, rhs = np.array([2, 0, 1, 1, 2], np.uint32), np.array([3, 3, 0, 1, 2], np.uint32)
    for bits in (2, 3, 4, 5, 6, 8):
        for dtype in arrays.FLOATS:
            for outputs, inputs in ((16, 512), (13, 384)):
                dense = arrays.values(bits, (4, outputs, inputs), dtype)
                x = arrays.values(outputs, (3, inputs), dtype)
                words, s, b, wide, terms = quantised(dense, dtype, 64, bits)
                case = writer.case(f"affine_gather_qmv_b{bits}", f"{dtype} 5 of 4×{outputs}×{inputs}")
                operands(case, words, s, b, x, dtype).room("y", (len(lhs), outputs), dtype)
                case.input("lhs", lhs, "uint32").input("rhs", rhs, "uint32")
                launch.gather_qmv(case, dtype, len(lhs), 3, 4, outputs, inputs, 64, bits)
                chosen = x.astype(np.float64)[lhs][:, None, :]
                y = np.sum(chosen * wide[rhs], -1)
                scale = np.sum(np.abs(chosen) * terms[rhs], -1)
                tolerance = sum_tolerance(inputs, dtype) + 2 * arrays.ROUNDOFF[dtype]
                case.expect("y", y, scale=scale, tolerance=tolerance, unit="of Σ|wx|")
