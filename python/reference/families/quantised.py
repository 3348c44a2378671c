"""Products with affinely quantised matrices, and quantising itself, at every width."""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from .. import arrays
from ..cases import Case, Writer, sum_tolerance
from ..launch import quantized as launch

BITS = (2, 3, 4, 5, 6, 8)


def quantised(dense: np.ndarray, dtype: str, group: int, bits: int) -> tuple[np.ndarray, ...]:
    """Packed words, scales, biases, and the matrix that they stand for in double precision."""
    kind = getattr(mx, dtype)
    w, scales, biases = mx.quantize(mx.array(dense).astype(kind), group, bits)
    words = np.array(w)
    s, b = (np.array(it.astype(mx.float32)) for it in (scales, biases))
    # MLX unpacks in the type's own precision: take the integers and widen ourselves.
    q = np.array(mx.dequantize(w, mx.ones_like(scales), mx.zeros_like(biases), group, bits).astype(mx.float32))
    wide = q.astype(np.float64) * np.repeat(s, group, -1) + np.repeat(b, group, -1)
    terms = q.astype(np.float64) * np.repeat(np.abs(s), group, -1) + np.repeat(np.abs(b), group, -1)
    return words, s, b, wide, terms


def judge(case: Case, x: np.ndarray, wide: np.ndarray, terms: np.ndarray, dtype: str) -> None:
    y = x.astype(np.float64) @ wide
    scale = np.abs(x.astype(np.float64)) @ terms
    # The tiled kernels round each unpacked weight to the type.
    tolerance = sum_tolerance(x.shape[-1], dtype) + (2 * arrays.ROUNDOFF[dtype] if dtype != "float32" else 2.0**-23)
    case.expect("y", y, scale=scale, tolerance=tolerance, unit="of Σ|wx|")


def write_products(writer: Writer) -> None:
    for bits in BITS:
        for dtype in arrays.FLOATS:
            for group in (32, 64, 128):
                if dtype == "bfloat16" and group != 64:
                    continue
                for outputs, inputs, kind in ((16, 512, "fast"), (13, 512, "fast"), (9, 384, ""), (3, 128, "")):
                    if inputs % group:
                        continue
                    dense, x = arrays.values(bits, (outputs, inputs), dtype), arrays.values(group, (2, inputs), dtype)
                    words, s, b, wide, terms = quantised(dense, dtype, group, bits)
                    case = writer.case(f"affine_qmv{'_fast' if kind else ''}_b{bits}", f"{dtype} g{group} {outputs}×{inputs}")
                    operands(case, words, s, b, x, dtype).room("y", (2, outputs), dtype)
                    launch.qmv(case, dtype, 2, outputs, inputs, group, bits)
                    judge(case, x, wide.T, terms.T, dtype)
                dense, x = arrays.values(bits, (40, 128), dtype), arrays.values(group, (33, 128), dtype)
                words, s, b, wide, terms = quantised(dense, dtype, group, bits)
                case = writer.case(f"affine_qmm_t_b{bits}", f"{dtype} g{group} 33×40×128")
                operands(case, words, s, b, x, dtype).room("y", (33, 40), dtype)
                launch.qmm(case, dtype, 33, 40, 128, group, bits, transposed=True)
                judge(case, x, wide.T, terms.T, dtype)
                if bits in (2, 4, 8):
                    case = writer.case(f"affine_qmv_quad_b{bits}", f"{dtype} g{group} 40×128")
                    operands(case, words, s, b, x[:2], dtype).room("y", (2, 40), dtype)
                    launch.qmv_quad(case, dtype, 2, 40, 128, group, bits)
                    judge(case, x[:2], wide.T, terms.T, dtype)
                dense, x = arrays.values(bits, (70, 128), dtype), arrays.values(group, (33, 70), dtype)
                words, s, b, wide, terms = quantised(dense, dtype, group, bits)
                case = writer.case(f"affine_qvm_b{bits}", f"{dtype} g{group} 70×128")
                operands(case, words, s, b, x[:3], dtype).room("y", (3, 128), dtype)
                launch.qvm(case, dtype, 3, 128, 70, group, bits)
                judge(case, x[:3], wide, terms, dtype)
                case = writer.case(f"affine_qmm_n_b{bits}", f"{dtype} g{group} 33×128×70")
                operands(case, words, s, b, x, dtype).room("y", (33, 128), dtype)
                launch.qmm(case, dtype, 33, 128, 70, group, bits, transposed=False)
                judge(case, x, wide, terms, dtype)


def operands(case: Case, words, s, b, x, dtype: str) -> Case:
    case.input("w", words, "uint32").input("scales", s, dtype).input("biases", b, dtype)
    return case.input("x", x, dtype)


def write_conversions(writer: Writer) -> None:
    for bits in BITS:
        for dtype in arrays.FLOATS:
            for group in (32, 64, 128):
                dense = arrays.values(bits, (3, 256), dtype)
                words, s, b, wide, terms = quantised(dense, dtype, group, bits)
                case = writer.case(f"affine_dequantize_b{bits}", f"{dtype} g{group}")
                case.input("w", words, "uint32").input("scales", s, dtype).input("biases", b, dtype)
                case.room("y", dense.shape, dtype)
                launch.dequantize(case, dtype, dense.size, group, bits)
                case.expect("y", wide, scale=terms, tolerance=2.5 * arrays.ROUNDOFF[dtype], ulp=1, unit="of |q s| + |b|")
                if dtype == "float32":
                    # MLX's CPU code and the kernel compute the scale in the same steps.
                    case = writer.case(f"affine_quantize_b{bits}", f"{dtype} g{group}")
                    case.input("x", dense, dtype).room("w", words.shape, "uint32")
                    case.room("scales", s.shape, dtype).room("biases", b.shape, dtype)
                    launch.quantize(case, dtype, dense.size, group, bits)
                    case.expect("w", words, "uint32").expect("scales", s, dtype, ulp=1).expect("biases", b, dtype, ulp=1)


def write(writer: Writer) -> None:
    write_products(writer)
    write_conversions(writer)
