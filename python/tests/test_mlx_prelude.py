"""Names that MLX puts before every kernel: index arithmetic, limits, complex numbers, functions of bfloat and of wide
types."""

from __future__ import annotations

import metalworking.mlx  # noqa: F401
import mlx.core as mx
import numpy as np
import pytest
from mlx_dtypes import DTYPES


def run(body, inputs, size, dtype, **options):
    kernel = mx.fast.metal_kernel(
        name="prelude",
        input_names=[chr(ord("a") + index) for index in range(len(inputs))],
        output_names=["out"],
        source=f"uint i = thread_position_in_grid.x;\n{body}",
        **{key: options.pop(key) for key in ("ensure_row_contiguous", "header") if key in options},
    )
    arguments = {"grid": (size, 1, 1), "threadgroup": (min(size, 64), 1, 1), **options}
    return kernel(inputs=inputs, output_shapes=[(size,)], output_dtypes=[dtype], **arguments)[0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_scalars_small_and_large_arrays_of_every_type(dtype):
    for shape, element in (((), "a"), ((3,), "a[i % 3]"), ((20,), "a[i]")):
        values = mx.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
        if shape == ():
            values = mx.array(1).astype(dtype)
        out = run(f"out[i] = {element};", [values], 20, dtype)
        expected = np.resize(np.array(values.astype(mx.complex64)), 20)
        assert np.array_equal(np.array(out.astype(mx.complex64)), expected)


def strided():
    return mx.arange(3 * 4 * 5 * 6, dtype=mx.float32).reshape(3, 4, 5, 6).transpose(2, 0, 3, 1)[::2, :, 1::2]


@pytest.mark.parametrize("index", ["uint", "int", "int64_t", "size_t", "short"])
def test_elem_to_loc_in_every_width(index):
    view = strided()
    body = f"out[i] = a[elem_to_loc({index}(i), a_shape, a_strides, a_ndim)];"
    out = run(body, [view], view.size, mx.float32, ensure_row_contiguous=False)
    assert mx.array_equal(out, view.flatten())


def test_elem_to_loc_of_positions():
    view = strided()
    rows, columns = view.shape[-2:]
    body = f"""
        uint3 place = uint3(i % {columns}, i / {columns} % {rows}, i / {rows * columns});
        out[i] = a[elem_to_loc(place, a_shape, a_strides, a_ndim)];
        auto both = elem_to_loc_2_nd<int>(place, a_shape, a_strides, a_strides, a_ndim);
        auto three = elem_to_loc_3_nd(place, a_shape, a_strides, a_strides, a_strides, a_ndim);
        if (both.x != both.y || three.z != both.x) {{ out[i] = -1; }}
    """
    out = run(body, [view], view.size, mx.float32, ensure_row_contiguous=False)
    assert mx.array_equal(out, view.flatten())


@pytest.mark.parametrize("dims", [1, 2, 3, 4])
def test_walking_over_elements(dims):
    view = strided()
    body = f"""
        LoopedElemToLoc<{dims}, int> walk(a_ndim);
        LoopedElemToLoc<{dims}> jump(a_ndim);
        jump.next(int(i), a_shape, a_strides);
        for (uint n = 0; n < i; ++n) {{ walk.next(a_shape, a_strides); }}
        out[i] = walk.location() == int(jump.location()) ? a[walk.location()] : -1;
    """
    out = run(body, [view], view.size, mx.float32, ensure_row_contiguous=False)
    assert mx.array_equal(out, view.flatten())


def test_limits():
    body = """
        float values[] = {
            Limits<float>::max, Limits<float>::min, Limits<float>::finite_max, float(Limits<half>::finite_min),
            float(Limits<bfloat16_t>::max), float(Limits<int8_t>::min), float(Limits<uint16_t>::max),
            float(Limits<bool>::max), float(Limits<int32_t>::finite_min), Limits<complex64_t>::min.real,
        };
        out[i] = values[i];
    """
    largest = np.finfo(np.float32).max
    expected = [np.inf, -np.inf, largest, -65504, np.inf, -128, 65535, 1, -(2.0**31), -np.inf]
    assert run(body, [], len(expected), mx.float32).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "rsqrt", "tanh", "sin"])
def test_functions_of_bfloat_round_once(name):
    values = mx.linspace(0.1, 4, 64).astype(mx.bfloat16)
    for scope in ("metal::", "metal::precise::"):
        out = run(f"auto y = {scope}{name}(a[i]); static_assert(is_same_v<decltype(y), bfloat16_t>); out[i] = y;",
                  [values], 64, mx.bfloat16)  # fmt: skip
        expected = getattr(mx, name)(values.astype(mx.float32)).astype(mx.bfloat16)
        difference = mx.abs(out.astype(mx.float32) - expected.astype(mx.float32))
        assert mx.all(difference <= mx.abs(expected.astype(mx.float32)) / 128)


@pytest.mark.parametrize(
    "check",
    [
        "simd_sum(b) == bfloat16_t(496.0f)",
        "simd_max(b) == bfloat16_t(31.0f)",
        "simd_shuffle_xor(b, 1) == bfloat16_t(float(i ^ 1))",
        "simd_shuffle(uint64_t(i) << 40, 5) == (uint64_t(5) << 40)",
        "simd_shuffle_down(-int64_t(i), 1) == -int64_t(i) - 1 || i == 31",
        "simd_shuffle_up(bool(i % 2), 1) != bool(i % 2) || i == 0",
        "simd_shuffle(complex64_t(i, -float(i)), 3).imag == -3.0f",
        "simd_shuffle_and_fill_up(uint64_t(i), uint64_t(99), 1) == (i == 0 ? 99 : i - 1)",
        "simd_shuffle_and_fill_up(complex64_t(i, 1.0f), complex64_t(7.0f), 1).real == (i == 0 ? 7.0f : i - 1.0f)",
    ],
)
def test_simd_functions_of_bfloat_and_of_wide_types(check):
    out = run(f"bfloat16_t b = bfloat16_t(float(i)); out[i] = {check};", [], 32, mx.bool_, threadgroup=(32, 1, 1))
    assert out.tolist() == [True] * 32


def test_complex_arithmetic():
    a = mx.array([1 + 2j, -3 + 0.5j, 0.25 - 4j, 2 + 0j] * 3, dtype=mx.complex64)
    b = mx.array([2 - 1j, 0.5 + 0.5j, -1 - 3j, -1j] * 3, dtype=mx.complex64)
    x, y = np.array(a), np.array(b)
    for text, expected in (
        ("a[i] + b[i]", x + y),
        ("a[i] - b[i]", x - y),
        ("a[i] * b[i]", x * y),
        ("a[i] / b[i]", x / y),
        ("2.0f * a[i] - 1.0f", 2 * x - 1),
        ("-a[i]", -x),
        ("complex64_t(float2(a[i].imag, a[i].real))", x.imag + 1j * x.real),
    ):
        assert np.allclose(np.array(run(f"out[i] = {text};", [a, b], 12, mx.complex64)), expected, rtol=1e-6), text
    ordered = run("out[i] = a[i] > b[i];", [a, b], 12, mx.bool_)
    expected = [(p.real, p.imag) > (q.real, q.imag) for p, q in zip(x, y, strict=True)]
    assert ordered.tolist() == expected


def test_helpers():
    body = """
        float values[] = {
            float(ceildiv(10, 3)), log1p(1e-8f), hypot(3e30f, 4e30f), float(cast_to<bool>(1e-42f)),
            float(bfloat16_to_uint16(bfloat16_t(1.0f))), float(uint16_to_bfloat16(0x4000)),
            float(WorkPerThread<half>::n), sizeof(ConditionalType<true, int64_t, char>::type),
        };
        out[i] = values[i];
    """
    expected = [4, 1e-8, 5e30, 1, 0x3F80, 2, 4, 8]
    assert np.allclose(np.array(run(body, [], len(expected), mx.float32)), expected, rtol=1e-6)
