"""Products with affinely quantised matrices, and the conversions."""

from __future__ import annotations

from ..cases import Case, ceil_div, i32, i32s, i64s

KERNEL_TYPES = {"float32": "float", "float16": "float16_t", "bfloat16": "bfloat16_t"}
ROWS_PER_GROUP = 8


def qmv(case: Case, dtype: str, vectors: int, outputs: int, inputs: int, group: int, bits: int) -> None:
    """``y = x Wᵀ`` for a few vectors."""
    kind = KERNEL_TYPES[dtype]
    fast = inputs % 512 == 0
    partial = int(fast and outputs % ROWS_PER_GROUP != 0)
    name = f"affine_qmv{'_fast' if fast else ''}_{kind}_gs_{group}_b_{bits}_batch_0_pr_{partial}_hgs_0_r_4"
    args = ["@w", "@scales", "@biases", "@x", "@y", i32(inputs), i32(outputs), i32(0), i32s([vectors, inputs]),
            i64s([inputs, 1]), i32(0), i32s([1]), i64s([0]), i64s([0]), i64s([0])]
    groups = (vectors, ceil_div(outputs, ROWS_PER_GROUP), 1)
    case.step(name, args, threadgroup=(32, 2), threadgroups=groups)


def qmv_quad(case: Case, dtype: str, vectors: int, outputs: int, inputs: int, group: int, bits: int) -> None:
    """As :func:`qmv` for 64 or 128 inputs: four threads give an output."""
    name = f"affine_qmv_quad_{KERNEL_TYPES[dtype]}_gs_{group}_b_{bits}_d_{inputs}_batch_0"
    args = ["@w", "@scales", "@biases", "@x", "@y", i32(inputs), i32(outputs), *_unbatched(vectors, inputs)]
    case.step(name, args, threadgroup=32, threadgroups=(vectors, ceil_div(outputs, 64), 1))


def fp_qmv(case: Case, mode: str, dtype: str, vectors: int, outputs: int, inputs: int, group: int, bits: int) -> None:
    """As :func:`qmv`, for the formats of small floating-point numbers; ``one`` is a scale that is not used."""
    fast = inputs % 512 == 0
    partial = int(fast and outputs % ROWS_PER_GROUP != 0)
    kind = KERNEL_TYPES[dtype]
    name = f"{mode}_qmv{'_fast' if fast else ''}_{kind}_gs_{group}_b_{bits}_batch_0_pr_{partial}_hgs_0_r_4"
    args = ["@w", "@scales", "@one", "@x", "@y", i32(inputs), i32(outputs), i32(0), i32s([vectors, inputs]),
            i64s([inputs, 1]), i32(0), i32s([1]), i64s([0]), i64s([0])]
    case.step(name, args, threadgroup=(32, 2), threadgroups=(vectors, ceil_div(outputs, ROWS_PER_GROUP), 1))


def gather_qmv(case: Case, dtype: str, products: int, vectors: int, matrices: int, outputs: int, inputs: int,
               group: int, bits: int) -> None:
    """Row ``i`` of ``y`` is vector ``lhs[i]`` times matrix ``rhs[i]``, transposed."""
    fast = inputs % 512 == 0 and outputs % ROWS_PER_GROUP == 0
    name = f"affine_gather_qmv{'_fast' if fast else ''}_{KERNEL_TYPES[dtype]}_gs_{group}_b_{bits}"
    words, scales = outputs * inputs * bits // 32, outputs * inputs // group
    args = ["@w", "@scales", "@biases", "@x", "@lhs", "@rhs", "@y", i32(inputs), i32(outputs),
            i32(1), i32s([vectors, 1, inputs]), i64s([inputs, inputs, 1]),
            i32(1), i32s([matrices, outputs, inputs]), i64s([words]), i64s([scales]), i64s([scales]),
            i32(1), i32s([products]), i64s([1]), i64s([1])]
    case.step(name, args, threadgroup=(32, 2), threadgroups=(1, ceil_div(outputs, ROWS_PER_GROUP), products))


def qvm(case: Case, dtype: str, vectors: int, outputs: int, inputs: int, group: int, bits: int) -> None:
    """``y = x W``: the rows of ``W`` are quantised along the outputs."""
    name = f"affine_qvm_{KERNEL_TYPES[dtype]}_gs_{group}_b_{bits}_batch_0"
    args = ["@w", "@scales", "@biases", "@x", "@y", i32(inputs), i32(outputs), *_unbatched(vectors, inputs)]
    case.step(name, args, threadgroup=(32, 2), threadgroups=(vectors, ceil_div(outputs, 64), 1))


def qmm(case: Case, dtype: str, rows: int, outputs: int, inputs: int, group: int, bits: int, transposed: bool) -> None:
    """Tiled products with many vectors: ``x Wᵀ`` when ``transposed``, else ``x W``."""
    aligned = f"_alN_{'true' if outputs % 32 == 0 else 'false'}" if transposed else ""
    kind = "t" if transposed else "n"
    name = f"affine_qmm_{kind}_{KERNEL_TYPES[dtype]}_gs_{group}_b_{bits}{aligned}_batch_0"
    args = ["@w", "@scales", "@biases", "@x", "@y", i32(inputs), i32(outputs), i32(rows), *_unbatched(rows, inputs)]
    case.step(name, args, threadgroup=(32, 2, 2), threadgroups=(ceil_div(outputs, 32), ceil_div(rows, 32), 1))


def _unbatched(rows: int, inputs: int) -> list[str]:
    return [i32(0), i32s([rows, inputs]), i64s([inputs, 1]), i32(0), i32s([1]), i64s([0]), i64s([0]), i64s([0])]


def quantize(case: Case, dtype: str, size: int, group: int, bits: int) -> None:
    """A simdgroup quantises a group."""
    threads = size // (group // 32)
    name = f"affine_quantize_{KERNEL_TYPES[dtype]}_gs_{group}_b_{bits}"
    case.step(name, ["@x", "@w", "@scales", "@biases"], threadgroup=min(threads, 1024), grid=threads)


def dequantize(case: Case, dtype: str, size: int, group: int, bits: int) -> None:
    """A thread unpacks one to five bytes."""
    pack = {3: 8, 5: 8, 6: 4}.get(bits, 8 // bits)
    threads = size // pack
    name = f"affine_dequantize_{KERNEL_TYPES[dtype]}_gs_{group}_b_{bits}"
    case.step(name, ["@w", "@scales", "@biases", "@y"], threadgroup=min(threads, 1024), grid=threads)
