"""The plug-in for pytest, in processes of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

KERNEL = """
import numpy as np, metalworking, pytest

def call(source):
    made = metalworking.metal_kernel(name="probe", input_names=["a"], output_names=["out"], source=source)
    return made(inputs=[np.ones(8, np.float32)], grid=(8, 1, 1), threadgroup=(8, 1, 1), output_shapes=[(8,)],
                output_dtypes=[np.float32])[0]

PAST = "uint i = thread_position_in_grid.x; out[i] = a[i + 8];"
"""


def run(tmp_path, text, *options):
    (tmp_path / "test_it.py").write_text(KERNEL + text)
    settings = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    # The entry point is there once the wheel is installed; a tree on `PYTHONPATH` has none.
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    if not has_entry_point():
        words[2:2] = ["-p", "metalworking.pytest_plugin"]
    return subprocess.run(
        [sys.executable, *words], cwd=tmp_path, env=settings, capture_output=True, text=True, check=False
    )


def has_entry_point():
    from importlib.metadata import entry_points

    return any(entry.name == "metalworking" for entry in entry_points(group="pytest11"))


def test_nothing_happens_unasked(tmp_path):
    done = run(
        tmp_path, "import sys\ndef test_it():\n    assert 'metalworking.mlx' not in sys.modules\n    call(PAST)\n"
    )
    assert done.returncode == 0, done.stdout
    assert "metalworking:" not in done.stdout


def test_the_option_checks_all_tests(tmp_path):
    done = run(tmp_path, "def test_it():\n    call(PAST)\n", "--metal-check", "-rN", "--verbose")
    assert done.returncode == 1
    assert "KernelFault" in done.stdout
    assert "on checked" in done.stdout


def test_the_marker_checks_one(tmp_path):
    text = """
@pytest.mark.metal_check
def test_checked():
    with pytest.raises(metalworking.KernelFault):
        call(PAST)

def test_after_it():
    call(PAST)
"""
    done = run(tmp_path, text, "--strict-markers")
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_the_fixture_counts_launches(tmp_path):
    text = """
def test_counts(metal_dispatches):
    assert metal_dispatches() == {}
    call("out[0] = a[0];")
    call("out[0] = a[0];")
    assert metal_dispatches() == {"probe": 2}

def test_counts_begin_anew(metal_dispatches):
    assert metal_dispatches() == {}
"""
    done = run(tmp_path, text)
    assert done.returncode == 0, done.stdout


def test_mlx_finds_metal(tmp_path):
    text = "import mlx.core as mx\nMETAL = mx.metal.is_available()\ndef test_it():\n    assert METAL\n"
    assert run(tmp_path, text).returncode == 1
    done = run(tmp_path, text, "--metal")
    assert done.returncode == 0, done.stdout
    (tmp_path / "pytest.ini").write_text("[pytest]\nmetal = true\n")
    done = run(tmp_path, text)
    assert done.returncode == 0, done.stdout
