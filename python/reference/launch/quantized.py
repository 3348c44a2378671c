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
