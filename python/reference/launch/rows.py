"""Kernels that give each row of a matrix a threadgroup: norms, softmax, logsumexp."""

from __future__ import annotations

from ..cases import Case, ceil_div, f32, i32, u32
from . import rounded_up

READS = 4
LOOPED_LIMIT = 4096
# The layer norm reads more in each thread. Threads that lie far past the row would write before their private
# array, so the threadgroup is no larger than the row needs.
LAYER_NORM_READS = 8
LAYER_NORM_LOOPED_LIMIT = 6656


def _threads(axis: int, looped: bool, reads: int = READS) -> int:
    return 1024 if looped else rounded_up(ceil_div(axis, reads))


def rms_norm(case: Case, dtype: str, rows: int, axis: int, eps: float, w_stride: int = 1, looped=None) -> None:
    looped = axis > LOOPED_LIMIT if looped is None else looped
    threads = _threads(axis, looped)
    args = ["@x", "@w", "@y", f32(eps), u32(axis), u32(w_stride)]
    case.step(f"rms{'_looped' if looped else ''}{dtype}", args, threadgroup=threads, grid=rows * threads)


def layer_norm(case: Case, dtype: str, rows: int, axis: int, eps: float, strides=(1, 1), looped=None) -> None:
    looped = axis > LAYER_NORM_LOOPED_LIMIT if looped is None else looped
    threads = _threads(axis, looped, LAYER_NORM_READS)
    args = ["@x", "@w", "@b", "@y", f32(eps), u32(axis), u32(strides[0]), u32(strides[1])]
    case.step(f"layer_norm{'_looped' if looped else ''}{dtype}", args, threadgroup=threads, grid=rows * threads)


def softmax(case: Case, dtype: str, rows: int, axis: int, precise=False, looped=None) -> None:
    looped = axis > LOOPED_LIMIT if looped is None else looped
    threads = _threads(axis, looped)
    name = f"{'looped' if looped else 'block'}_softmax_{'precise_' if precise else ''}{dtype}"
    case.step(name, ["@x", "@y", i32(axis)], threadgroup=threads, grid=rows * threads)


def logsumexp(case: Case, dtype: str, rows: int, axis: int, looped=None) -> None:
    looped = axis > LOOPED_LIMIT if looped is None else looped
    threads = _threads(axis, looped)
    name = f"{'looped' if looped else 'block'}_logsumexp_{dtype}"
    case.step(name, ["@x", "@y", i32(axis)], threadgroup=threads, grid=rows * threads)
