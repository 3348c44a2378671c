"""Mistakes in definitions, calls, sources and launches: MLX's texts where it has any, never the end of the process."""

from __future__ import annotations

import re

import metalworking.mlx  # noqa: F401
import mlx.core as mx
import pytest


def make(source="", name="k", inputs=("a",), outputs=("b",), **options):
    return mx.fast.metal_kernel(
        name=name, input_names=list(inputs), output_names=list(outputs), source=source, **options
    )


def run(kernel, **changes):
    arguments = {
        "inputs": [mx.zeros((9,))],
        "output_shapes": [(9,)],
        "output_dtypes": [mx.float32],
        "grid": (9, 1, 1),
        "threadgroup": (9, 1, 1),
    }
    return kernel(**{**arguments, **changes})


def test_at_least_one_output():
    with pytest.raises(ValueError, match=r"^\[metal_kernel\] Must specify at least one output\.$"):
        make(outputs=())


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"inputs": []}, "[metal_kernel] Expected `inputs` to have size 1 but got size 0.\n"),
        ({"output_shapes": [(1,), (2,)]}, "[metal_kernel] Expected `output_shapes` to have size 1 but got size 2.\n"),
        ({"output_dtypes": []}, "[metal_kernel] Expected `output_dtypes` to have size 1 but got size 0.\n"),
        ({"output_dtypes": [mx.float64]}, "float64 is not supported on the GPU"),
        (
            {"template": [("T", 1.5)]},
            "[metal_kernel] Invalid template argument. Must be `mlx.core.Dtype`, `int` or `bool`.",
        ),
    ],
)
def test_calls(changes, text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        run(make(), **changes)


def test_arguments_of_the_wrong_type():
    with pytest.raises(TypeError):
        run(make(), grid=(1, 1))
    with pytest.raises(TypeError):
        run(make(), template=3)


def test_threadgroups_are_checked_before_they_are_cut():
    (out,) = run(make("b[0] = 1;"), threadgroup=(2048, 1, 1))
    with pytest.raises(
        ValueError,
        match=r"^Thread group size \(2048\) is greater than  the maximum allowed threads per threadgroup \(1024\)\.",
    ):
        mx.eval(out)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"grid": (0, 1, 1)}, "`grid` is (0, 1, 1): no thread would run"),
        ({"grid": (-1, 1, 1)}, "`grid` is (-1, 1, 1): it counts threads"),
        ({"threadgroup": (0, 1, 1)}, "`threadgroup` is (0, 1, 1): every axis has at least one thread"),
        ({"threadgroup": (1, -2, 1)}, "`threadgroup` is (1, -2, 1)"),
    ],
)
def test_sizes_that_would_fail_in_silence(changes, text):
    (out,) = run(make("b[0] = 1;"), **changes)
    with pytest.raises(ValueError, match=re.escape(text)):
        mx.eval(out)


def test_sources_are_compiled_when_they_are_evaluated():
    source = "\n    uint i = thread_position_in_grid.x;\n    b[i] = a[i] + offset;\n"
    (out,) = run(make(source, name="faulty"))
    with pytest.raises(RuntimeError) as caught:
        mx.eval(out)
    text = str(caught.value)
    assert text.startswith("[metal::Device] Unable to build metal library from source\n")
    assert "--> faulty:3:19" in text
    assert "b[i] = a[i] + offset;" in text
    assert "offset" in text.splitlines()[1]


def test_mistakes_in_headers_are_in_the_header():
    header = "float twice(float x) {\n  return 2 * y;\n}\n"
    (out,) = run(make("b[0] = twice(a[0]);", name="h", header=header))
    with pytest.raises(RuntimeError, match=r"h \(header\):2:14"):
        mx.eval(out)


def test_after_a_mistake_other_kernels_run():
    with pytest.raises(RuntimeError):
        mx.eval(run(make("nonsense")))
    (out,) = run(make("b[thread_position_in_grid.x] = 4;"))
    assert out.tolist() == [4.0] * 9


def test_names_that_are_none():
    (out,) = run(make("b[0] = 1;", name="my kernel"))
    with pytest.raises(ValueError, match="`my kernel` cannot be a name in Metal.* for example `my_kernel`"):
        mx.eval(out)


def test_too_much_threadgroup_memory():
    (out,) = run(make("threadgroup float big[10000]; big[0] = a[0]; b[0] = big[0];"))
    with pytest.raises(RuntimeError, match="40000 bytes of threadgroup memory, the device has 32768"):
        mx.eval(out)


def test_a_fault_of_a_kernel_is_an_exception():
    source = "b[0] = a[thread_position_in_grid.x + (1ul << 40)];"
    (out,) = run(make(source, name="stray"))
    with pytest.raises(RuntimeError, match="stray.* accessed address 0x"):
        mx.eval(out)
    assert (mx.ones((3,)) + 1).tolist() == [2.0] * 3
    (good,) = run(make("b[thread_position_in_grid.x] = 4;"))
    assert good.tolist() == [4.0] * 9


def test_double_is_refused_in_sources():
    (out,) = run(make("double x = a[0]; b[0] = x;"))
    with pytest.raises(RuntimeError, match="double"):
        mx.eval(out)


def test_float64_inputs_are_refused():
    with mx.stream(mx.cpu):
        wide = mx.zeros((9,), dtype=mx.float64)
    with pytest.raises(ValueError, match="float64 is not supported on the GPU"):
        run(make(), inputs=[wide])
