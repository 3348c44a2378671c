"""Matrix products: the tiled kernels, and those for a vector."""

from __future__ import annotations

from ..cases import Case, ceil_div, f32, i32, i32s, i64, i64s, struct
from . import block_dims

TILES = (64, 64, 16, 2, 2)


def gemm(case: Case, dtype: str, m: int, n: int, k: int, layout="nn", tiles=TILES, batch=1, addmm=None) -> None:
    """``C = A B``. ``layout`` says which operand is stored transposed: ``nn``, ``nt``, ``tn``, ``tt``.

    ``addmm`` is (alpha, beta): ``D = alpha A B + beta C``.
    """
    bm, bn, bk, wm, wn = tiles
    lda, ldb = (m if layout[0] == "t" else k), (k if layout[1] == "t" else n)
    tiles_n, tiles_m = ceil_div(n, bn), ceil_div(m, bm)
    swizzle = 0 if tiles_m <= 3 else 1
    params = struct(
        i32(m), i32(n), i32(k), i32(lda), i32(ldb), i32(n), i32(tiles_n), i32(tiles_m),
        i64(m * k), i64(k * n), i64(m * n), i32(swizzle), i32(k // bk), i32(1),
    )
    constants = {10: False, 100: addmm is not None, 110: addmm is not None and addmm != (1.0, 1.0),
                 200: m % bm == 0, 201: n % bn == 0, 202: k % bk == 0}
    args = {0: "@a", 1: "@b", 3: "@y", 4: params}
    if addmm is not None:
        args[2] = "@c"
        args[5] = struct(i32(n), i32(1), i64(m * n), f32(addmm[0]), f32(addmm[1]))
    tile = 1 << swizzle
    groups = (tiles_n * tile, ceil_div(tiles_m, tile), batch)
    name = f"steel_gemm_fused_{layout}_{dtype}_{dtype}_bm{bm}_bn{bn}_bk{bk}_wm{wm}_wn{wn}"
    case.step(name, args, threadgroup=(32, wn, wm), threadgroups=groups, constants=constants)


def gemv(case: Case, dtype: str, rows: int, columns: int, axpby=None) -> None:
    """``y = A x`` for a row-major matrix."""
    bm, bn, sm, sn, tm, tn = 4, 1, 1, 32, 4, 4
    if columns <= 64:
        bm, sm, sn = 1, 8, 4
    elif columns >= 16 * rows:
        bm, bn = 1, 8
    elif rows >= 4096:
        bm = 8
    tm = 1 if rows < 4 else tm
    per_group = bm * sm * tm
    _gemv(case, f"gemv_{dtype}_bm{bm}_bn{bn}_sm{sm}_sn{sn}_tm{tm}_tn{tn}", rows, columns, columns,
          ceil_div(rows, per_group), (32, bn, bm), axpby)


def gemv_transposed(case: Case, dtype: str, rows: int, columns: int, axpby=None) -> None:
    """``y = x A`` for a row-major matrix of ``rows × columns``."""
    bm, sm, sn, tm, tn = 1, 8, 4, 4, 4
    bn = 16 if columns >= 2048 else 4 if columns >= 512 else 2
    if rows >= 8192 and columns >= 2048:
        sm, sn = 4, 8
    tn = 1 if columns < 4 else tn
    per_group = bn * sn * tn
    _gemv(case, f"gemv_t_{dtype}_bm{bm}_bn{bn}_sm{sm}_sn{sn}_tm{tm}_tn{tn}", columns, rows, columns,
          ceil_div(columns, per_group), (32, bn, bm), axpby)


def _gemv(case: Case, name: str, outputs: int, inputs: int, leading: int, groups: int, threadgroup, axpby) -> None:
    alpha, beta = axpby or (1.0, 0.0)
    args = {0: "@a", 1: "@x", 3: "@y", 4: i32(inputs), 5: i32(outputs), 6: i32(leading), 7: f32(alpha), 8: f32(beta),
            9: i32(1), 10: i32s([1]), 11: i64s([0]), 12: i64s([0]), 13: i64s([0]), 14: i32(1)}
    args[2] = "@c" if axpby else "@x"
    case.step(f"{name}_nc0_axpby{int(axpby is not None)}", args, threadgroup=threadgroup, threadgroups=(groups, 1, 1))


def gemm_split(case: Case, dtype: str, m: int, n: int, k: int, layout="nn", parts=3, tiles=(32, 32, 16, 2, 2)) -> None:
    """The inner dimension is divided over threadgroups; a second kernel adds the partial products."""
    bm, bn, bk, wm, wn = tiles
    lda, ldb = (m if layout[0] == "t" else k), (k if layout[1] == "t" else n)
    iterations = k // bk // parts
    size = iterations * bk
    params = struct(
        i32(m), i32(n), i32(k), i32(lda), i32(ldb), i32(n), i32(ceil_div(n, bn)), i32(ceil_div(m, bm)),
        i32(parts), i32(m * n), i32(size), i32(0), i32(iterations),
    )
    case.room("parts", (parts, m, n), "float32")
    aligned = f"MN_{'t' if m % bm == 0 and n % bn == 0 else 'n'}aligned_K_{'t' if k % bk == 0 else 'n'}aligned"
    name = f"steel_gemm_splitk_{layout}_{dtype}_float32_bm{bm}_bn{bn}_bk{bk}_wm{wm}_wn{wn}_{aligned}"
    groups = (ceil_div(n, bn), ceil_div(m, bm), parts)
    case.step(name, ["@a", "@b", "@parts", params], threadgroup=(32, wn, wm), threadgroups=groups)
    args = ["@parts", "@y", i32(parts), i32(m * n), i32(n)]
    case.step(f"steel_gemm_splitk_accum_{dtype}_float32", args, threadgroup=block_dims(n, m), grid=(n, m))
