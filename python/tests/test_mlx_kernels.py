"""MLX's documented behaviour of custom kernels, through stock MLX joined with metalworking."""

from __future__ import annotations

import threading

import metalworking
import metalworking.mlx
import mlx.core as mx
import numpy as np
import pytest
from mlx_dtypes import DTYPES

ELEMENT = "uint i = thread_position_in_grid.x;\n"


def one(source, inputs, shape, dtype, *, grid=None, threadgroup=(64, 1, 1), name="one", names=None, **options):
    """Calls a kernel with a single output."""
    made = {key: options.pop(key) for key in ("header", "ensure_row_contiguous", "atomic_outputs") if key in options}
    if "compile_options" in options:
        made["compile_options"] = options.pop("compile_options")
    names = names or [chr(ord("a") + index) for index in range(len(inputs))]
    kernel = mx.fast.metal_kernel(name=name, input_names=names, output_names=["out"], source=source, **made)
    size = int(np.prod(shape))
    (result,) = kernel(
        inputs=inputs,
        output_shapes=[shape],
        output_dtypes=[dtype],
        grid=grid or (size, 1, 1),
        threadgroup=threadgroup,
        **options,
    )
    return result


def test_the_bridge_is_in_place():
    assert metalworking.mlx.is_installed()
    assert mx.__version__ in metalworking.mlx.supported_versions()


def test_kernels_are_lazy_and_of_the_asked_shape():
    out = one(ELEMENT + "out[i] = a[i] * 2;", [mx.arange(12)], (3, 4), mx.int32)
    assert out.shape == (3, 4)
    assert out.dtype == mx.int32
    assert (out + 1).tolist() == (np.arange(12).reshape(3, 4) * 2 + 1).tolist()


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != mx.bool_])
def test_every_dtype_goes_in_and_out(dtype):
    values = mx.arange(20).astype(dtype)
    out = one(ELEMENT + "out[i] = a[i] + T(1);", [values], (20,), dtype, template=[("T", dtype)])
    assert out.dtype == dtype
    assert mx.array_equal(out, values + mx.array(1, dtype=dtype))


def test_booleans():
    values = mx.array([True, False, True, True, False, False, True, False, True])
    out = one(ELEMENT + "out[i] = !a[i];", [values], (9,), mx.bool_)
    assert out.tolist() == [not value for value in values.tolist()]


def test_int64_is_not_cut():
    out = one(ELEMENT + "out[i] = a[i] * 3;", [mx.array([2**40, -(2**50)], dtype=mx.int64)], (2,), mx.int64)
    assert out.tolist() == [3 * 2**40, -3 * 2**50]


def test_complex_multiplication():
    values = mx.array([1 + 2j, 3 - 1j, -2j, 0.5 + 0.25j] * 3, dtype=mx.complex64)
    out = one(ELEMENT + "out[i] = a[i] * a[i];", [values], (12,), mx.complex64)
    assert np.allclose(np.array(out), np.array(values) ** 2)


def test_scalars_are_references_and_python_numbers_become_arrays():
    out = one(ELEMENT + "out[i] = a * i + b;", [3, 0.5], (4,), mx.float32)
    assert out.tolist() == [0.5, 3.5, 6.5, 9.5]


def test_small_arrays_are_constant():
    source = ELEMENT + "const constant float* p = a; out[i] = p[i % 7];"
    out = one(source, [mx.arange(7, dtype=mx.float32)], (14,), mx.float32)
    assert out.tolist() == [*range(7), *range(7)]
    with pytest.raises(RuntimeError, match="constant"):
        mx.eval(one(source, [mx.arange(8, dtype=mx.float32)], (14,), mx.float32))


def test_template_values():
    source = ELEMENT + "if (FLAG) { out[i] = T(N) * a[i]; } else { out[i] = T(0); }"
    for flag, expected in ((True, -6.0), (False, 0.0)):
        out = one(
            source,
            [mx.full((9,), 2.0)],
            (9,),
            mx.float32,
            template=[("T", mx.float16), ("N", -3), ("FLAG", flag)],
        )
        assert out.tolist() == [expected] * 9


def test_header_functions():
    header = "template <typename T>\nT cube(T x) { return x * x * x; }\n"
    out = one(ELEMENT + "out[i] = cube(a[i]);", [mx.arange(9.0)], (9,), mx.float32, header=header)
    assert out.tolist() == [float(x**3) for x in range(9)]


def test_facts_about_shapes():
    source = """
        uint i = thread_position_in_grid.x;
        out[i] = i < uint(a_ndim) ? a_shape[i] * 1000 + a_strides[i] : a_ndim;
    """
    out = one(source, [mx.zeros((2, 3, 5))], (4,), mx.int32)
    assert out.tolist() == [2015, 3005, 5001, 3]


def test_inputs_are_made_contiguous_unless_told_otherwise():
    given = mx.arange(12, dtype=mx.float32).reshape(3, 4).T
    assert one(ELEMENT + "out[i] = a[i];", [given], (12,), mx.float32).tolist() == given.flatten().tolist()
    raw = one(ELEMENT + "out[i] = a[i];", [given], (12,), mx.float32, ensure_row_contiguous=False)
    assert raw.tolist() == list(range(12))
    by_location = one(
        ELEMENT + "out[i] = a[elem_to_loc(i, a_shape, a_strides, a_ndim)];",
        [given],
        (12,),
        mx.float32,
        ensure_row_contiguous=False,
    )
    assert by_location.tolist() == given.flatten().tolist()


@pytest.mark.parametrize("dtype", [mx.int8, mx.bfloat16, mx.float32, mx.complex64])
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[1:, ::2],
        lambda x: x[::-1],
        lambda x: mx.broadcast_to(x[:1], (5, 6)),
        lambda x: x.transpose(1, 0)[2:4],
        lambda x: x[2],
        lambda x: x.reshape(2, 3, 5).transpose(2, 0, 1)[1::2],
    ],
)
def test_views_of_all_kinds(dtype, view):
    given = view(mx.arange(30).astype(dtype).reshape(5, 6))
    size = given.size
    contiguous = one(ELEMENT + "out[i] = a[i];", [given], (size,), dtype)
    assert mx.array_equal(contiguous, given.flatten())
    located = one(
        ELEMENT + "out[i] = a[elem_to_loc(int64_t(i), a_shape, a_strides, a_ndim)];",
        [given],
        (size,),
        dtype,
        ensure_row_contiguous=False,
    )
    assert mx.array_equal(located, given.flatten())


def test_the_grid_counts_threads_and_groups_may_be_uneven():
    source = """
        uint3 p = thread_position_in_grid;
        uint index = (p.z * threads_per_grid.y + p.y) * threads_per_grid.x + p.x;
        out[index] = threads_per_threadgroup.x * 100 + threads_per_threadgroup.y * 10 + threads_per_threadgroup.z;
    """
    out = np.array(one(source, [], (5, 7, 10), mx.int32, grid=(10, 7, 5), threadgroup=(4, 3, 2)))
    for z, y, x in np.ndindex(5, 7, 10):
        width, height, depth = min(4, 10 - x // 4 * 4), min(3, 7 - y // 3 * 3), min(2, 5 - z // 2 * 2)
        assert out[z, y, x] == width * 100 + height * 10 + depth


def test_threadgroups_larger_than_the_grid_are_cut():
    out = one(ELEMENT + "out[i] = threads_per_threadgroup.x;", [], (5,), mx.int32, threadgroup=(256, 1, 1))
    assert out.tolist() == [5] * 5


def test_threadgroup_memory_barriers_and_simdgroups():
    source = """
        threadgroup float part[8];
        uint i = thread_position_in_grid.x;
        float sum = simd_sum(a[i]);
        if (thread_index_in_simdgroup == 0) { part[simdgroup_index_in_threadgroup] = sum; }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float total = 0;
        for (uint s = 0; s < simdgroups_per_threadgroup; ++s) { total += part[s]; }
        out[i] = total;
    """
    values = mx.arange(512, dtype=mx.float32)
    out = one(source, [values], (512,), mx.float32, threadgroup=(256, 1, 1))
    assert out.tolist() == [sum(range(256))] * 256 + [sum(range(256, 512))] * 256


def test_atomic_outputs_with_a_first_value():
    source = ELEMENT + "atomic_fetch_add_explicit(&out[i % 4], a[i], memory_order_relaxed);"
    values = mx.arange(400, dtype=mx.float32)
    out = one(source, [values], (4,), mx.float32, grid=(400, 1, 1), atomic_outputs=True, init_value=10)
    assert out.tolist() == [10 + sum(range(start, 400, 4)) for start in range(4)]


@pytest.mark.parametrize("dtype", [mx.int8, mx.uint32, mx.int64, mx.float16, mx.bfloat16, mx.float32, mx.complex64])
def test_first_values_are_of_the_outputs_type(dtype):
    out = one("if (thread_position_in_grid.x == 0) { out[0] = 1; }", [], (20,), dtype, init_value=7)
    assert mx.array_equal(out, mx.array([1] + [7] * 19).astype(dtype))


def test_first_value_of_booleans_and_infinity():
    assert one("", [], (3,), mx.bool_, init_value=1.0).tolist() == [True] * 3
    assert one("", [], (3,), mx.float16, init_value=-float("inf")).tolist() == [-float("inf")] * 3


def test_two_outputs_with_facts_and_no_built_in_value():
    kernel = mx.fast.metal_kernel(
        name="two", input_names=["a"], output_names=["x", "y"], source="x[0] = a_shape[0]; y[0] = a[1];"
    )
    x, y = kernel(
        inputs=[mx.arange(9.0)],
        output_shapes=[(1,), (1,)],
        output_dtypes=[mx.int32, mx.float32],
        grid=(1, 1, 1),
        threadgroup=(1, 1, 1),
    )
    assert (x.item(), y.item()) == (9, 1.0)


def test_names_alone_do_not_decide_what_runs():
    a = mx.arange(4, dtype=mx.float32)
    p = one(ELEMENT + "out[i] = a[i] * 3.0f;", [a], (4,), mx.float32, name="same")
    q = one(ELEMENT + "out[i] = a[i] + 50.0f;", [a], (4,), mx.float32, name="same")
    mx.eval(p, q)
    assert (p.tolist(), q.tolist()) == ([0, 3, 6, 9], [50, 51, 52, 53])


def test_headers_too_are_part_of_what_runs():
    a = mx.arange(4, dtype=mx.float32)
    results = [
        one(ELEMENT + "out[i] = a[i] * X;", [a], (4,), mx.float32, header=f"#define X {x}\n").tolist() for x in (2, 3)
    ]
    assert results == [[0, 2, 4, 6], [0, 3, 6, 9]]


def test_kernels_follow_one_another():
    a = mx.ones((100,))
    for _ in range(20):
        a = one(ELEMENT + "out[i] = a[i] + 1;", [a], (100,), mx.float32) * 1
    assert a.tolist() == [21.0] * 100


def test_empty_outputs_need_no_threads():
    out = one(ELEMENT + "out[i] = a[i];", [mx.zeros((0,))], (0,), mx.float32, grid=(0, 1, 1))
    assert out.tolist() == []


def test_bfloat_and_float_names_of_mlx():
    source = ELEMENT + "bfloat16_t x = bfloat16_t(a[i]); float16_t y = float16_t(x); out[i] = float(x) + float(y);"
    assert one(source, [mx.full((9,), 1.5)], (9,), mx.float32).tolist() == [3.0] * 9


def test_fast_math_is_an_option():
    if "compile_options" not in (mx.fast.metal_kernel.__doc__ or ""):
        pytest.skip("this MLX has no compile options")
    for mode in ("safe", "relaxed", "fast"):
        source = ELEMENT + "out[i] = metal::exp(a[i]);"
        out = one(source, [mx.zeros((9,))], (9,), mx.float32, compile_options={"math_mode": mode})
        assert out.tolist() == [1.0] * 9
    infinite = one(ELEMENT + "out[i] = metal::exp(-INFINITY);", [], (1,), mx.float32)
    assert infinite.item() == 0.0


def test_compile():
    kernel = mx.fast.metal_kernel(
        name="square", input_names=["a"], output_names=["out"], source=ELEMENT + "out[i] = a[i] * a[i];"
    )

    @mx.compile
    def function(x):
        y = mx.exp(x) - 1
        (z,) = kernel(
            inputs=[y], output_shapes=[y.shape], output_dtypes=[y.dtype], grid=(y.size, 1, 1), threadgroup=(32, 1, 1)
        )
        return mx.log(z + 1) * 2

    for seed in range(3):
        x = mx.random.normal((77,), key=mx.random.key(seed))
        expected = mx.log((mx.exp(x) - 1) ** 2 + 1) * 2
        assert mx.allclose(function(x), expected, rtol=1e-5, atol=1e-6)


def test_custom_function_with_vjp():
    forward = mx.fast.metal_kernel(
        name="cube_forward", input_names=["a"], output_names=["out"], source=ELEMENT + "out[i] = a[i] * a[i] * a[i];"
    )
    backward = mx.fast.metal_kernel(
        name="cube_backward",
        input_names=["a", "cotangent"],
        output_names=["out"],
        source=ELEMENT + "out[i] = 3 * a[i] * a[i] * cotangent[i];",
    )

    def run(kernel, *inputs):
        (out,) = kernel(
            inputs=list(inputs),
            output_shapes=[inputs[0].shape],
            output_dtypes=[inputs[0].dtype],
            grid=(inputs[0].size, 1, 1),
            threadgroup=(32, 1, 1),
        )
        return out

    @mx.custom_function
    def cube(a):
        return run(forward, a)

    @cube.vjp
    def cube_vjp(primals, cotangent, _output):
        return run(backward, primals, cotangent)

    x = mx.arange(10, dtype=mx.float32)
    value, gradient = mx.value_and_grad(lambda x: (cube(x) * 2).sum())(x)
    assert value.item() == 2 * sum(i**3 for i in range(10))
    assert gradient.tolist() == [6.0 * i * i for i in range(10)]
    compiled = mx.compile(mx.grad(lambda x: cube(x).sum()))
    assert compiled(x).tolist() == [3.0 * i * i for i in range(10)]


def test_transformations_are_refused_as_by_mlx():
    def function(a):
        return one(ELEMENT + "out[i] = a[i];", [a], a.shape, a.dtype)

    with pytest.raises(ValueError, match=r"^\[Primitive::vmap\] Not implemented for CustomKernel\.$"):
        mx.vmap(function)(mx.zeros((2, 9)))
    with pytest.raises(ValueError, match=r"^\[Primitive::vjp\] Not implemented for CustomKernel\.$"):
        mx.grad(lambda a: function(a).sum())(mx.zeros((9,)))
    with pytest.raises(ValueError, match=r"^\[Primitive::jvp\] Not implemented for CustomKernel\.$"):
        mx.jvp(function, [mx.zeros((9,))], [mx.ones((9,))])


def test_streams():
    source = ELEMENT + "out[i] = a[i] + 1;"
    where = [mx.gpu, mx.cpu, mx.new_stream(mx.gpu), mx.new_stream(mx.cpu), mx.default_stream(mx.gpu), None]
    a = mx.zeros((9,))
    for stream in where:
        a = one(source, [a], (9,), mx.float32, stream=stream)
    assert a.tolist() == [6.0] * 9
    with mx.stream(mx.new_stream(mx.gpu)):
        b = one(source, [a], (9,), mx.float32)
        mx.async_eval(b)
    assert (a + b).tolist() == [13.0] * 9


def test_threads():
    kernel = mx.fast.metal_kernel(
        name="shared", input_names=["a"], output_names=["out"], source=ELEMENT + "out[i] = a[i] * N;"
    )
    failures = []

    def work(number):
        try:
            # On the default device: setting another is for the whole process, not for a thread.
            with mx.stream(mx.new_stream(mx.gpu)):
                for repeat in range(30):
                    (out,) = kernel(
                        inputs=[mx.arange(100, dtype=mx.float32)],
                        template=[("N", (number + repeat) % 5)],
                        output_shapes=[(100,)],
                        output_dtypes=[mx.float32],
                        grid=(100, 1, 1),
                        threadgroup=(32, 1, 1),
                    )
                    assert out.tolist() == [float(i * ((number + repeat) % 5)) for i in range(100)]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_launches_are_counted():
    before = metalworking.dispatch_counts().get("counted", 0)
    for _ in range(3):
        mx.eval(one("out[0] = 1;", [], (1,), mx.float32, name="counted"))
    assert metalworking.dispatch_counts()["counted"] == before + 3


def test_checked_execution_reaches_kernels_of_mlx():
    source = ELEMENT + "out[i] = a[elem_to_loc(int64_t(i), a_shape, a_strides, a_ndim)];"
    backward = mx.arange(30, dtype=mx.float32)[::-1]
    with metalworking.checked():
        # A view may begin at the end of its memory.
        out = one(source, [backward], (30,), mx.float32, ensure_row_contiguous=False)
        assert out.tolist() == backward.tolist()
        stray = one(ELEMENT + "out[i] = a[i + 1];", [mx.zeros((9,))], (9,), mx.float32, name="stray_check")
        with pytest.raises(RuntimeError, match="stray_check:2:10"):
            mx.eval(stray)
    one(ELEMENT + "out[i] = a[i];", [mx.zeros((9,))], (9,), mx.float32)
