"""A whole decoder on custom kernels: same tokens as with MLX's operators, a gradient, and time end to end.

A kernel that wins alone may change nothing in a model: what counts is time per token with everything else
in place. So one model, its weights quantised to 4 bits, is given two sets of operators; both generate from
the same prompt, and logits and tokens are compared at every step.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import mlx.core as mx
from _harness import Report, main
from attention_kernel import attention
from batch_elementwise_kernel import reference_swiglu, swiglu
from dequant_matvec_kernel import dequant_matvec
from multihead_rope_kernel import rope
from rmsnorm_kernel import add_rms_norm, rms_norm
from simdgroup_matmul_kernel import matmul

GROUP, BITS = 32, 4


class MlxOps:
    """The operators of a decoder layer as MLX has them."""

    def add_norm(self, x: mx.array, residual: mx.array, weight: mx.array) -> tuple[mx.array, mx.array]:
        """The sum and its norm."""
        h = x + residual
        return h, mx.fast.rms_norm(h, weight, 1e-5)

    def rope(self, q: mx.array, k: mx.array, offset: int) -> tuple[mx.array, mx.array]:
        """Both rotated."""
        options = {"traditional": False, "base": 10000.0, "scale": 1.0, "offset": offset}
        return mx.fast.rope(q, q.shape[-1], **options), mx.fast.rope(k, k.shape[-1], **options)

    def attention(self, q: mx.array, k: mx.array, v: mx.array) -> mx.array:
        """Causal."""
        return mx.fast.scaled_dot_product_attention(q, k, v, scale=q.shape[-1] ** -0.5, mask="causal")

    def swiglu(self, gate: mx.array, up: mx.array) -> mx.array:
        """silu(gate) * up."""
        return reference_swiglu(gate, up)

    def linear(self, x: mx.array, packed: tuple[mx.array, mx.array, mx.array]) -> mx.array:
        """With quantised weights."""
        return mx.quantized_matmul(x, *packed, transpose=True, group_size=GROUP, bits=BITS)

    def head(self, x: mx.array, weight: mx.array) -> mx.array:
        """Logits."""
        return x @ weight.T


class KernelOps(MlxOps):
    """The same by the kernels of this folder."""

    def add_norm(self, x: mx.array, residual: mx.array, weight: mx.array) -> tuple[mx.array, mx.array]:
        """One launch in place of two."""
        return add_rms_norm(x, residual, weight)

    def rope(self, q: mx.array, k: mx.array, offset: int) -> tuple[mx.array, mx.array]:
        """One launch in place of two."""
        return rope(q, k, offset=offset)

    def attention(self, q: mx.array, k: mx.array, v: mx.array) -> mx.array:
        """Causal."""
        return attention(q, k, v, q.shape[-1] ** -0.5, causal=True)

    def swiglu(self, gate: mx.array, up: mx.array) -> mx.array:
        """One launch."""
        return swiglu(gate, up)

    def linear(self, x: mx.array, packed: tuple[mx.array, mx.array, mx.array]) -> mx.array:
        """The vector kernel for decoding; with many rows each weight should be used more than once."""
        if x.size // x.shape[-1] > 4:
            return super().linear(x, packed)
        return dequant_matvec(x, *packed, group_size=GROUP, bits=BITS)

    def head(self, x: mx.array, weight: mx.array) -> mx.array:
        """The weights as they lie in memory, not transposed by a copy."""
        return matmul(x, weight, transposed=True)


@dataclass
class Shape:
    """Sizes of the model."""

    layers: int = 2
    width: int = 128
    heads: int = 4
    kv_heads: int = 2
    hidden: int = 256
    vocabulary: int = 131
    dtype: mx.Dtype = mx.float32


class Model:
    """A Llama-like decoder with random weights; its operators are given to each call."""

    def __init__(self, shape: Shape):
        self.shape = shape
        dim = shape.width // shape.heads

        def linear(rows: int, columns: int) -> tuple[mx.array, mx.array, mx.array]:
            weight = mx.random.normal((rows, columns)) / columns**0.5
            return mx.quantize(weight.astype(shape.dtype), GROUP, BITS)

        self.embedding = mx.random.normal((shape.vocabulary, shape.width)).astype(shape.dtype)
        self.layers = [
            {
                "norm": mx.ones(shape.width, shape.dtype),
                "q": linear(shape.heads * dim, shape.width),
                "k": linear(shape.kv_heads * dim, shape.width),
                "v": linear(shape.kv_heads * dim, shape.width),
                "o": linear(shape.width, shape.heads * dim),
                "mlp_norm": mx.ones(shape.width, shape.dtype),
                "gate": linear(shape.hidden, shape.width),
                "up": linear(shape.hidden, shape.width),
                "down": linear(shape.width, shape.hidden),
            }
            for _ in range(shape.layers)
        ]
        self.norm = mx.ones(shape.width, shape.dtype)
        mx.eval(self.embedding, self.layers, self.norm)

    def __call__(self, tokens: mx.array, cache: list[tuple[mx.array, mx.array] | None], ops: MlxOps) -> mx.array:
        """tokens: [batch, length]; appends to the cache; logits of the last token: [batch, vocabulary]."""
        shape, (batch, length) = self.shape, tokens.shape
        offset = 0 if cache[0] is None else cache[0][0].shape[2]

        def heads(x: mx.array, count: int) -> mx.array:
            return x.reshape(batch, length, count, -1).swapaxes(1, 2)

        residual = self.embedding[tokens]
        x = mx.zeros_like(residual)
        for i, layer in enumerate(self.layers):
            residual, y = ops.add_norm(x, residual, layer["norm"])
            q, k = (
                heads(ops.linear(y, layer["q"]), shape.heads),
                heads(ops.linear(y, layer["k"]), shape.kv_heads),
            )
            v = heads(ops.linear(y, layer["v"]), shape.kv_heads)
            q, k = ops.rope(q, k, offset)
            if cache[i] is not None:
                k, v = (mx.concatenate([old, new], axis=2) for old, new in zip(cache[i], (k, v), strict=True))
            cache[i] = (k, v)
            y = ops.attention(q, k, v).swapaxes(1, 2).reshape(batch, length, -1)
            residual, y = ops.add_norm(ops.linear(y, layer["o"]), residual, layer["mlp_norm"])
            x = ops.linear(ops.swiglu(ops.linear(y, layer["gate"]), ops.linear(y, layer["up"])), layer["down"])
        _, y = ops.add_norm(x, residual, self.norm)
        return ops.head(y[:, -1], self.embedding)


def generate(model: Model, prompt: mx.array, count: int, ops: MlxOps) -> tuple[list[list[int]], list[mx.array]]:
    """Greedy tokens and the logits that they came from."""
    cache: list[tuple[mx.array, mx.array] | None] = [None] * len(model.layers)
    tokens, logits = [], []
    step = prompt
    for _ in range(count):
        logits.append(model(step, cache, ops))
        step = mx.argmax(logits[-1], axis=-1, keepdims=True)
        mx.eval(step, logits[-1])  # once for each token: everything of a step in one go
        tokens.append(step[:, 0].tolist())
    return tokens, logits


@mx.custom_function
def trainable_rms_norm(x: mx.array, weight: mx.array) -> mx.array:
    """Forward by the kernel; MLX cannot differentiate Metal code, so the backward pass is given below."""
    return rms_norm(x, weight)


@trainable_rms_norm.vjp
def _(primals: tuple[mx.array, mx.array], cotangent: mx.array, _: mx.array) -> tuple[mx.array, mx.array]:
    # The operators' own gradient: right at once, and replaced by a kernel when profiling says so.
    _, gradients = mx.vjp(lambda x, weight: mx.fast.rms_norm(x, weight, 1e-5), primals, [cotangent])
    return tuple(gradients)


def check() -> int:
    """Tokens and logits of both, batches, a compiled step, a gradient."""
    report = Report("end to end")
    for name, shape, batch in [("float32", Shape(), 1), ("float16", Shape(dtype=mx.float16, layers=1), 3)]:
        model = Model(shape)
        prompt = mx.random.randint(0, shape.vocabulary, (batch, 17))
        want_tokens, want = generate(model, prompt, 8, MlxOps())
        got_tokens, got = generate(model, prompt, 8, KernelOps())
        # Rounding differs in every operator and adds up over layers and steps.
        tolerance = 1e-4 if shape.dtype == mx.float32 else 2e-2
        for i, (a, b) in enumerate(zip(got, want, strict=True)):
            report.compare(f"logits, batch {batch}", f"step {i}", a, b, tolerance, scale=10.0)
        if shape.dtype == mx.float32:  # in half a near tie may fall to the other side
            report.require(f"same tokens, {name}", got_tokens == want_tokens)

    x, weight = mx.random.normal((5, 100)), mx.random.normal((100,))
    plain = mx.grad(lambda x, w: (mx.fast.rms_norm(x, w, 1e-5) ** 2).sum(), argnums=(0, 1))(x, weight)
    custom = mx.grad(lambda x, w: (trainable_rms_norm(x, w) ** 2).sum(), argnums=(0, 1))(x, weight)
    for name, a, b in zip(("x", "weight"), custom, plain, strict=True):
        report.compare(f"gradient by {name}", "", a, b, 1e-4)
    compiled = mx.compile(lambda x, w: swiglu(rms_norm(x * 2, w) + 1, x))
    want = reference_swiglu(mx.fast.rms_norm(x * 2, weight, 1e-5) + 1, x)
    report.compare("inside mx.compile", "", compiled(x, weight), want, 2e-5)
    return report.finish()


def bench(roof: float | None) -> None:
    """Tokens per second, the figure that a user notices."""
    # A Mac's GPU needs more to do than MLX's quantised products on a CPU bear.
    times = 4 if sys.platform == "darwin" else 1
    shape = Shape(2 * times, 256 * times, 8, 2, 768 * times, 4096, mx.float16)
    model, prompt = Model(shape), mx.random.randint(0, shape.vocabulary, (1, 16))
    for name, ops in [("MLX operators", MlxOps()), ("custom kernels", KernelOps())]:
        generate(model, prompt, 2, ops)  # warm-up
        start = time.perf_counter()
        generate(model, prompt, 16, ops)
        print(f"{name:15} {16 / (time.perf_counter() - start):8.1f} tokens/s")


if __name__ == "__main__":
    main(check, bench)
