"""What scripts that were written for a Mac ask of devices and streams."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import metalworking.mlx  # noqa: F401
import mlx.core as mx
import pytest


def run_script(text: str) -> str:
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


KERNEL = """
kernel = mx.fast.metal_kernel(name="k", input_names=["a"], output_names=["out"],
                              source="uint i = thread_position_in_grid.x; out[i] = a[i] + 1;")
(out,) = kernel(inputs=[mx.arange(9.0)], output_shapes=[(9,)], output_dtypes=[mx.float32], grid=(9, 1, 1),
                threadgroup=(9, 1, 1))
assert out.tolist() == [float(i + 1) for i in range(9)], out
assert mx.metal.is_available() and mx.default_device() == mx.gpu
print("fine")
"""


@pytest.mark.parametrize(
    "imports",
    [
        "import metalworking.mlx\nimport mlx.core as mx",
        "import mlx.core as mx\nimport metalworking.mlx",
        "import mlx.core as mx\nx = mx.exp(mx.ones(3))\nmx.eval(x)\nimport metalworking.mlx",
        "import mlx.nn\nimport mlx.core as mx\nfrom mlx.core import fast\nimport metalworking.mlx",
        "import mlx.core as mx\nmk = mx.fast.metal_kernel\nimport metalworking.mlx\nmx.fast.metal_kernel = mk",
        "import metalworking\nimport metalworking.mlx\nimport metalworking.mlx\nimport mlx.core as mx",
        "import importlib, metalworking.mlx\nassert importlib.reload(metalworking.mlx).is_installed()\nimport mlx.core as mx",
    ],
)
def test_imports_in_any_order(imports):
    assert run_script(imports + "\n" + KERNEL) == "fine\n"


def test_kernels_that_were_made_before_the_bridge_run_too():
    if tuple(map(int, mx.__version__.split(".")[:2])) < (0, 32):
        pytest.skip("this MLX makes no kernels without Metal")
    script = """
        import mlx.core as mx
        kernel = mx.fast.metal_kernel(name="early", input_names=["a"], output_names=["x", "y"],
                                      source="uint i = thread_position_in_grid.x; x[i] = a[i] + N; y[i] = a_ndim;")
        def call(a, **where):
            return kernel(inputs=[a], template=[("N", 2)], output_shapes=[(9,), (9,)],
                          output_dtypes=[mx.float32, mx.int32], grid=(9, 1, 1), threadgroup=(9, 1, 1), **where)
        import metalworking, metalworking.mlx
        for where in ({}, {"stream": mx.gpu}, {"stream": mx.cpu}, {"stream": mx.new_stream(mx.gpu)}):
            x, y = call(mx.arange(9.0), **where)
            assert x.tolist() == [float(i + 2) for i in range(9)] and y.tolist() == [1] * 9, where
        assert (mx.ones((2,)) + 1).tolist() == [2.0, 2.0]
        assert mx.compile(lambda a: call(a)[0] * 2)(mx.zeros((9,))).tolist() == [4.0] * 9
        texts = []
        mx.export_function(lambda entry: texts.append(entry.get("name")), lambda a: call(a)[0], mx.zeros((9,)))
        print(texts.count("CustomKernel"), sum(metalworking.dispatch_counts().values()))
    """
    assert run_script(script) == "1 5\n"


@pytest.mark.parametrize("binding", ["1", ""])
def test_libraries_bound_at_once_or_lazily(binding):
    script = f"""
        import os, subprocess, sys
        code = '''import mlx.core as mx\\nimport metalworking.mlx\\n''' + {KERNEL!r}
        environment = dict(os.environ)
        environment.pop("LD_BIND_NOW", None)
        if {binding!r}:
            environment["LD_BIND_NOW"] = {binding!r}
        sys.exit(subprocess.run([sys.executable, "-c", code], env=environment).returncode)
    """
    assert run_script(script) == "fine\n"


def test_guards_at_import_time():
    module = """
        import metalworking.mlx
        import mlx.core as mx
        can_run_metal = mx.default_device() == mx.gpu and mx.metal.is_available()
        if can_run_metal:
            print("metal")
        print(mx.is_available(mx.gpu), mx.device_count(mx.gpu), mx.default_device())
    """
    assert run_script(module) == "metal\nTrue 1 Device(gpu, 0)\n"


def test_the_default_device_may_be_set():
    try:
        mx.set_default_device(mx.cpu)
        assert mx.default_device() == mx.cpu
        assert (mx.ones((2,)) + 1).tolist() == [2.0, 2.0]
        mx.set_default_device(mx.gpu)
        assert mx.default_device() == mx.gpu
        assert (mx.ones((2,)) + 1).tolist() == [2.0, 2.0]
        mx.set_default_device(mx.Device(mx.gpu, 0))
        assert mx.default_device() == mx.gpu
    finally:
        mx.set_default_device(mx.gpu)


def new_streams():
    makers = [mx.default_stream, mx.new_stream]
    makers += [
        getattr(mx, name) for name in ("new_thread_local_stream", "new_thread_unsafe_stream") if hasattr(mx, name)
    ]
    return makers


@pytest.mark.parametrize("make", new_streams())
@pytest.mark.parametrize("device", [mx.gpu, mx.cpu])
def test_streams_say_where_they_are(make, device):
    stream = make(device)
    assert stream.device == device
    with mx.stream(stream):
        assert mx.default_device() == device
        assert mx.default_stream(device).device == device
        assert (mx.ones((2,)) + 1).tolist() == [2.0, 2.0]
    assert mx.default_device() == mx.gpu
    result = mx.add(mx.ones((2,)), 2, stream=stream)
    mx.eval(result)
    mx.synchronize(stream)
    assert result.tolist() == [3.0, 3.0]


def test_a_default_stream_may_be_set():
    before = mx.default_stream(mx.gpu)
    try:
        stream = mx.new_stream(mx.gpu)
        mx.set_default_stream(stream)
        assert mx.default_stream(mx.gpu) == stream
        assert (mx.ones((2,)) + 1).tolist() == [2.0, 2.0]
    finally:
        mx.set_default_stream(before)
    assert mx.default_stream(mx.gpu) == before


def test_operations_run_on_gpu_streams():
    for where in (mx.gpu, mx.cpu, mx.Device(mx.gpu, 0), mx.new_stream(mx.gpu)):
        assert mx.matmul(mx.eye(3), mx.ones((3, 2)), stream=where).tolist() == [[1.0, 1.0]] * 3
        assert mx.random.uniform(shape=(4,), stream=where).shape == (4,)
        assert mx.fast.layer_norm(mx.ones((2, 4)), None, None, 1e-5, stream=where).tolist() == [[0.0] * 4] * 2
        assert mx.linalg.inv(mx.eye(2), stream=mx.cpu).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    with mx.stream(mx.gpu):
        assert mx.sort(mx.array([3, 1, 2])).tolist() == [1, 2, 3]


def test_the_device_describes_itself():
    facts = mx.device_info(mx.gpu) if hasattr(mx, "device_info") else mx.metal.device_info()
    assert facts["device_name"].startswith("Apple ")
    assert facts["architecture"].startswith("applegpu_")
    for key in ("memory_size", "max_buffer_length", "max_recommended_working_set_size", "resource_limit"):
        assert facts[key] > 0
    assert mx.metal.device_info()["device_name"] == facts["device_name"]


def test_an_unknown_version_is_told():
    script = """
        import mlx.core as mx
        mx.__version__ = "9.9.9"
        try:
            import metalworking.mlx
        except ImportError as error:
            print(error)
    """
    text = run_script(script)
    assert text.startswith("metalworking has no bridge for MLX 9.9.9; it has bridges for ")
    assert "pip install 'mlx==" in text


def test_where_metal_is_nothing_changes():
    script = """
        import mlx.core as mx
        kernel, mx.metal.is_available = mx.fast.metal_kernel, lambda: True
        import metalworking.mlx
        assert not metalworking.mlx.is_installed()
        assert mx.fast.metal_kernel is kernel
        print(mx.default_device())
    """
    assert run_script(script) == "Device(cpu, 0)\n"
