"""On a Mac the package steps aside: nothing of ours is loaded, and Metal runs the kernels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

START = """
import sys, types
sys.platform = "darwin"
# A Mac's wheel has no native module.
sys.modules["metalworking._native"] = None

core = types.ModuleType("mlx.core")
calls = []

class Dtype:
    def __init__(self, name):
        self.name = name

class array:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        import numpy as np
        return np.asarray(self.values, dtype)

def stock_kernel(**definition):
    def call(**arguments):
        calls.append((definition, arguments))
        return [array([1.0])]
    return call

core.Dtype, core.array = Dtype, array
core.float32, core.bool_ = Dtype("float32"), Dtype("bool")
core.fast = types.SimpleNamespace(metal_kernel=stock_kernel)
core.metal = types.SimpleNamespace(is_available=lambda: True)
core.gpu, core.default_device = "gpu", lambda: "gpu"
core.is_available = lambda device: True
core.__version__ = "99.0.0"
mlx = types.ModuleType("mlx")
mlx.core = core
sys.modules["mlx"], sys.modules["mlx.core"] = mlx, core
"""


def run(text):
    settings = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "-c", START + text], capture_output=True, text=True, env=settings, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_import_changes_nothing():
    run(
        "import metalworking.mlx\n"
        "assert not metalworking.mlx.is_installed()\n"
        "assert core.fast.metal_kernel is stock_kernel\n"
    )


def test_kernels_of_other_arrays_go_to_mlx():
    run(
        "import metalworking, numpy as np\n"
        "made = metalworking.metal_kernel(name='k', input_names=['a'], output_names=['out'], source='')\n"
        "(out,) = made(inputs=[np.zeros(1)], output_dtypes=[np.float32], output_shapes=[(1,)], grid=(1, 1, 1),\n"
        "              threadgroup=(1, 1, 1), template=[('T', np.float32), ('F', np.dtype(bool)), ('N', 3)])\n"
        "assert isinstance(out, np.ndarray) and out.tolist() == [1.0]\n"
        "definition, arguments = calls[0]\n"
        "assert definition['name'] == 'k' and isinstance(arguments['inputs'][0], array)\n"
        "assert arguments['output_dtypes'] == [core.float32]\n"
        "assert arguments['template'] == [('T', core.float32), ('F', core.bool_), ('N', 3)]\n"
        "(out,) = made(inputs=[array([2])], output_dtypes=[core.float32], output_shapes=[(1,)], grid=(1, 1, 1),\n"
        "              threadgroup=(1, 1, 1))\n"
        "assert isinstance(out, array)\n"
    )


def test_checks_are_metals_own_and_objects_are_refused():
    run(
        "import metalworking\n"
        "with metalworking.checked():\n"
        "    pass\n"
        "assert metalworking.dispatch_counts() == {}\n"
        "try:\n"
        "    metalworking.Device\n"
        "except ImportError as error:\n"
        "    assert 'on a Mac use Metal itself' in str(error)\n"
        "else:\n"
        "    raise AssertionError\n"
    )
