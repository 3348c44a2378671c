"""Attention variants out of one kernel: sliding window, soft cap, ALiBi, prefix, documents, sinks.

Each variant is a few words of Metal in the places that attention_kernel.py leaves open: which keys a query
sees, what becomes of a score, where the loop over keys begins and ends. MLX's own attention takes masks as
arrays, which costs memory traffic for each pair of query and key; a rule costs arithmetic only.
"""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
from _harness import FLOATS, Bench, Report, main
from attention_kernel import CAUSAL, attention_kernel, inputs, launch


def sliding_window(q: mx.array, k: mx.array, v: mx.array, scale: float, window: int) -> mx.array:
    """Causal, and no further back than `window` keys, the query's own counted (Mistral, Gemma 3)."""
    kernel = attention_kernel(
        "sliding_window",
        extra_inputs=("window",),
        visible="key <= position && position - key < window",
        first_key="group_first - window + 1",  # tiles that the first query no longer sees are never loaded
        end_key=CAUSAL["end_key"],
    )
    return launch(kernel, q, k, v, scale, mx.array(window, mx.int32))


def soft_cap(q: mx.array, k: mx.array, v: mx.array, scale: float, cap: float) -> mx.array:
    """Causal, scores bent into (-cap, cap) by cap * tanh(s / cap) (Gemma 2, Grok)."""
    kernel = attention_kernel(
        "soft_cap",
        extra_inputs=("cap",),
        # precise::tanh: the fast one overflows to NaN for large arguments.
        score="cap * metal::precise::tanh(s / cap)",
        **CAUSAL,
    )
    return launch(kernel, q, k, v, scale, mx.array(cap, mx.float32))


def alibi(q: mx.array, k: mx.array, v: mx.array, scale: float, slopes: mx.array) -> mx.array:
    """Causal, with a penalty that grows with distance, at each head's own slope (MPT, BLOOM)."""
    kernel = attention_kernel(
        "alibi", extra_inputs=("slopes",), score="s - slopes[head] * float(position - key)", **CAUSAL
    )
    return launch(kernel, q, k, v, scale, slopes)


def prefix(q: mx.array, k: mx.array, v: mx.array, scale: float, length: int) -> mx.array:
    """The first `length` keys are seen by all, the rest causally (PaliGemma, prefix language models)."""
    kernel = attention_kernel(
        "prefix",
        extra_inputs=("prefix_length",),
        visible="key < prefix_length || key <= position",
        end_key="metal::max(prefix_length, group_last + 1)",
    )
    return launch(kernel, q, k, v, scale, mx.array(length, mx.int32))


def documents(q: mx.array, k: mx.array, v: mx.array, scale: float, document: mx.array) -> mx.array:
    """Causal within each of several sequences packed into one; document: a number for each key."""
    if document.shape != (k.shape[2],):
        raise ValueError(f"document must have shape ({k.shape[2]},)")
    kernel = attention_kernel(
        "documents",
        extra_inputs=("document",),
        # `key` may lie past the end in the last tile; the kernel tests that before it looks here.
        visible="key <= position && document[key] == document[position]",
        end_key=CAUSAL["end_key"],
    )
    return launch(kernel, q, k, v, scale, document.astype(mx.int32))


def sinks(q: mx.array, k: mx.array, v: mx.array, scale: float, sink: mx.array) -> mx.array:
    """Causal, with one more key for each head that has a score and no value (gpt-oss)."""
    kernel = attention_kernel(
        "sinks",
        extra_inputs=("sink",),
        # The running softmax starts as if that key had been seen: maximum = its score, sum = exp(0).
        maximum="float(sink[head]) * LOG2_E",
        sum="1.0f",
        **CAUSAL,
    )
    return launch(kernel, q, k, v, scale, sink)


Rule = Callable[[mx.array, mx.array, mx.array], mx.array]


def reference(q: mx.array, k: mx.array, v: mx.array, scale: float, rule: Rule) -> mx.array:
    """With MLX's operators; `rule` gets scores, positions [queries, 1] and keys [1, keys]."""
    groups = q.shape[1] // k.shape[1]
    q, k, v = q.astype(mx.float32), *(mx.repeat(a.astype(mx.float32), groups, axis=1) for a in (k, v))
    positions = mx.arange(q.shape[2])[:, None] + (k.shape[2] - q.shape[2])
    scores = rule(q @ k.swapaxes(-1, -2) * scale, positions, mx.arange(k.shape[2])[None])
    # Columns past the keys (a sink) take part in the sum and have no value.
    return mx.softmax(scores, axis=-1)[..., : k.shape[2]] @ v


def causal(scores: mx.array, positions: mx.array, keys: mx.array) -> mx.array:
    """The mask that most variants share."""
    return mx.where(keys <= positions, scores, -mx.inf)


def check() -> int:
    """Each variant on each type, lengths off the tiles, windows shorter and longer than a tile."""
    report = Report("attention variants")
    for dtype in FLOATS:
        shapes = [((4, 2), (33, 100), 64), ((3, 1), (1, 65), 100)]
        for heads, lengths, dim in shapes if dtype == mx.float32 else shapes[:1]:  # each is another compilation
            q, k, v = inputs(heads, lengths, dim, dtype)
            scale, count = dim**-0.5, lengths[1]
            slopes = mx.power(2.0, -8.0 * (mx.arange(heads[0]) + 1) / heads[0])
            document = (mx.arange(count) * 3) // count
            sink = mx.random.normal((heads[0],))
            cases: dict[str, tuple[mx.array, Rule]] = {
                f"window {w}": (
                    sliding_window(q, k, v, scale, w),
                    lambda s, p, n, w=w: mx.where((n <= p) & (p - n < w), s, -mx.inf),
                )
                for w in (1, 20, 64)
            }
            cases["soft_cap"] = (
                soft_cap(q * 8, k, v, scale, 5.0),
                lambda s, p, n: causal(5.0 * mx.tanh(8 * s / 5.0), p, n),
            )
            cases["alibi"] = (
                alibi(q, k, v, scale, slopes),
                lambda s, p, n, m=slopes: causal(s - m[:, None, None] * (p - n), p, n),
            )
            cases["prefix"] = (
                prefix(q, k, v, scale, 80),
                lambda s, p, n: mx.where((n < 80) | (n <= p), s, -mx.inf),
            )
            cases["documents"] = (
                documents(q, k, v, scale, document),
                lambda s, p, n, d=document: mx.where((n <= p) & (d[n] == d[p]), s, -mx.inf),
            )
            cases["sinks"] = (
                sinks(q, k, v, scale, sink),
                lambda s, p, n, x=sink: mx.concatenate(
                    [causal(s, p, n), mx.broadcast_to(x[:, None, None], (*s.shape[:-1], 1))], axis=-1
                ),
            )
            for name, (got, rule) in cases.items():
                report.compare(name.split()[0], (heads, lengths, dim), got, reference(q, k, v, scale, rule))
    return report.finish()


def bench(roof: float | None) -> None:
    """A window against the same window given as a mask."""
    q, k, v = inputs((8, 2), (512, 512), 64, mx.float32)
    distance = mx.arange(512)[:, None] - mx.arange(512)[None]
    mask = (distance >= 0) & (distance < 128)
    mx.eval(q, k, v, mask)
    timing = Bench("sliding window of 128, 8 heads (2 for keys), 512 x 512, D 64, float32")
    timing.add("MLX, mask as array", lambda: mx.fast.scaled_dot_product_attention(q, k, v, scale=0.125, mask=mask))
    timing.add("this kernel", lambda: sliding_window(q, k, v, 0.125, 128))
    timing.add("this kernel, no cap on keys", lambda: sliding_window(q, k, v, 0.125, 512))
    timing.finish(roof)


if __name__ == "__main__":
    main(check, bench)
