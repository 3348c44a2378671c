"""y = x W^T with W quantised as MLX does it, dequantised in registers: the product of decoding.

Affine quantisation: a row is cut into groups of 32, 64 or 128; each has a scale and a bias, and a weight is
scale * code + bias. Codes are packed into uint32 from the low bits up: eight of 4 bits, four of 8.
The weights are read once and used once, so that the kernel is bound by their bytes: 4.5 bits each with 4-bit
codes in groups of 64 (16-bit scale and bias), against 16.
"""

from __future__ import annotations

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main

HEADER = """
constant constexpr uint ROWS = 4;        // rows of a simdgroup: x is read once for all of them
constant constexpr uint SIMDGROUPS = 2;  // small threadgroups: many of them, so that all cores have work
"""

# Grid: x eight rows of W for each threadgroup, y the rows of x.
SOURCE = """
    constexpr uint PER_WORD = 32 / BITS;
    constexpr uint WORDS = BITS == 2 ? 1 : 2;         // words of a lane and step
    constexpr uint VALUES = PER_WORD * WORDS;         // 8 or 16: they divide a group, so share its scale
    constexpr uint MASK = (1u << BITS) - 1;
    const uint lane = thread_index_in_simdgroup;
    const uint columns = x_shape[1], rows = w_shape[0];
    const uint words = columns / PER_WORD, groups = columns / GROUP;
    const uint simdgroup = threadgroup_position_in_grid.x * SIMDGROUPS + simdgroup_index_in_threadgroup;
    const uint first_row = simdgroup * ROWS;
    const size_t vector = thread_position_in_grid.y;
    const size_t x_row = vector * columns;

    float result[ROWS] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint c = VALUES * lane; c < columns; c += VALUES * 32) {
        // sum(x * (scale * code + bias)) = scale * sum(x * code) + bias * sum(x): no weight is ever formed.
        float values[VALUES], sum = 0.0f;
        for (uint i = 0; i < VALUES; i++) {
            values[i] = float(x[x_row + c + i]);
            sum += values[i];
        }
        for (uint r = 0; r < ROWS; r++) {
            const size_t row = metal::min(first_row + r, rows - 1);  // past the end: read the last row again
            float product = 0.0f;
            for (uint word = 0; word < WORDS; word++) {
                uint codes = w[row * words + c / PER_WORD + word];
                for (uint i = 0; i < PER_WORD; i++) {
                    product += values[word * PER_WORD + i] * float(codes & MASK);
                    codes >>= BITS;
                }
            }
            const size_t group = row * groups + c / GROUP;
            result[r] += float(scales[group]) * product + float(biases[group]) * sum;
        }
    }
    for (uint r = 0; r < ROWS; r++) {
        const float total = simd_sum(result[r]);
        if (lane == 0 && first_row + r < rows) y[vector * rows + first_row + r] = T(total);
    }
"""

_dequant_matvec = mx.fast.metal_kernel(
    name="dequant_matvec",
    input_names=["x", "w", "scales", "biases"],
    output_names=["y"],
    source=SOURCE,
    header=HEADER,
)


def dequant_matvec(
    x: mx.array, w: mx.array, scales: mx.array, biases: mx.array, *, group_size: int = 64, bits: int = 4
) -> mx.array:
    """x: [..., columns]; w, scales, biases as `mx.quantize` returns them for a [rows, columns] matrix.

    For one row of x, or a few. With many (prefill) each weight should be used more than once:
    `mx.quantized_matmul`.
    """
    if bits not in (2, 4, 8):
        raise ValueError(f"{bits} bits: codes of 3, 5 and 6 bits cross the edges of words and are packed otherwise")
    if group_size not in (32, 64, 128):
        raise ValueError(f"MLX has no groups of {group_size}")
    columns, rows = x.shape[-1], w.shape[0]
    if w.dtype != mx.uint32 or w.shape[1] * 32 // bits != columns or scales.shape != (rows, columns // group_size):
        raise ValueError(f"x {x.shape}, w {w.shape} {w.dtype} and scales {scales.shape} do not fit together")
    count = x.size // columns
    return _dequant_matvec(
        inputs=[x.reshape(-1, columns), w, scales, biases],
        template=[("T", x.dtype), ("GROUP", group_size), ("BITS", bits)],
        grid=(64 * -(-rows // 8), count, 1),
        threadgroup=(64, 1, 1),
        output_shapes=[(*x.shape[:-1], rows)],
        output_dtypes=[x.dtype],
    )[0]


def check() -> int:
    """Rows off eight, columns off a step of 32 lanes, all groups and bits, one vector and several."""
    report = Report("dequantising matrix-vector product")
    for dtype in FLOATS:
        for bits in (4, 8, 2):
            for group_size in (32, 64, 128) if bits == 4 else (64,):
                for rows, columns, batch in [(1, 128, 1), (31, 384, 1), (33, 1152, 3), (100, 4224, 1)]:
                    x = mx.random.normal((batch, columns)).astype(dtype)
                    packed = mx.quantize(
                        (mx.random.normal((rows, columns)) / columns**0.5).astype(dtype), group_size, bits
                    )
                    got = dequant_matvec(x, *packed, group_size=group_size, bits=bits)
                    wide = [a.astype(mx.float32) for a in packed[1:]]
                    want = mx.quantized_matmul(
                        x.astype(mx.float32),
                        packed[0],
                        *wide,
                        transpose=True,
                        group_size=group_size,
                        bits=bits,
                    )
                    report.compare(f"{bits} bits", (rows, columns, group_size, batch), got, want)
    return report.finish()


def bench(roof: float | None) -> None:
    """A projection of a 7B model, one token."""
    x = mx.random.normal((1, 4096)).astype(mx.float16)
    weight = mx.random.normal((4096, 4096)).astype(mx.float16)
    packed = mx.quantize(weight, 64, 4)
    mx.eval(x, weight, packed)
    timing = Bench("4096 x 4096, 4 bits, groups of 64, float16", bytes_moved=sum(a.nbytes for a in packed))
    timing.add("mx.quantized_matmul", lambda: mx.quantized_matmul(x, *packed, group_size=64, bits=4))
    timing.add("this kernel", lambda: dequant_matvec(x, *packed))
    timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
