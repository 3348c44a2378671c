"""The fused kernels of `mlx_lm.kernels`, against what their documentation says in MLX's operators."""

from __future__ import annotations

import mlx.core as mx
import pytest
from test_mlx_lm import dispatches

from mlx_lm import kernels  # isort: skip


@pytest.fixture(autouse=True)
def _seed():
    mx.random.seed(7)


def close(got, expected, rtol=1e-4, atol=1e-5):
    assert got.shape == expected.shape
    assert mx.allclose(got, expected, rtol=rtol, atol=atol), float(mx.max(mx.abs(got - expected)))


def rms(x, eps):
    x = x.astype(mx.float32)
    return x * mx.rsqrt(mx.mean(x * x, axis=-1, keepdims=True) + eps)


def test_qk_norm():
    tokens, q_heads, k_heads, width = 5, 4, 2, 48
    qkvg = mx.random.normal((1, tokens, 2 * (q_heads + k_heads) * width))
    with dispatches("qk_norm"):
        q, k = kernels.qk_norm(qkvg, n_heads=q_heads, n_kv_heads=k_heads, head_dim=width, eps=1e-5, query_scale=0.25)
        mx.eval(q, k)
    heads = qkvg[..., : (q_heads + k_heads) * width].reshape(1, tokens, q_heads + k_heads, width)
    close(q, rms(heads[:, :, :q_heads], 1e-5) * 0.25)
    close(k, rms(heads[:, :, q_heads:], 1e-5))


@pytest.mark.parametrize("offset", [3, [2, 9]])
def test_qk_norm_rope(offset):
    batch, tokens, q_heads, k_heads, width = 2, 5, 4, 2, 64
    qkvg = mx.random.normal((batch, tokens, 2 * (q_heads + k_heads) * width))
    offsets = mx.array(offset) if isinstance(offset, list) else offset
    with dispatches("qk_norm_rope"):
        q, k = kernels.qk_norm_rope(
            qkvg,
            n_heads=q_heads,
            n_kv_heads=k_heads,
            head_dim=width,
            eps=1e-5,
            query_scale=0.5,
            rope_base=10000.0,
            offset=offsets,
        )
        mx.eval(q, k)
    heads = qkvg[..., : (q_heads + k_heads) * width].reshape(batch, tokens, q_heads + k_heads, width)
    normed = rms(heads, 1e-5)
    normed = mx.concatenate([normed[:, :, :q_heads] * 0.5, normed[:, :, q_heads:]], axis=2)
    rotated = [
        mx.fast.rope(
            normed[row : row + 1].swapaxes(1, 2),
            width,
            traditional=True,
            base=10000.0,
            scale=1.0,
            offset=offset[row] if isinstance(offset, list) else offset,
        ).swapaxes(1, 2)
        for row in range(batch)
    ]
    expected = mx.concatenate(rotated)
    close(q, expected[:, :, :q_heads], 1e-3, 1e-4)
    close(k, expected[:, :, q_heads:], 1e-3, 1e-4)


def test_rms_norm_sigmoid_gate():
    batch, heads, length, width = 2, 3, 5, 48
    x = mx.random.normal((batch, length, heads, width)).swapaxes(1, 2)
    gate = mx.random.normal((batch, length, 2 * heads * width))[..., ::2]
    with dispatches("rms_norm_sigmoid_gate"):
        got = kernels.rms_norm_sigmoid_gate(x, gate, eps=1e-5)
        mx.eval(got)
    expected = rms(x, 1e-5).swapaxes(1, 2).reshape(batch, length, heads * width) * mx.sigmoid(gate)
    close(got, expected)


def test_expert_routing():
    tokens, experts, chosen = 9, 70, 6
    logits, bias = mx.random.normal((tokens, experts)), mx.random.normal((experts,)) / 10
    with dispatches("expert_routing"):
        inds, weights = kernels.expert_routing(
            logits, bias, top_k=chosen, multiplier=1.5, score_eps=1e-6, route_scale=2.5
        )
        mx.eval(inds, weights)
    scores = mx.sigmoid(logits * 1.5)
    expected = mx.argsort(-(scores + bias), axis=-1)[:, :chosen]
    assert mx.array_equal(inds, expected)
    picked = mx.take_along_axis(scores, expected, axis=-1)
    close(weights, picked / (picked.sum(axis=-1, keepdims=True) + 1e-6) * 2.5)


@pytest.mark.parametrize("width", [64, 300, 1500])
def test_post_expert_norm_combine(width):
    tokens, chosen = 4, 3
    experts = mx.random.normal((tokens, chosen, width))
    weights, scale = mx.random.uniform(shape=(tokens, chosen)), mx.random.normal((width,))
    with dispatches("post_expert_norm_combine"):
        got = kernels.post_expert_norm_combine(experts, weights, norm_weight=scale, eps=1e-5)
        mx.eval(got)
    close(got, (rms(experts * scale, 1e-5) * weights[..., None]).sum(axis=1), 1e-3, 1e-4)


@pytest.mark.parametrize("width", [64, 300, 1500])
@pytest.mark.parametrize("scaled", [False, True])
def test_norm_add_norm(width, scaled):
    from mlx import nn

    tokens = 4
    branch, stream = mx.random.normal((1, tokens, width)), mx.random.normal((1, tokens, width))
    alpha, beta = mx.random.normal((width,)), mx.random.normal((width,))
    post = mx.random.normal((width,)) if scaled else None
    norm = nn.RMSNorm(width, eps=1e-5)
    norm.weight = mx.random.normal((width,))
    arguments = {"alpha": alpha, "beta": beta, "post_weight": post, "post_eps": 1e-6}
    with dispatches("norm_add_norm", "norm_add", "norm_add_norm_pre_norm"):
        new, normed = kernels.norm_add_norm(branch, stream, next_norm=norm, **arguments)
        alone, nothing = kernels.norm_add_norm(branch, stream, next_norm=None, **arguments)
        again = kernels.pre_norm(new, norm, dtype=mx.float32)
        mx.eval(new, normed, alone, again)
    expected = alpha * stream + beta * rms(branch * post if scaled else branch, 1e-6)
    close(new, expected, 1e-3, 1e-4)
    close(normed, rms(expected, 1e-5) * norm.weight, 1e-3, 1e-4)
    assert nothing is None
    assert mx.array_equal(alone, new)
    assert mx.array_equal(again, normed)
