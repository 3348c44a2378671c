"""Functions with kernels that are exported, imported, and run again."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import metalworking
import metalworking.mlx
import mlx.core as mx
import pytest

SCALE = mx.fast.metal_kernel(
    name="exported_scale",
    input_names=["a", "factor"],
    output_names=["out", "sizes"],
    source="""
        uint i = thread_position_in_grid.x;
        out[i] = factor * a[elem_to_loc(i, a_shape, a_strides, a_ndim)] + T(N);
        if (i == 0) { sizes[0] = a_shape[0]; }
    """,
    ensure_row_contiguous=False,
)


# Older versions cannot read the first value that they have written.
FIRST_VALUE = {"init_value": 1} if tuple(map(int, mx.__version__.split(".")[:2])) >= (0, 31) else {}


def scale(a, factor):
    return SCALE(
        inputs=[a.T, factor],
        template=[("T", mx.float32), ("N", 3)],
        output_shapes=[a.T.shape, (1,)],
        output_dtypes=[mx.float32, mx.int32],
        grid=(a.size, 1, 1),
        threadgroup=(32, 1, 1),
        **FIRST_VALUE,
    )


def function(a, factor):
    out, sizes = scale(mx.exp(a), factor)
    return mx.log(out), sizes


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "function.mlxfn"
    mx.export_function(str(path), function, mx.zeros((3, 5)), mx.array(2.0))
    return path


def test_an_imported_kernel_runs(path):
    imported = mx.import_function(str(path))
    a = mx.arange(15, dtype=mx.float32).reshape(3, 5) / 10
    before = sum(metalworking.dispatch_counts().values())
    log, sizes = imported(a, mx.array(0.5))
    assert mx.allclose(log, mx.log(0.5 * mx.exp(a).T + 3))
    assert sizes.item() == 5
    assert sum(metalworking.dispatch_counts().values()) == before + 1


def test_imported_kernels_work_under_compile_and_streams(path):
    imported = mx.import_function(str(path))
    a = mx.arange(15, dtype=mx.float32).reshape(3, 5) / 10
    compiled = mx.compile(lambda a: imported(a, mx.array(2.0))[0] * 2)
    with mx.stream(mx.new_stream(mx.gpu)):
        assert mx.allclose(compiled(a), 2 * mx.log(2 * mx.exp(a).T + 3))


def test_another_process_imports_it(path):
    script = f"""
        import metalworking.mlx
        import mlx.core as mx
        out, sizes = mx.import_function({str(path)!r})(mx.zeros((3, 5)), mx.array(2.0))
        print(mx.exp(out).round().tolist(), sizes.tolist())
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False
    )
    assert result.stdout == f"{[[5.0] * 3] * 5} [5]\n", result.stderr


def test_an_imported_mistake_is_an_exception(tmp_path):
    broken = mx.fast.metal_kernel(name="broken", input_names=["a"], output_names=["b"], source="\n  b[0] = a[0] + c;")

    def call(a):
        return broken(
            inputs=[a], output_shapes=[(9,)], output_dtypes=[mx.float32], grid=(9, 1, 1), threadgroup=(9, 1, 1)
        )[0]

    path = tmp_path / "broken.mlxfn"
    mx.export_function(str(path), call, mx.zeros((9,)))
    (out,) = mx.import_function(str(path))(mx.zeros((9,)))
    with pytest.raises(RuntimeError, match="2:17"):
        mx.eval(out)


def test_what_is_exported_says_that_it_runs_on_a_gpu(tmp_path):
    if tuple(map(int, mx.__version__.split(".")[:2])) < (0, 32):
        pytest.skip("exports no kernels without Metal")
    with pytest.raises(ValueError, match=r"\[metal_kernel\] Only supports the GPU\."):
        mx.export_function(
            str(tmp_path / "cpu.mlxfn"),
            lambda a: SCALE(
                inputs=[a, mx.array(1.0)],
                template=[("T", mx.float32), ("N", 3)],
                output_shapes=[(9,), (1,)],
                output_dtypes=[mx.float32, mx.int32],
                grid=(9, 1, 1),
                threadgroup=(9, 1, 1),
                stream=mx.cpu,
            )[0],
            mx.zeros((9,)),
        )


def test_an_exporter_with_several_shapes(tmp_path):
    path = tmp_path / "shapes.mlxfn"
    with mx.exporter(str(path), function) as exporter:
        exporter(mx.zeros((3, 5)), mx.array(2.0))
        exporter(mx.zeros((4, 2)), mx.array(2.0))
    imported = mx.import_function(str(path))
    for shape in ((3, 5), (4, 2)):
        log, _ = imported(mx.zeros(shape), mx.array(2.0))
        assert mx.allclose(log, mx.log(mx.full(shape[::-1], 5.0)))
