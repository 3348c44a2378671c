"""Matrix products: all layouts and tilings, aligned and not, batches, sums with a third matrix, vectors."""

from __future__ import annotations

import numpy as np

from .. import arrays
from ..cases import Case, Writer, i32, sum_tolerance
from ..launch import matmul

TILINGS = ((64, 64, 16, 2, 2), (64, 64, 16, 1, 2), (64, 32, 32, 2, 2), (32, 64, 16, 1, 2), (32, 32, 16, 2, 2),
           (64, 32, 8, 4, 1))
SHAPES = ((1, 1, 1), (3, 5, 7), (64, 64, 32), (65, 33, 17), (128, 96, 100))


def judge(case: Case, a: np.ndarray, b: np.ndarray, dtype: str, add=None) -> None:
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        y, scale = wide_a @ wide_b, np.abs(wide_a) @ np.abs(wide_b)
    if add is not None:
        alpha, beta, c = add
        y, scale = alpha * y + beta * c, abs(alpha) * scale + abs(beta) * np.abs(c)
    tolerance = sum_tolerance(a.shape[-1], dtype) + arrays.ROUNDOFF[dtype]
    case.expect("y", y, scale=np.where(np.isfinite(scale), scale, 1) + 1e-30, tolerance=tolerance, unit="of Σ|ab|")


def stored(x: np.ndarray, transposed: bool) -> np.ndarray:
    return np.ascontiguousarray(np.swapaxes(x, -1, -2)) if transposed else x


def write_gemm(writer: Writer) -> None:
    for dtype in arrays.FLOATS:
        for number, (m, n, k) in enumerate(SHAPES):
            for layout in ("nn", "nt", "tn", "tt"):
                for tiles in TILINGS if dtype == "float32" else TILINGS[:2]:
                    if (number + TILINGS.index(tiles)) % 2 and layout != "nn":
                        continue
                    a, b = arrays.values(m, (m, k), dtype), arrays.values(n, (k, n), dtype)
                    tiling = "×".join(map(str, tiles))
                    case = writer.case(f"steel_gemm_fused_{layout}", f"{dtype} {m}×{n}×{k} tiles {tiling}")
                    case.input("a", stored(a, layout[0] == "t"), dtype).input("b", stored(b, layout[1] == "t"), dtype)
                    case.room("y", (m, n), dtype)
                    matmul.gemm(case, dtype, m, n, k, layout, tiles)
                    judge(case, a, b, dtype)
        a, b = arrays.values(1, (3, 20, 40), dtype), arrays.values(2, (3, 40, 36), dtype)
        case = writer.case("steel_gemm_fused_nn", f"{dtype} batch of 3")
        case.input("a", a, dtype).input("b", b, dtype).room("y", (3, 20, 36), dtype)
        matmul.gemm(case, dtype, 20, 36, 40, batch=3)
        judge(case, a, b, dtype)
        for alpha, beta in ((1.0, 1.0), (0.5, -2.0)):
            for m, n, k in ((33, 65, 20), (64, 64, 16)):
                a, b, c = arrays.values(3, (m, k), dtype), arrays.values(4, (k, n), dtype), arrays.values(5, (m, n), dtype)
                case = writer.case("steel_gemm_fused_nn", f"{dtype} {m}×{n}×{k} {alpha}·AB + {beta}·C")
                case.input("a", a, dtype).input("b", b, dtype).input("c", c, dtype).room("y", (m, n), dtype)
                matmul.gemm(case, dtype, m, n, k, addmm=(alpha, beta))
                if m % 64:
                    case.strays("the safe epilogue checks the columns of C and not its rows")
                judge(case, a, b, dtype, (alpha, beta, c))
        for layout in ("nn", "nt", "tn", "tt"):
            for m, n, k in ((32, 32, 96), (33, 20, 96), (32, 64, 100), (7, 9, 500)):
                a, b = arrays.values(m, (m, k), dtype), arrays.values(n, (k, n), dtype)
                case = writer.case(f"steel_gemm_splitk_{layout}", f"{dtype} {m}×{n}×{k}")
                case.input("a", stored(a, layout[0] == "t"), dtype).input("b", stored(b, layout[1] == "t"), dtype)
                case.room("y", (m, n), dtype)
                matmul.gemm_split(case, dtype, m, n, k, layout)
                judge(case, a, b, dtype)
    # An empty sum is zero.
    a, b = np.zeros((3, 0), np.float32), np.zeros((0, 5), np.float32)
    case = writer.case("steel_gemm_fused_nn", "float32 3×5×0")
    case.input("a", a, "float32").input("b", b, "float32").room("y", (3, 5), "float32")
    matmul.gemm(case, "float32", 3, 5, 0)
    case.expect("y", np.zeros((3, 5)))
    a, b = arrays.values(6, (40, 40), "float32"), arrays.values(7, (40, 40), "float32")
    a[3, 5], a[7, 1], b[2, 9] = np.inf, np.nan, -np.inf
    case = writer.case("steel_gemm_fused_nn", "float32 NaN and infinities")
    case.input("a", a, "float32").input("b", b, "float32").room("y", (40, 40), "float32")
    matmul.gemm(case, "float32", 40, 40, 40)
    judge(case, a, b, "float32")


def write_gemv(writer: Writer) -> None:
    shapes = ((1, 1), (3, 5), (2, 100), (4, 64), (7, 129), (33, 30), (100, 257), (513, 40), (2050, 31), (4100, 9), (5, 300))
    for dtype in arrays.FLOATS:
        for rows, columns in shapes:
            for transposed in (False, True):
                for axpby in (None, (0.5, -2.0)):
                    a, x = arrays.values(rows, (rows, columns), dtype), arrays.values(columns, rows if transposed else columns, dtype)
                    outputs = columns if transposed else rows
                    c = arrays.values(8, outputs, dtype)
                    family = f"gemv{'_t' if transposed else ''}{'_axpby' if axpby else ''}"
                    case = writer.case(family, f"{dtype} {rows}×{columns}")
                    case.input("a", a, dtype).input("x", x, dtype).room("y", outputs, dtype)
                    if axpby:
                        case.input("c", c, dtype)
                    (matmul.gemv_transposed if transposed else matmul.gemv)(case, dtype, rows, columns, axpby)
                    left = np.swapaxes(a, 0, 1) if transposed else a
                    judge(case, left, x, dtype, (*axpby, c) if axpby else None)


def write_dot(writer: Writer) -> None:
    per_group = 32 * 512
    for dtype in arrays.FLOATS:
        for size in (1, 7, 1000, 16384, 20001):
            a, b = arrays.values(size, size, dtype), arrays.values(size + 1, size, dtype)
            groups = -(-size // per_group)
            padded = np.zeros(groups * per_group)
            wide = a.astype(np.float64) * b
            padded[:size] = wide
            y = padded.reshape(groups, per_group).sum(1)
            padded[:size] = np.abs(wide)
            scale = padded.reshape(groups, per_group).sum(1)
            case = writer.case("dot_product", f"{dtype} {size}")
            case.input("a", a, dtype).input("b", b, dtype).room("y", groups, "float32")
            case.step(f"dot_product_{dtype}_it32_tg512_sg16", ["@a", "@b", "@y", i32(size)], threadgroup=512,
                      threadgroups=groups)
            case.expect("y", y, scale=scale, tolerance=sum_tolerance(per_group, "float32"), unit="of Σ|ab|")


def write(writer: Writer) -> None:
    write_gemm(writer)
    write_gemv(writer)
    write_dot(writer)
