"""`metalworking.metal_kernel` on Torch's tensors.

PyTorch's wheels for Linux bring CUDA along, some gigabytes. Debian's package is for the CPU alone, and the native module
is the same for every Python; so these tests run where a Python with Torch is: this one, or the system's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent

START = """
import metalworking as mw
import torch

def call(source, inputs, shape, dtype, grid=None, threadgroup=(64, 1, 1), **options):
    size = 1
    for length in shape:
        size *= length
    made = mw.metal_kernel(name="t", input_names=["a", "b"][: len(inputs)], output_names=["out"], source=source, **options)
    return made(inputs=inputs, output_shapes=[shape], output_dtypes=[dtype], grid=grid or (size, 1, 1),
                threadgroup=threadgroup)[0]

def refused(kind, words, function):
    try:
        function()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"not refused: {words}")
"""


@cache
def python_with_torch():
    for candidate in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        if candidate is None:
            continue
        done = subprocess.run([candidate, "-c", "import torch, numpy"], capture_output=True, check=False, env={})
        if done.returncode == 0:
            return candidate
    return None


def run(text):
    python = python_with_torch()
    if python is None:
        message = "no Python here has Torch: install Debian's python3-torch, or torch"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    environment = {"PYTHONPATH": str(PACKAGE), "PATH": os.environ.get("PATH", "")}
    done = subprocess.run(
        [python, "-c", START + textwrap.dedent(text)], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr


def test_tensors_of_every_type():
    run("""
    for name in ("float32", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "bool"):
        dtype = getattr(torch, name)
        a = torch.arange(20).to(dtype)
        out = call("out[thread_position_in_grid.x] = a[thread_position_in_grid.x];", [a], a.shape, dtype)
        assert isinstance(out, torch.Tensor) and out.dtype == dtype, out
        assert torch.equal(out, a), (name, out)
    """)


def test_memory_is_used_in_place_and_strides_pass():
    run("""
    a = torch.zeros(4096)
    out = call("out[0] = reinterpret_cast<ulong>(a);", [a], (1,), torch.int64, grid=(1, 1, 1))
    assert out.item() == a.data_ptr()
    b = torch.arange(12.0).reshape(3, 4)
    flat = "out[thread_position_in_grid.x] = a[thread_position_in_grid.x];"
    assert torch.equal(call(flat, [b.T], (4, 3), torch.float32), b.T)
    strided = "uint i = thread_position_in_grid.x; out[i] = a[(i / 3) * a_strides[0] + (i % 3) * a_strides[1]];"
    assert torch.equal(call(strided, [b.T], (4, 3), torch.float32, ensure_row_contiguous=False), b.T)
    """)


def test_numbers_and_parameters():
    run("""
    weight = torch.nn.Parameter(torch.ones(8))
    out = call("out[thread_position_in_grid.x] = a[thread_position_in_grid.x] + b;", [weight, 2], (8,), "float32")
    assert isinstance(out, torch.Tensor) and out.tolist() == [3.0] * 8
    out = call("out[thread_position_in_grid.x] = 7;", [], (3,), torch.float16)
    assert out.dtype == torch.float16 and out.tolist() == [7, 7, 7]
    """)


def test_conjugates_are_resolved():
    run("""
    a = torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex64).conj()
    out = call("out[thread_position_in_grid.x] = a[thread_position_in_grid.x];", [a], (2,), torch.complex64)
    assert torch.equal(out, torch.tensor([1 - 2j, 3 + 4j], dtype=torch.complex64))
    """)


def test_what_is_no_memory_of_this_machine_is_refused():
    run("""
    copy = "out[0] = a[0];"
    meta = torch.zeros(4, device="meta")
    refused(ValueError, "the tensor is on `meta`", lambda: call(copy, [meta], (4,), torch.float32))
    refused(ValueError, "is no plain memory", lambda: call(copy, [torch.eye(3).to_sparse()], (4,), torch.float32))
    refused(ValueError, "float64 is not supported", lambda: call(copy, [torch.zeros(9).double()], (4,), torch.float32))
    """)


def test_buffers_take_tensors():
    run("""
    device = mw.Device()
    a = torch.arange(4, dtype=torch.int32)
    buffer = device.new_buffer_no_copy(a)
    buffer.write((41).to_bytes(4, "little"), 4)
    assert a.tolist() == [0, 41, 2, 3]
    copied = device.new_buffer_with_data(torch.arange(6.0).reshape(2, 3).T)
    assert copied.array("float32").tolist() == [0, 3, 1, 4, 2, 5]
    assert device.new_buffer_with_data(torch.ones(3, dtype=torch.bfloat16)).length == 6
    refused(ValueError, "not contiguous", lambda: device.new_buffer_no_copy(torch.ones(3, 3).T))
    """)
