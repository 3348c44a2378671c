"""``mw run script.py`` against ``python script.py``: the same, but for MLX's kernels that run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MW = [sys.executable, "-m", "metalworking"]


def started(command, *words, folder=None, **environment):
    """A finished process, with its output."""
    settings = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), **environment}
    return subprocess.run(
        [*command, *words], capture_output=True, text=True, cwd=folder, env=settings, timeout=300, check=False
    )


def both(script, *words, folder):
    """What the script does under Python itself, and under `mw run`."""
    return started([sys.executable], script, *words, folder=folder), started(MW, "run", script, *words, folder=folder)


@pytest.mark.parametrize(
    "text",
    [
        "import sys; print(sys.argv, __name__, __file__, __spec__, __package__, sys.path[0])",
        "import sys; sys.exit(7)",
        "import sys; sys.exit('a last word')",
        "raise SystemExit",
        "import os; os._exit(3)",
        "1 / 0",
        "def f():\n    raise ValueError('inner')\ntry:\n    f()\nexcept ValueError as error:\n    raise KeyError from error\n",
        "this is no Python",
        "import sys; sys.excepthook = lambda *error: print('hooked', error[0].__name__); 1 / 0",
        "import atexit; atexit.register(print, 'the end'); raise RuntimeError('x')",
        "import pickle\nclass C:\n    pass\nprint(type(pickle.loads(pickle.dumps(C()))).__module__)",
        "import threading; threading.Timer(0.1, print, ['late']).start()",
        "import inspect\ndef f(): pass\nprint(inspect.getsource(f), inspect.getmodule(f).__name__)",
        "import helper; print(helper.VALUE)",
        "# -*- coding: latin-1 -*-\nprint(len('\xe4'))",
    ],
)
def test_a_script_cannot_tell_the_difference(text, tmp_path):
    (tmp_path / "helper.py").write_text("VALUE = 3\n")
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "helper.py").write_text("VALUE = 4\n")
    (folder / "script.py").write_bytes(text.encode("latin-1"))
    expected, found = both("inner/script.py", "--flag", "-m", folder=tmp_path)
    assert (found.returncode, found.stdout) == (expected.returncode, expected.stdout)
    assert found.stderr == expected.stderr


def test_an_interrupt_ends_the_process_as_python_does(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time; time.sleep(60)\n")
    expected, found = both("script.py", folder=tmp_path)
    assert found.returncode == expected.returncode
    assert found.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert "metalworking" not in found.stderr


def test_modules_run_with_m(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "tool.py").write_text("import sys; print(__name__, __package__, sys.argv[1:]); 1 / 0\n")
    expected = started([sys.executable], "-m", "package.tool", "a", folder=tmp_path)
    found = started(MW, "run", "-m", "package.tool", "a", folder=tmp_path)
    assert found.stdout == expected.stdout == "__main__ package ['a']\n"
    assert found.returncode == expected.returncode == 1
    assert "metalworking" not in found.stderr
    assert found.stderr.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_a_missing_script_is_a_mistake_of_the_command_line(tmp_path):
    found = started(MW, "run", "none.py", folder=tmp_path)
    assert found.returncode == 2
    assert "can't open file" in found.stderr


def test_kernels_of_mlx_run(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import mlx.core as mx\n"
        "assert mx.metal.is_available()\n"
        "mx.set_default_device(mx.gpu)\n"
        "kernel = mx.fast.metal_kernel(name='twice', input_names=['a'], output_names=['out'],\n"
        "  source='uint i = thread_position_in_grid.x; out[i] = 2 * a[i];')\n"
        "a = mx.arange(10)\n"
        "(out,) = kernel(inputs=[a], grid=(10, 1, 1), threadgroup=(10, 1, 1), output_shapes=[(10,)],\n"
        "  output_dtypes=[mx.int32], stream=mx.gpu)\n"
        "print(out.tolist())\n"
    )
    expected, found = both("script.py", folder=tmp_path)
    assert expected.returncode == 1
    assert found.stdout == "[0, 2, 4, 6, 8, 10, 12, 14, 16, 18]\n", found.stderr


def test_processes_that_a_script_starts_find_metal_too(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.THE_OTHERS = True\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, subprocess, sys\n"
        "def work(n):\n"
        "    import mlx.core as mx, mlx.core\n"
        "    assert mlx.core.__spec__.origin.endswith('.so') and 'metalworking.mlx' in sys.modules\n"
        "    return n * 2, mx.metal.is_available(), THE_OTHERS\n"
        "if __name__ == '__main__':\n"
        "    from concurrent.futures import ProcessPoolExecutor\n"
        "    with ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as pool:\n"
        "        print(list(pool.map(work, [1, 2])), flush=True)\n"
        '    code = \'import sys; print("mlx" in sys.modules, any("_startup" in path for path in sys.path))\'\n'
        "    subprocess.run([sys.executable, '-c', code], check=True)\n"
    )
    search = os.pathsep.join([str(Path(__file__).parent.parent), str(tmp_path)])
    found = started(MW, "run", "script.py", folder=tmp_path, PYTHONPATH=search)
    assert found.stdout == "[(2, True, True), (4, True, True)]\nFalse False\n", found.stderr


def test_everything_else_is_the_command_line(tmp_path):
    version = started(MW, "--version")
    assert version.stdout.startswith("mw 0.")
    source = tmp_path / "k.metal"
    source.write_text("kernel void k(device float* x, uint i [[thread_position_in_grid]]) { x[i] = i; }\n")
    ran = started(MW, "run", str(source), "k", "--grid", "4", "--threadgroup", "4", "--arg", "x=zeros:f32[4]")
    assert ran.returncode == 0, ran.stderr
    assert "3" in ran.stdout
    wrong = started(MW, "run", str(source), "nothing")
    assert wrong.returncode == 2
    assert "error" in wrong.stderr


def test_sweeps_start_their_workers_through_python(tmp_path):
    source = tmp_path / "k.metal"
    source.write_text("kernel void k(device float* x, uint i [[thread_position_in_grid]]) { x[i] += i; }\n")
    library = tmp_path / "k.metallib"
    made = started(MW, "compile", str(source), "-o", str(library))
    assert made.returncode == 0, made.stderr
    swept = started(MW, "conform", str(library), "--brief")
    assert swept.returncode == 0, swept.stderr + swept.stdout
