"""On a Mac the package steps aside: nothing of ours is loaded, and Metal runs the kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).parent.parent

START = """
import importlib.machinery, sys, types
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
mlx.__spec__ = importlib.machinery.ModuleSpec("mlx", None)
mlx.core = core
sys.modules["mlx"], sys.modules["mlx.core"] = mlx, core
"""


def run(text):
    settings = {**os.environ, "PYTHONPATH": str(PACKAGE)}
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
        "assert isinstance(metalworking.__version__, str)\n"
        "try:\n"
        "    metalworking.Device\n"
        "except ImportError as error:\n"
        "    assert 'on a Mac use Metal itself' in str(error)\n"
        "else:\n"
        "    raise AssertionError\n"
    )


def test_scripts_run_and_the_command_line_says_what_is_not_there(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import metalworking.mlx, sys; print(sys.argv[1])")
    run(
        "import metalworking.__main__ as command\n"
        f"assert command.main(['run', {str(script)!r}, 'word']) == 0\n"
        "assert command.main(['chips']) == 3\n"
    )


def test_the_wheel_for_macs_is_one(tmp_path):
    sys.path.insert(0, str(PACKAGE / "tools"))
    try:
        import mac_wheel
    finally:
        sys.path.pop(0)
    linux = tmp_path / "metalworking-1.0-cp310-abi3-manylinux_2_36_x86_64.whl"
    information = "metalworking-1.0.dist-info"
    with zipfile.ZipFile(linux, "w") as archive:
        archive.writestr("metalworking/__init__.py", "X = 1\n")
        archive.writestr("metalworking/_native.abi3.so", b"code")
        archive.writestr("metalworking/_mlx_bridges/mlx-1.so", b"code")
        archive.writestr(f"{information}/METADATA", "Metadata-Version: 2.4\nName: metalworking\nVersion: 1.0\n")
        archive.writestr(
            f"{information}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: maturin\nRoot-Is-Purelib: false\nTag: cp310-abi3-manylinux_2_36_x86_64\n",
        )
        archive.writestr(f"{information}/RECORD", "")
    made = mac_wheel.convert(linux, tmp_path)
    assert made.name == "metalworking-1.0-py3-none-macosx_11_0_arm64.macosx_11_0_x86_64.whl"
    # pip knows whether the record fits.
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
        str(tmp_path / "to"),
    ]
    platform = ["--platform", "macosx_11_0_arm64", "--only-binary=:all:"]
    subprocess.run([*command, *platform, str(made)], check=True)
    found = {path.name for path in (tmp_path / "to").rglob("*") if path.is_file()}
    assert "__init__.py" in found
    assert not any(name.endswith(".so") for name in found)
