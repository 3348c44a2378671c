"""Checked execution: `checked()`, ``MW_CHECK``, and what it finds."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import metalworking as mw
import numpy as np
import pytest


def call(source, size=8, threads=8):
    made = mw.metal_kernel(name="checked", input_names=["a"], output_names=["out"], source=source)
    return made(
        inputs=[np.arange(size, dtype=np.float32)],
        grid=(threads, 1, 1),
        threadgroup=(threads, 1, 1),
        output_shapes=[(size,)],
        output_dtypes=[np.float32],
    )[0]


COPY = "uint i = thread_position_in_grid.x; out[i] = a[i];"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("uint i = thread_position_in_grid.x; out[i + 1] = a[i];", "writes 4 bytes .* offset 32 of argument .*`out`"),
        ("uint i = thread_position_in_grid.x; out[i] = a[i + 8];", "reads 4 bytes .* offset 32 of argument .*`a`"),
        ("uint i = thread_position_in_grid.x; float t; if (i > 99) t = 1; out[i] = t;", "an undefined value"),
        (
            "uint i = thread_position_in_grid.x; if (i < 3) threadgroup_barrier(mem_flags::mem_none); out[i] = a[i];",
            "barrier",
        ),
    ],
)
def test_mistakes_are_found(source, message):
    with mw.checked(), pytest.raises(mw.KernelFault, match=message):
        call(source)


def test_a_fault_names_the_line():
    with mw.checked(), pytest.raises(mw.KernelFault, match=r"checked:3"):
        call("uint i = thread_position_in_grid.x;\n\nout[i + 1] = a[i];\n")


def test_right_kernels_give_the_same():
    with mw.checked():
        checked = call(COPY)
    np.testing.assert_array_equal(checked, call(COPY))


def test_blocks_nest_and_end_with_exceptions():
    from metalworking import _native

    assert not _native.is_checked()
    with mw.checked():
        with mw.checked():
            pass
        assert _native.is_checked()
        assert mw.Device().engine == "checked"
    with pytest.raises(KeyError), mw.checked():
        raise KeyError
    assert not _native.is_checked()
    assert mw.Device().engine == "cpu"


def test_other_threads_are_checked_too():
    found = []

    def work():
        try:
            call("out[8] = a[0];", threads=1)
        except mw.KernelFault as error:
            found.append(error)

    with mw.checked():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len(found) == 1


@pytest.mark.parametrize(("value", "engine"), [("1", "checked"), ("0", "cpu"), ("", "cpu")])
def test_the_environment_switches_it_on(value, engine):
    settings = {**os.environ, "MW_CHECK": value, "PYTHONPATH": str(Path(__file__).parent.parent)}
    code = "import metalworking; print(metalworking.Device().engine)"
    done = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == engine


def test_kernels_of_mlx_are_checked_when_they_are_evaluated():
    import metalworking.mlx  # noqa: F401
    import mlx.core as mx

    made = mx.fast.metal_kernel(name="past", input_names=["a"], output_names=["out"], source="out[8] = a[0];")
    with mw.checked():
        (out,) = made(
            inputs=[mx.arange(8)],
            grid=(1, 1, 1),
            threadgroup=(1, 1, 1),
            output_shapes=[(8,)],
            output_dtypes=[mx.int32],
        )
        with pytest.raises(RuntimeError, match="offset 32 of argument"):
            mx.eval(out)
