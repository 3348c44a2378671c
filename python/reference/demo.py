"""The demo: Apple's kernels on real shapes, each beside the MLX call that computes the same on the CPU."""

from __future__ import annotations

import sys
import time

import mlx.core as mx
import numpy as np

from . import arrays
from .cases import Case, Writer, sum_tolerance
from .launch import attention, elementwise, matmul, quantized, reducing, rope, rows, scanning, sorting

ROUNDS = 7
# Both sides round: our kernel and MLX's operator may each be this many units off.
BOTH = 2


def to_mlx(values: np.ndarray, dtype: str) -> mx.array:
    array = mx.array(values)
    return array.astype(mx.bfloat16) if dtype == "bfloat16" else array


def to_numpy(array: mx.array) -> np.ndarray:
    return np.array(array.astype(mx.float32) if array.dtype == mx.bfloat16 else array)


def timed(call) -> tuple[np.ndarray, float]:
    """Result and best time of an MLX call."""
    result = call()
    mx.eval(result)
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        mx.eval(call())
        times.append(time.perf_counter() - start)
    return to_numpy(result), min(times)


class Demo:
    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.seed = 0

    def values(self, shape, dtype: str, low=-2.0, high=2.0) -> np.ndarray:
        self.seed += 1
        return arrays.values(self.seed, shape, dtype, low, high)

    def case(self, family: str, name: str, shape: str) -> Case:
        print(f"  {name} {shape}", file=sys.stderr)
        return self.writer.case(family, name, shape)

    def unary(self, op: str, call, text: str, ulp: int, low=-2.0, high=2.0, dtype="float32", size=1 << 22) -> None:
        x = self.values(size, dtype, low, high)
        given = to_mlx(x, dtype)
        y, seconds = timed(lambda: call(given))
        case = self.case("unary", f"{op} {dtype}", f"{size >> 20} Mi")
        case.input("x", x, dtype).room("y", size, dtype)
        elementwise.unary(case, op, dtype, dtype, size)
        case.expect("y", y, dtype, ulp=ulp).measured(text, seconds, bytes=2 * size * arrays.size_of(dtype))

    def binary(self, op: str, call, text: str, ulp: int, dtype="float32", size=1 << 22, low=-2.0) -> None:
        a, b = self.values(size, dtype, low), self.values(size, dtype, 0.25)
        left, right = to_mlx(a, dtype), to_mlx(b, dtype)
        c, seconds = timed(lambda: call(left, right))
        case = self.case("binary", f"{op} {dtype}", f"{size >> 20} Mi")
        case.input("a", a, dtype).input("b", b, dtype).room("c", size, dtype)
        elementwise.binary(case, op, dtype, "vv", size)
        case.expect("c", c, dtype, ulp=ulp).measured(text, seconds, bytes=3 * size * arrays.size_of(dtype))

    def norms(self, count=1024, axis=4096) -> None:
        shape = f"{count}×{axis}"
        for dtype in ("float32", "float16"):
            x, w, b = self.values((count, axis), dtype), self.values(axis, dtype), self.values(axis, dtype)
            mx_x, mx_w, mx_b = to_mlx(x, dtype), to_mlx(w, dtype), to_mlx(b, dtype)
            size = arrays.size_of(dtype)
            # The root of a mean of squares has half of the mean's relative error; the squares do not cancel.
            tolerance = BOTH * sum_tolerance(axis, dtype)

            y, seconds = timed(lambda: mx.fast.rms_norm(mx_x, mx_w, 1e-5))
            case = self.case("rms", f"rms {dtype}", shape)
            case.input("x", x, dtype).input("w", w, dtype).room("y", x.shape, dtype)
            rows.rms_norm(case, dtype, count, axis, 1e-5)
            # The kernel rounds before and after the weight; MLX's operator rounds once.
            case.expect("y", y, dtype, ulp=2, scale=np.abs(y), tolerance=tolerance, unit="of |y|")
            case.measured("mx.fast.rms_norm(x, w, 1e-5)", seconds, bytes=2 * x.size * size)

            y, seconds = timed(lambda: mx.fast.layer_norm(mx_x, mx_w, mx_b, 1e-5))
            case = self.case("layer_norm", f"layer_norm {dtype}", shape)
            case.input("x", x, dtype).input("w", w, dtype).input("b", b, dtype).room("y", x.shape, dtype)
            rows.layer_norm(case, dtype, count, axis, 1e-5)
            # The mean is subtracted, and the bias added: their magnitudes bound what may cancel.
            spread = np.abs(x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
            scale = ((spread + 1) * np.abs(w) + np.abs(b)).astype(np.float32)
            case.expect("y", y, dtype, ulp=1, scale=scale, tolerance=tolerance, unit="of Σ|terms|")
            case.measured("mx.fast.layer_norm(x, w, b, 1e-5)", seconds, bytes=2 * x.size * size)

            y, seconds = timed(lambda: mx.softmax(mx_x, -1, precise=True))
            case = self.case("softmax", f"softmax {dtype}", shape)
            case.input("x", x, dtype).room("y", x.shape, dtype)
            rows.softmax(case, dtype, count, axis, precise=dtype != "float32")
            # `fast::exp` may be off by 3 + 2·|x| units (the specification); the sum adds its own part.
            span = float(x.max() - x.min())
            units = (3 + 2 * span) * 2 * arrays.ROUNDOFF["float32"]
            case.expect("y", y, dtype, ulp=1, scale=np.abs(y), tolerance=tolerance + 2 * units, unit="of |y|")
            case.measured("mx.softmax(x, -1)", seconds, bytes=2 * x.size * size)

    def rope(self, heads=32, length=1024, width=128) -> None:
        for dtype in ("float32", "float16"):
            x = self.values((1, heads, length, width), dtype)
            given = to_mlx(x, dtype)
            call = lambda: mx.fast.rope(given, width, traditional=False, base=10000.0, scale=1.0, offset=7)
            y, seconds = timed(call)
            case = self.case("rope", f"rope {dtype}", f"1×{heads}×{length}×{width}")
            case.input("x", x, dtype).input("offset", np.array([7], np.int32), "int32").room("y", x.shape, dtype)
            rope.rope(case, dtype, x.shape, width, 10000.0, 1.0)
            # The angle is position · frequency, rounded: its error is a part of the position.
            tolerance = BOTH * ((length + 7) * 2.0**-23 + arrays.ROUNDOFF[dtype])
            case.expect("y", y, dtype, ulp=1, scale=4.0, tolerance=tolerance, unit="of |x|")
            case.measured("mx.fast.rope(x, 128, base=10000, offset=7)", seconds, bytes=2 * x.size * arrays.size_of(dtype))

    def sorts(self) -> None:
        for count, length in ((4096, 1024), (16, 262144)):
            dtype = "float32"
            x = self.values((count, length), dtype)
            given = to_mlx(x, dtype)
            y, seconds = timed(lambda: mx.sort(given, -1))
            blocks = sorting.is_one_block(length, dtype)
            case = self.case("sort", f"sort {dtype}" if blocks else f"sort {dtype}, merged", f"{count}×{length}")
            case.input("x", x, dtype)
            if blocks:
                case.room("y", x.shape, dtype)
                sorting.sort(case, dtype, count, length)
                result = "y"
            else:
                result = "v" + sorting.sort_in_blocks(case, dtype, count, length)
            case.expect(result, y, dtype).measured("mx.sort(x, -1)", seconds)

    def scans(self, count=1024, length=4096) -> None:
        for op, call, text in (("sum", mx.cumsum, "mx.cumsum(x, -1)"), ("max", mx.cummax, "mx.cummax(x, -1)")):
            dtype = "float32"
            x = self.values((count, length), dtype)
            given = to_mlx(x, dtype)
            y, seconds = timed(lambda: call(given, axis=-1))
            case = self.case("scan", f"scan {op} {dtype}", f"{count}×{length}")
            case.input("x", x, dtype).room("y", x.shape, dtype)
            scanning.scan(case, op, dtype, dtype, count, length)
            if op == "max":
                case.expect("y", y, dtype)
            else:
                scale = np.cumsum(np.abs(x), -1, dtype=np.float64).astype(np.float32)
                tolerance = BOTH * sum_tolerance(length, dtype)
                case.expect("y", y, dtype, scale=scale, tolerance=tolerance, unit="of Σ|x|")
            case.measured(text, seconds, bytes=2 * x.nbytes)

    def reductions(self, count=1024, length=4096) -> None:
        dtype = "float32"
        x = self.values((count, length), dtype)
        given = to_mlx(x, dtype)
        total = np.abs(x).sum(dtype=np.float64)
        y, seconds = timed(lambda: mx.sum(given))
        case = self.case("all_reduce", "all_reduce sum float32", f"{count * length >> 20} Mi")
        case.input("x", x, dtype).room("y", 1, dtype)
        reducing.reduce_all(case, "sum", dtype, dtype, x.size)
        case.expect("y", y.reshape(1), dtype, scale=float(total), tolerance=BOTH * sum_tolerance(x.size, dtype),
                    unit="of Σ|x|")
        case.measured("mx.sum(x)", seconds, bytes=x.nbytes)

        y, seconds = timed(lambda: mx.sum(given, -1))
        case = self.case("row_reduce", "row_reduce sum float32", f"{count}×{length}")
        case.input("x", x, dtype).room("y", count, dtype)
        reducing.reduce_rows(case, "sum", dtype, count, length)
        case.expect("y", y, dtype, scale=np.abs(x).sum(-1), tolerance=BOTH * sum_tolerance(length, dtype),
                    unit="of Σ|x|")
        case.measured("mx.sum(x, -1)", seconds, bytes=x.nbytes)

        y, seconds = timed(lambda: mx.argmax(given, -1))
        case = self.case("argmax", "argmax float32", f"{count}×{length}")
        case.input("x", x, dtype).room("y", count, "uint32")
        reducing.arg_reduce(case, "argmax", dtype, count, length)
        case.expect("y", y, "uint32").measured("mx.argmax(x, -1)", seconds, bytes=x.nbytes)

    def products(self) -> None:
        for dtype, size, layout in (("float32", 512, "nn"), ("float32", 1024, "nn"), ("float32", 1024, "nt"),
                                    ("float16", 1024, "nn")):
            a, b = self.values((size, size), dtype), self.values((size, size), dtype)
            left, right = to_mlx(a, dtype), to_mlx(b, dtype)
            call = (lambda: left @ right.T) if layout == "nt" else (lambda: left @ right)
            y, seconds = timed(call)
            case = self.case("steel_gemm", f"steel_gemm {layout} {dtype}", f"{size}³")
            case.input("a", a, dtype).input("b", b, dtype).room("y", y.shape, dtype)
            matmul.gemm(case, dtype, size, size, size, layout)
            magnitudes = np.abs(a).astype(np.float32) @ np.abs(b.T if layout == "nt" else b).astype(np.float32)
            case.expect("y", y, dtype, scale=magnitudes, tolerance=BOTH * sum_tolerance(size, dtype),
                        unit="of Σ|ab|")
            case.measured("a @ b.T" if layout == "nt" else "a @ b", seconds, flops=2 * size**3)

        size = 4096
        for dtype, transposed in (("float32", False), ("float32", True), ("float16", False)):
            a, x = self.values((size, size), dtype), self.values(size, dtype)
            matrix, vector = to_mlx(a, dtype), to_mlx(x, dtype)
            y, seconds = timed(lambda: vector @ matrix if transposed else matrix @ vector)
            case = self.case("gemv", f"gemv{'_t' if transposed else ''} {dtype}", f"{size}²")
            case.input("a", a, dtype).input("x", x, dtype).room("y", size, dtype)
            (matmul.gemv_transposed if transposed else matmul.gemv)(case, dtype, size, size)
            magnitudes = np.abs((a.T if transposed else a).astype(np.float32)) @ np.abs(x.astype(np.float32))
            case.expect("y", y, dtype, scale=magnitudes, tolerance=BOTH * sum_tolerance(size, dtype), unit="of Σ|ax|")
            case.measured("x @ a" if transposed else "a @ x", seconds, bytes=a.size * arrays.size_of(dtype))

    def quantized(self, size=4096, group=64, bits=4) -> None:
        for dtype in ("float32", "float16"):
            dense, x = self.values((size, size), dtype), self.values((1, size), dtype)
            w, scales, biases = mx.quantize(to_mlx(dense, dtype), group, bits)
            vector = to_mlx(x, dtype)
            y, seconds = timed(lambda: mx.quantized_matmul(vector, w, scales, biases, True, group, bits))
            case = self.case("affine_qmv", f"affine_qmv {bits}-bit {dtype}", f"{size}²")
            case.input("w", to_numpy(w), "uint32").input("scales", to_numpy(scales), dtype)
            case.input("biases", to_numpy(biases), dtype).input("x", x, dtype).room("y", (1, size), dtype)
            quantized.qmv(case, dtype, 1, size, size, group, bits)
            # Σ|x|·(|scale|·15 + |bias|) bounds the terms.
            spread = np.abs(to_numpy(scales)).astype(np.float32) * (2**bits - 1) + np.abs(to_numpy(biases))
            grouped = np.abs(x.astype(np.float32)).reshape(-1, group).sum(-1)
            case.expect("y", y, dtype, scale=(spread @ grouped).reshape(1, -1),
                        tolerance=BOTH * sum_tolerance(size, dtype), unit="of Σ|wx|")
            case.measured("mx.quantized_matmul(x, w, s, b, True, 64, 4)", seconds, bytes=w.nbytes)

    def attention(self) -> None:
        heads, kv_heads, keys, width = 32, 8, 4096, 128
        scale = width**-0.5
        for dtype in ("float32", "float16"):
            q = self.values((1, heads, 1, width), dtype)
            k, v = (self.values((1, kv_heads, keys, width), dtype) for _ in range(2))
            mq, mk, mv = (to_mlx(it, dtype) for it in (q, k, v))
            y, seconds = timed(lambda: mx.fast.scaled_dot_product_attention(mq, mk, mv, scale=scale))
            case = self.case("sdpa_vector", f"sdpa_vector {dtype}", f"{heads}×1 · {keys}×{width}")
            case.input("q", q, dtype).input("k", k, dtype).input("v", v, dtype).room("y", y.shape, dtype)
            attention.vector(case, dtype, heads, kv_heads, 1, keys, width, scale)
            # The output is a weighted mean of values of magnitude up to 2; scores are sums of `width` products,
            # whose error the exponential turns into a relative one of each weight.
            score = 2.0 * 2.0 * width * scale
            score_dtype = arrays.ROUNDOFF[dtype] * (0 if dtype == "float32" else 1)
            tolerance = BOTH * (sum_tolerance(keys, dtype) + score * (sum_tolerance(width, "float32") + score_dtype))
            case.expect("y", y, dtype, scale=2.0, tolerance=tolerance, unit="of |v|")
            case.measured("mx.fast.scaled_dot_product_attention(q, k, v)", seconds,
                          bytes=2 * k.size * arrays.size_of(dtype))

        heads, length = 8, 1024
        for dtype, causal in (("float32", False), ("float16", True)):
            q, k, v = (self.values((1, heads, length, width), dtype) for _ in range(3))
            mq, mk, mv = (to_mlx(it, dtype) for it in (q, k, v))
            mask = "causal" if causal else None
            y, seconds = timed(lambda: mx.fast.scaled_dot_product_attention(mq, mk, mv, scale=scale, mask=mask))
            name = f"steel_attention {'causal ' if causal else ''}{dtype}"
            case = self.case("steel_attention", name, f"1×{heads}×{length}×{width}")
            case.input("q", q, dtype).input("k", k, dtype).input("v", v, dtype).room("y", y.shape, dtype)
            attention.tiled(case, dtype, 1, heads, heads, length, length, width, scale, causal)
            score = 2.0 * 2.0 * width * scale
            score_dtype = arrays.ROUNDOFF[dtype] * (0 if dtype == "float32" else 1)
            tolerance = BOTH * (sum_tolerance(length, dtype) + score * (sum_tolerance(width, "float32") + score_dtype))
            case.expect("y", y, dtype, scale=2.0, tolerance=tolerance, unit="of |v|")
            case.measured("mx.fast.scaled_dot_product_attention(q, k, v)", seconds,
                          flops=4 * heads * length * length * width // (2 if causal else 1))


def write(writer: Writer) -> None:
    mx.set_default_device(mx.cpu)
    demo = Demo(writer)
    # MLX's own exponential is up to 8 units off.
    demo.unary("Exp", mx.exp, "mx.exp(x)", ulp=10, low=-10, high=10)
    demo.unary("Tanh", mx.tanh, "mx.tanh(x)", ulp=8)
    demo.unary("Sigmoid", mx.sigmoid, "mx.sigmoid(x)", ulp=8)
    demo.unary("Sqrt", mx.sqrt, "mx.sqrt(x)", ulp=1, low=0, dtype="float16")
    demo.binary("Add", mx.add, "a + b", ulp=0)
    demo.binary("Multiply", mx.multiply, "a * b", ulp=0, dtype="float16")
    demo.binary("Divide", mx.divide, "a / b", ulp=1)
    demo.binary("Power", mx.power, "a ** b", ulp=16, low=0.25)
    demo.norms()
    demo.rope()
    demo.sorts()
    demo.scans()
    demo.reductions()
    demo.products()
    demo.quantized()
    demo.attention()
