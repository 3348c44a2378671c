"""`metalworking.metal_kernel` on NumPy's and JAX's arrays; Torch has a file of its own."""

from __future__ import annotations

import metalworking as mw
import ml_dtypes
import numpy as np
import pytest

EXP = "uint i = thread_position_in_grid.x; T x = inp[i]; out[i] = metal::exp(x);"


def kernel(source, inputs=("inp",), outputs=("out",), name="probe", **options):
    return mw.metal_kernel(name=name, input_names=inputs, output_names=outputs, source=source, **options)


def call(made, inputs, shape, dtype, grid=None, **options):
    size = int(np.prod(shape))
    options.setdefault("threadgroup", (64, 1, 1))
    return made(inputs=inputs, output_shapes=[shape], output_dtypes=[dtype], grid=grid or (size, 1, 1), **options)[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("size", [1, 7, 8, 33, 1000])
def test_elementwise(dtype, size):
    a = np.linspace(-2, 2, size).astype(dtype)
    out = call(kernel(EXP), [a], a.shape, dtype, template=[("T", dtype)])
    assert type(out) is np.ndarray
    assert out.dtype == np.dtype(dtype)
    tolerance = 1e-5 if dtype is np.float32 else 1e-2
    np.testing.assert_allclose(out.astype(np.float32), np.exp(a.astype(np.float32)), rtol=tolerance)


@pytest.mark.parametrize(
    "name", ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32"]
)
def test_every_type_goes_through(name):
    a = np.arange(10).astype(name)
    out = call(kernel("out[thread_position_in_grid.x] = inp[thread_position_in_grid.x];"), [a], a.shape, name)
    assert out.dtype == np.dtype(name)
    np.testing.assert_array_equal(out, a)


def test_complex_numbers():
    a = np.array([1 + 2j, -3.5j], np.complex64)
    source = "uint i = thread_position_in_grid.x; out[i] = complex64_t(inp[i].imag, inp[i].real);"
    np.testing.assert_array_equal(call(kernel(source), [a], a.shape, "complex64"), [2 + 1j, -3.5 + 0j])


def test_strided_inputs_are_copied_or_passed_with_their_strides():
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    flat = "out[thread_position_in_grid.x] = inp[thread_position_in_grid.x];"
    np.testing.assert_array_equal(call(kernel(flat), [a.T], (4, 3), np.float32), a.T)
    strided = """
      uint i = thread_position_in_grid.x;
      out[i] = inp[(i / inp_shape[1]) * inp_strides[0] + (i % inp_shape[1]) * inp_strides[1]] + inp_ndim;
    """
    made = kernel(strided, ensure_row_contiguous=False)
    np.testing.assert_array_equal(call(made, [a.T], (4, 3), np.float32), a.T + 2)
    np.testing.assert_array_equal(call(made, [a[:, ::2]], (3, 2), np.float32), a[:, ::2] + 2)
    # What lies before the first element cannot be bound: such an array is copied all the same.
    np.testing.assert_array_equal(call(made, [a[::-1]], (3, 4), np.float32), a[::-1] + 2)


def test_inputs_are_used_in_place():
    a = np.zeros(4096, np.float32)
    address = a.__array_interface__["data"][0]
    source = "out[0] = reinterpret_cast<ulong>(inp);"
    assert call(kernel(source), [a], (1,), "uint64", grid=(1, 1, 1))[0] == address


def test_scalars_and_numbers_are_references():
    source = "out[thread_position_in_grid.x] = a * b + (c ? 100 : 0) + d;"
    made = kernel(source, inputs=("a", "b", "c", "d"))
    out = call(made, [np.float32(2), 3, True, np.array(0.5, np.float32)], (2,), np.float32)
    assert out.tolist() == [106.5, 106.5]


def test_template_values_and_header():
    made = kernel("out[0] = twice(N) + (FLAG ? T(0.5) : T(0));", inputs=(), header="int twice(int x) { return 2 * x; }")
    template = [("T", "float32"), ("N", np.int64(21)), ("FLAG", True)]
    out = call(made, [], (1,), np.float32, grid=(1, 1, 1), template=template)
    assert out.tolist() == [42.5]


def test_several_outputs_atomics_and_first_values():
    source = """
      uint i = thread_position_in_grid.x;
      atomic_fetch_add_explicit(&sum[0], inp[i], memory_order_relaxed);
      atomic_fetch_max_explicit(&most[0], inp[i], memory_order_relaxed);
    """
    made = kernel(source, outputs=("sum", "most"), atomic_outputs=True)
    a = np.arange(100, dtype=np.int32)
    total, most = made(
        inputs=[a],
        output_shapes=[(1,), (3,)],
        output_dtypes=[np.int32, np.int32],
        grid=(100, 1, 1),
        threadgroup=(32, 1, 1),
        init_value=5,
    )
    assert total.tolist() == [4955]
    assert most.tolist() == [99, 5, 5]


def test_verbose_prints_the_source(capsys):
    a = np.zeros(9, np.float32)
    call(kernel(EXP, name="shown"), [a], a.shape, np.float32, template=[("T", np.float32)], verbose=True)
    printed = capsys.readouterr().out
    assert printed.startswith("Generated source code for `shown`:\n```\n")
    assert EXP in printed


def test_empty_arrays():
    out = call(kernel(EXP), [np.zeros(0, np.float32)], (0,), np.float32, grid=(0, 1, 1), template=[("T", np.float32)])
    assert out.shape == (0,)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"inputs": []}, ValueError, r"Expected `inputs` to have size 1 but got size 0"),
        ({"output_shapes": []}, ValueError, r"Expected `output_shapes` to have size 1 but got size 0"),
        ({"output_dtypes": ["int8", "int8"]}, ValueError, r"Expected `output_dtypes` to have size 1 but got size 2"),
        ({"inputs": [np.zeros(4)]}, ValueError, "float64 is not supported on the GPU"),
        ({"inputs": [np.zeros(4, "datetime64[s]")]}, TypeError, "no element type of Metal's"),
        ({"inputs": [{}]}, TypeError, "an input is an array of NumPy, Torch or JAX, or a number, not `dict`"),
        ({"output_dtypes": ["float31"]}, TypeError, "`float31` is no element type"),
        ({"output_shapes": [(-1,)]}, ValueError, r"cannot have the shape \(-1,\)"),
        ({"grid": (4, 1)}, ValueError, "`grid` is three whole numbers"),
        ({"grid": 4}, TypeError, "`grid` is three whole numbers"),
        ({"grid": (0, 1, 1)}, ValueError, "no thread would run"),
        ({"threadgroup": (2048, 1, 1)}, ValueError, "Thread group size \\(2048\\) is greater than"),
        ({"template": [("T", {})]}, TypeError, "`T` is a type, a whole number or a truth value"),
        ({"template": [("T", 2**40)]}, ValueError, "`T` does not fit an `int`"),
        ({"template": None}, mw.CompileError, "nothing named `T` is declared"),
    ],
)
def test_mistakes_have_messages(change, kind, message):
    arguments = {
        "inputs": [np.zeros(4, np.float32)],
        "template": [("T", np.float32)],
        "grid": (4, 1, 1),
        "threadgroup": (4, 1, 1),
        "output_shapes": [(4,)],
        "output_dtypes": [np.float32],
    }
    with pytest.raises(kind, match=message):
        kernel(EXP)(**{**arguments, **change})


def test_definitions_are_checked():
    with pytest.raises(ValueError, match="Must specify at least one output"):
        kernel("", outputs=())
    with pytest.raises(ValueError, match='`math_mode` is "safe", "relaxed" or "fast", not \'wild\''):
        kernel("", compile_options={"math_mode": "wild"})
    with pytest.raises(ValueError, match="unknown compile options: speed"):
        kernel("", compile_options={"speed": "high"})


def test_compile_errors_have_lines_of_the_body():
    source = "uint i = thread_position_in_grid.x;\nout[i] = inp[i] +;\n"
    with pytest.raises(mw.CompileError) as caught:
        call(kernel(source, name="slip"), [np.zeros(9, np.float32)], (9,), np.float32)
    first = caught.value.diagnostics[0]
    assert (first.file, first.line, first.column) == ("slip", 2, 18)


def test_two_kernels_of_one_name_are_two():
    a = np.zeros(1, np.float32)
    results = [call(kernel(f"out[0] = {n};"), [a], (1,), np.float32, grid=(1, 1, 1))[0] for n in (1, 2)]
    assert results == [1, 2]


def test_dispatches_are_counted():
    mw.reset_dispatch_counts()
    a = np.zeros(4, np.float32)
    made = kernel(EXP, name="counted")
    for _ in range(3):
        call(made, [a], a.shape, np.float32, template=[("T", np.float32)])
    assert mw.dispatch_counts()["counted"] == 3


class Foreign:
    """An array of a library that nobody knows, with DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_whatever_speaks_dlpack_is_an_array():
    a = np.arange(9, dtype=np.float32)
    out = call(kernel(EXP), [Foreign(a)], a.shape, np.float32, template=[("T", np.float32)])
    np.testing.assert_allclose(out, np.exp(a), rtol=1e-5)


def test_fields_of_structures_and_foreign_byte_orders():
    records = np.zeros(5, [("tag", np.uint8), ("value", np.float32)])
    records["value"] = np.arange(5)
    source = "out[thread_position_in_grid.x] = inp[thread_position_in_grid.x];"
    np.testing.assert_array_equal(call(kernel(source), [records["value"]], (5,), np.float32), np.arange(5))
    swapped = np.arange(5, dtype=">i4")
    np.testing.assert_array_equal(call(kernel(source), [swapped], (5,), np.int32), np.arange(5))


class TestJax:
    """JAX's arrays."""

    @pytest.fixture(autouse=True)
    def jax(self):
        import jax

        return jax

    @pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
    def test_outputs_are_of_jax_too(self, jax, dtype):
        a = jax.numpy.arange(100).astype(dtype)
        source = "out[thread_position_in_grid.x] = inp[thread_position_in_grid.x] * 2;"
        out = call(kernel(source), [a], a.shape, a.dtype)
        assert isinstance(out, jax.Array)
        assert out.dtype == a.dtype
        np.testing.assert_array_equal(np.asarray(out), np.asarray(a * 2))

    def test_memory_goes_both_ways_without_a_copy(self, jax):
        a = jax.numpy.zeros(4096, "float32")
        out = call(kernel("out[0] = reinterpret_cast<ulong>(inp) & 0x7fffffff;"), [a], (1,), "uint32", grid=(1, 1, 1))
        assert int(out[0]) == a.unsafe_buffer_pointer() & 0x7FFFFFFF
        from metalworking import _arrays

        made = _arrays.Jax.empty((1024,), _arrays.dtype_number("float32"))
        assert _arrays.Jax.finish(made).unsafe_buffer_pointer() == made.address

    def test_traced_arrays_are_refused(self, jax):
        def run(a):
            return call(kernel(EXP), [a], a.shape, "float32", template=[("T", "float32")])

        with pytest.raises(TypeError, match="being traced"):
            jax.jit(run)(jax.numpy.zeros(4))
        # The way out that the message names.
        shape = jax.ShapeDtypeStruct((4,), "float32")
        through = jax.jit(lambda a: jax.pure_callback(run, shape, a))(jax.numpy.zeros(4))
        np.testing.assert_array_equal(np.asarray(through), np.ones(4))
