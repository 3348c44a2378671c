"""All kernel families on small data: odd sizes, strides, one element, special values, every element type.

Each module writes the cases of one kind of kernel. Expected results are computed in double precision, exactly
for integers, or by MLX's CPU operator where that is the definition.
"""

import mlx.core as mx

from ..cases import Writer
from . import (attention, binary, copies, gathers, lookups, matmuls, microscaled, quantised, reductions, rotations, rows,
               scans, sorts, transforms, unary)

MODULES = (unary, binary, copies, rows, scans, reductions, sorts, lookups, rotations, matmuls, quantised, microscaled,
           gathers, attention, transforms)


def write(writer: Writer) -> None:
    mx.set_default_device(mx.cpu)
    for module in MODULES:
        writer.group = module.__name__.rpartition(".")[2]
        module.write(writer)
