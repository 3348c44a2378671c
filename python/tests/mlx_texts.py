"""Prints, as JSON, what MLX says of kernels in exported functions: with MLX alone, or with metalworking joined.

usage: mlx_texts.py stock|metalworking
"""

from __future__ import annotations

import itertools
import json
import struct
import sys
import tempfile
from pathlib import Path

if sys.argv[1] == "metalworking":
    import metalworking.mlx  # noqa: F401
import mlx.core as mx
from mlx_dtypes import DTYPES

SHAPES = [(), (1,), (7,), (8,), (0,), (2, 3), (2, 4), (1, 1), (4, 1, 2), (3, 0)]
SOURCES = [
    "",
    "uint elem = thread_position_in_grid.x;\n    out0[elem] = 1;\n",
    "in0_shape[0]; in0_strides[0]; in0_ndim;",
    "in1_shape; uint3 p = threads_per_grid;",
    "// dispatch_threads_per_threadgroup",
    "thread_index_in_simdgroup simdgroup_index_in_threadgroup threads_per_simdgroup",
    "out0_shape; in10_shape; xin0_ndim",
    "grid_origin grid_size thread_execution_width quadgroups_per_threadgroup",
]
TEMPLATES = [
    None,
    [],
    [("T", mx.float32)],
    [("T", mx.bfloat16), ("N", 5), ("FLAG", True)],
    [("A", False), ("B", True), ("C", 0), ("D", 2147483647)],
    [("U", mx.bool_), ("V", mx.complex64), ("W", mx.uint64)],
]
# Stream -1 of device type 1: what a kernel that was exported without Metal says it runs on.
ON_ANY_GPU = struct.pack("<ii", -1, 1)
HEADERS = ["", "#define TWICE(x) (2 * (x))\n", "constant int x = 3;"]


def kernel_of(function, *arrays):
    found = []

    def note(entry):
        if entry["type"] == "primitive" and entry["name"] == "CustomKernel":
            found.append(entry["arguments"])

    mx.export_function(note, function, *arrays)
    (only,) = found
    return only


def call(inputs, outputs, source, *, template=None, header="", name="k", **options):
    run = {key: options.pop(key) for key in ("grid", "threadgroup", "init_value", "verbose") if key in options}
    kernel = mx.fast.metal_kernel(
        name=name,
        input_names=[f"in{index}" for index in range(len(inputs))],
        output_names=[f"out{index}" for index in range(len(outputs))],
        source=source,
        header=header,
        **options,
    )

    def function(*arrays):
        return kernel(
            inputs=list(arrays),
            template=template,
            output_shapes=[shape for shape, _ in outputs],
            output_dtypes=[dtype for _, dtype in outputs],
            **{"grid": (4, 1, 1), "threadgroup": (4, 1, 1), **run},
        )

    return function, [mx.zeros(shape, dtype=dtype) for shape, dtype in inputs]


def cases():
    one = [((16,), mx.float32)]
    for dtype in DTYPES:
        for shape in SHAPES:
            yield f"{dtype} {shape}", call([(shape, dtype)], [((3,), dtype)], "in0_shape in0_ndim")
    for source, template, header in itertools.product(SOURCES, TEMPLATES, HEADERS):
        yield f"{source!r} {template} {header!r}", call(one, one, source, template=template, header=header)
    for dtype in DTYPES:
        yield f"atomic {dtype}", call(one, [((2, 2), dtype)], "threads_per_grid", atomic_outputs=True)
    many = [((), mx.int8), ((3,), mx.uint16), ((20,), mx.float16)]
    yield "many", call(many, one * 3, "in2_strides thread_position_in_grid", template=TEMPLATES[3])
    yield "outputs without facts", call(many, one * 2, "")
    yield "no inputs", call([], one, "thread_position_in_grid")
    yield "name", call(one, one, "", name="a_b_c9")
    yield "options", call(one, one, "", ensure_row_contiguous=False, grid=(5, 6, 7), threadgroup=(1, 2, 3))
    yield "init", call(one, one, "", init_value=2.5)
    constant, _ = call(one, one, "in0_ndim thread_position_in_grid")
    yield "constants", (lambda a: [constant(mx.zeros((16,)))[0] + a], [mx.zeros((16,))])
    for mode in ("safe", "relaxed", "fast"):
        yield f"mode {mode}", call(one, one, "", compile_options={"math_mode": mode})


def main():
    texts = {}
    for label, (function, arrays) in cases():
        texts[label] = kernel_of(function, *arrays)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "function.mlxfn"
            mx.export_function(str(path), function, *arrays)
            # A file names arrays by their addresses, so that no two are equal.
            content = path.read_bytes()
            texts[f"{label}, file"] = [len(content), content.count(ON_ANY_GPU)]
    function, arrays = call([((9,), mx.float32)], [((9,), mx.float32)], "thread_position_in_grid", verbose=True)
    print(json.dumps(texts))
    print("verbose:")
    sys.stdout.flush()
    kernel_of(function, *arrays)


main()
