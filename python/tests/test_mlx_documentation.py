"""The examples that MLX's page on custom kernels walks through: an element-wise kernel, views, and bilinear sampling
with a backward pass that adds atomically. The kernels are written anew."""

from __future__ import annotations

import metalworking.mlx  # noqa: F401
import mlx.core as mx
import numpy as np
import pytest


def test_elementwise_exponential():
    kernel = mx.fast.metal_kernel(
        name="myexp",
        input_names=["inp"],
        output_names=["out"],
        source="""
            uint elem = thread_position_in_grid.x;
            T tmp = inp[elem];
            out[elem] = metal::exp(tmp);
        """,
    )
    a = mx.random.normal(shape=(4, 16), key=mx.random.key(1)).astype(mx.float16)
    (b,) = kernel(
        inputs=[a],
        template=[("T", mx.float32)],
        grid=(a.size, 1, 1),
        threadgroup=(256, 1, 1),
        output_shapes=[a.shape],
        output_dtypes=[a.dtype],
    )
    assert mx.allclose(b, mx.exp(a))


def test_elementwise_exponential_of_views():
    kernel = mx.fast.metal_kernel(
        name="myexp_strided",
        input_names=["inp"],
        output_names=["out"],
        source="""
            uint elem = thread_position_in_grid.x;
            // Where the element is, whatever the strides are.
            uint loc = elem_to_loc(elem, inp_shape, inp_strides, inp_ndim);
            T tmp = inp[loc];
            out[elem] = metal::exp(tmp);
        """,
        ensure_row_contiguous=False,
    )
    a = mx.random.normal(shape=(4, 16), key=mx.random.key(2)).astype(mx.float16)[::2, ::3]
    (b,) = kernel(
        inputs=[a],
        template=[("T", mx.float32)],
        grid=(a.size, 1, 1),
        threadgroup=(256, 1, 1),
        output_shapes=[a.shape],
        output_dtypes=[a.dtype],
    )
    assert mx.allclose(b, mx.exp(a))


def reference_sample(x, grid):
    """Bilinear sampling of `x` [N, H, W, C] at `grid` [N, GH, GW, 2] in [-1, 1], in MLX's operators."""
    n, h, w, _ = x.shape
    gx = ((grid[..., 0] + 1) * w - 1) / 2
    gy = ((grid[..., 1] + 1) * h - 1) / 2
    x0, y0 = mx.stop_gradient(mx.floor(gx)), mx.stop_gradient(mx.floor(gy))
    total = 0
    batch = mx.arange(n).reshape(n, 1, 1)
    for dx in (0, 1):
        for dy in (0, 1):
            cx, cy = x0 + dx, y0 + dy
            weight = (1 - mx.abs(gx - cx)) * (1 - mx.abs(gy - cy))
            inside = (cx >= 0) & (cx < w) & (cy >= 0) & (cy < h)
            ix = mx.clip(cx, 0, w - 1).astype(mx.int32)
            iy = mx.clip(cy, 0, h - 1).astype(mx.int32)
            total = total + (weight * inside)[..., None] * x[batch, iy, ix]
    return total


CORNERS = """
    uint elem = thread_position_in_grid.x;
    int height = x_shape[1];
    int width = x_shape[2];
    int channels = x_shape[3];
    int points = grid_shape[1] * grid_shape[2];
    int channel = elem % channels;
    int point = elem / channels;
    int image = point / points;
    float px = ((grid[2 * point] + 1) * width - 1) / 2;
    float py = ((grid[2 * point + 1] + 1) * height - 1) / 2;
    int left = floor(px);
    int top = floor(py);
"""

FORWARD = (
    CORNERS
    + """
    float sum = 0;
    for (int corner = 0; corner < 4; ++corner) {
        int column = left + corner % 2;
        int row = top + corner / 2;
        if (column >= 0 && column < width && row >= 0 && row < height) {
            float weight = (1 - abs(px - column)) * (1 - abs(py - row));
            sum += weight * x[((image * height + row) * width + column) * channels + channel];
        }
    }
    out[elem] = sum;
"""
)

# The gradient of a point's coordinates is summed over channels: threads of a simdgroup first, then atomically.
BACKWARD = (
    CORNERS
    + """
    float given = cotangent[elem];
    float dx = 0;
    float dy = 0;
    for (int corner = 0; corner < 4; ++corner) {
        int column = left + corner % 2;
        int row = top + corner / 2;
        if (column >= 0 && column < width && row >= 0 && row < height) {
            float across = 1 - abs(px - column);
            float down = 1 - abs(py - row);
            int place = ((image * height + row) * width + column) * channels + channel;
            atomic_fetch_add_explicit(&x_grad[place], across * down * given, memory_order_relaxed);
            dx += x[place] * down * (corner % 2 ? 1 : -1) * given;
            dy += x[place] * across * (corner / 2 ? 1 : -1) * given;
        }
    }
    dx = dx * width / 2;
    dy = dy * height / 2;
    if (channels % threads_per_simdgroup == 0) {
        dx = simd_sum(dx);
        dy = simd_sum(dy);
        if (thread_index_in_simdgroup == 0) {
            atomic_fetch_add_explicit(&grid_grad[2 * point], dx, memory_order_relaxed);
            atomic_fetch_add_explicit(&grid_grad[2 * point + 1], dy, memory_order_relaxed);
        }
    } else {
        atomic_fetch_add_explicit(&grid_grad[2 * point], dx, memory_order_relaxed);
        atomic_fetch_add_explicit(&grid_grad[2 * point + 1], dy, memory_order_relaxed);
    }
"""
)


@pytest.fixture(scope="module")
def grid_sample():
    forward = mx.fast.metal_kernel(name="grid_sample", input_names=["x", "grid"], output_names=["out"], source=FORWARD)
    backward = mx.fast.metal_kernel(
        name="grid_sample_grad",
        input_names=["x", "grid", "cotangent"],
        output_names=["x_grad", "grid_grad"],
        source=BACKWARD,
        atomic_outputs=True,
    )

    @mx.custom_function
    def sample(x, grid):
        shape = (*grid.shape[:3], x.shape[3])
        return forward(
            inputs=[x, grid],
            output_shapes=[shape],
            output_dtypes=[x.dtype],
            grid=(int(np.prod(shape)), 1, 1),
            threadgroup=(256, 1, 1),
        )[0]

    @sample.vjp
    def sample_vjp(primals, cotangent, _output):
        x, grid = primals
        x_grad, grid_grad = backward(
            inputs=[x, grid, cotangent],
            output_shapes=[x.shape, grid.shape],
            output_dtypes=[x.dtype, grid.dtype],
            grid=(cotangent.size, 1, 1),
            threadgroup=(256, 1, 1),
            init_value=0,
        )
        return x_grad, grid_grad

    return sample


@pytest.mark.parametrize("channels", [5, 32, 64])
def test_grid_sample_and_its_gradient(grid_sample, channels):
    x = mx.random.normal((2, 9, 7, channels), key=mx.random.key(3))
    grid = mx.random.uniform(-1.1, 1.1, (2, 6, 5, 2), key=mx.random.key(4))
    weight = mx.random.normal((2, 6, 5, channels), key=mx.random.key(5))
    assert mx.allclose(grid_sample(x, grid), reference_sample(x, grid), rtol=1e-4, atol=1e-5)

    def loss(sample):
        return lambda x, grid: (sample(x, grid) * weight).sum()

    ours = mx.grad(loss(grid_sample), argnums=(0, 1))(x, grid)
    theirs = mx.grad(loss(reference_sample), argnums=(0, 1))(x, grid)
    for got, expected in zip(ours, theirs, strict=True):
        assert mx.allclose(got, expected, rtol=1e-3, atol=1e-4)
    assert mx.allclose(mx.compile(grid_sample)(x, grid), grid_sample(x, grid))
