"""The kernels inside mlx-lm compute what its own pure-MLX code computes."""

from __future__ import annotations

import metalworking
import metalworking.mlx  # noqa: F401
import mlx.core as mx
import numpy as np
import pytest
from mlx_lm import kernels
from mlx_lm.models import bitlinear_layers, deepseek_v41, gated_delta, kimi_k3, rwkv7, ssm
from mlx_lm.tuner import losses


@pytest.fixture(autouse=True)
def _seed():
    mx.random.seed(7)


class launched:
    """A block in which these kernels must have been launched, by the names that they were given."""

    def __init__(self, *names):
        self.names = names

    def __enter__(self):
        self.before = metalworking.dispatch_counts()

    def __exit__(self, kind, *_):
        if kind is None:
            after = metalworking.dispatch_counts()
            for name in self.names:
                assert after.get(name, 0) > self.before.get(name, 0), name


def close(got, expected, rtol=1e-4, atol=1e-5):
    got, expected = mx.array(got).astype(mx.float32), mx.array(expected).astype(mx.float32)
    assert got.shape == expected.shape
    assert mx.allclose(got, expected, rtol=rtol, atol=atol), float(mx.max(mx.abs(got - expected)))


TOLERANCE = {mx.float32: (1e-4, 1e-5), mx.bfloat16: (2e-2, 2e-2), mx.float16: (4e-3, 4e-3)}


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16, mx.float16])
@pytest.mark.parametrize("keys", [64, 128])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("vectorized", [False, True])
def test_gated_delta(dtype, keys, masked, vectorized):
    batch, steps, key_heads, value_heads, values = 2, 6, 2, 4, 32
    q = mx.random.normal((batch, steps, key_heads, keys)).astype(dtype) / keys**0.5
    k = mx.random.normal((batch, steps, key_heads, keys)).astype(dtype) / keys**0.5
    v = mx.random.normal((batch, steps, value_heads, values)).astype(dtype)
    g = mx.random.uniform(0.5, 1, (batch, steps, value_heads, *((keys,) if vectorized else ())))
    beta = mx.random.uniform(0, 1, (batch, steps, value_heads)).astype(dtype)
    state = mx.random.normal((batch, value_heads, values, keys))
    mask = mx.array([[False, False, True, True, True, True], [True] * 6]) if masked else None
    suffix = ("_vec" if vectorized else "") + ("_mask" if masked else "")
    name = "gated_delta_step" + suffix
    if not suffix and keys == 128:
        name = "gated_delta_step_packed_btree"
    with launched(name):
        y, after = gated_delta.gated_delta_kernel(q, k, v, g, beta, state, mask)
        mx.eval(y, after)
    expected_y, expected_after = gated_delta.gated_delta_ops(q, k, v, g, beta, state, mask)
    rtol, atol = TOLERANCE[dtype]
    if masked:
        expected_y = mx.where(mask[..., None, None], expected_y, mx.array(0, dtype=dtype))
    close(y, expected_y, rtol, atol)
    close(after, expected_after, rtol, atol)


def test_the_packed_gated_delta_kernel_is_bit_identical_to_its_comparator():
    batch, steps, heads, keys, values = 2, 5, 2, 128, 64
    q, k = (mx.random.normal((batch, steps, heads, keys)).astype(mx.bfloat16) / 12 for _ in range(2))
    v = mx.random.normal((batch, steps, heads, values)).astype(mx.bfloat16)
    g = mx.random.uniform(0.5, 1, (batch, steps, heads))
    beta = mx.random.uniform(0, 1, (batch, steps, heads)).astype(mx.bfloat16)
    state = mx.random.normal((batch, heads, values, keys))
    with launched("gated_delta_step_packed_btree", "gated_delta_step_xtree", "gated_delta_step"):
        packed = gated_delta.gated_delta_kernel(q, k, v, g, beta, state)
        tree = gated_delta.gated_delta_kernel_xtree(q, k, v, g, beta, state)
        unpacked = gated_delta.gated_delta_kernel_unpacked(q, k, v, g, beta, state)
        mx.eval(packed, tree, unpacked)
    for got, expected, other in zip(packed, tree, unpacked, strict=True):
        assert mx.array_equal(got, expected)
        # The generic kernel sums in the order of `simd_sum`.
        close(other, expected, 2e-2, 2e-2)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16])
def test_ssm(dtype):
    batch, heads, groups, width, states = 2, 8, 2, 16, 64
    x = mx.random.normal((batch, 1, heads, width)).astype(dtype)
    a_log, d = mx.random.normal((heads,)), mx.random.normal((heads,))
    b, c = (mx.random.normal((batch, 1, groups, states)).astype(dtype) for _ in range(2))
    dt, bias = mx.random.normal((batch, 1, heads)), mx.random.normal((heads,))
    state = mx.random.normal((batch, heads, width, states)).astype(dtype)
    arguments = (x, a_log, b, c, d, dt, bias, state)
    with launched("ssm_kernel"):
        y, after = ssm.ssm_update(*arguments)
        mx.eval(y, after)
    expected_y, expected_after = ssm.ssm_attn(*arguments)
    rtol, atol = TOLERANCE[dtype] if dtype != mx.float32 else (1e-3, 1e-4)
    close(y, expected_y, rtol, 0.1 if dtype == mx.bfloat16 else atol)
    close(after, expected_after, rtol, atol)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16])
def test_rwkv7(dtype):
    batch, steps, heads, width = 2, 5, 3, 64
    shape = (batch, steps, heads, width)
    r, k, v = (mx.random.normal(shape).astype(dtype) / 4 for _ in range(3))
    w = mx.random.uniform(0.6, 1, shape).astype(dtype)
    a, b = (mx.random.normal(shape).astype(dtype) / 16 for _ in range(2))
    state = mx.random.normal((batch, heads, width, width)).astype(dtype)
    with launched("wkv7_kernel"):
        y, after = rwkv7.wkv7_kernel(r, w, k, v, a, b, state)
        mx.eval(y, after)
    parts = []
    current = state.astype(mx.float32)
    for step in range(steps):
        part, current = rwkv7._wkv7_step_ops(*(x[:, step].astype(mx.float32) for x in (r, w, k, v, a, b)), current)
        parts.append(part)
    expected = mx.stack(parts, axis=1).reshape(shape)
    rtol, atol = TOLERANCE[dtype]
    close(y, expected, rtol, atol)
    close(after, current, rtol, atol)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16, mx.float16])
@pytest.mark.parametrize("inverted", [False, True])
def test_bitlinear(dtype, inverted):
    tokens, inputs, outputs = 5, 256, 48
    x = mx.random.normal((1, tokens, inputs)).astype(dtype)
    ternary = np.random.default_rng(1).integers(-1, 2, (outputs, inputs))
    packed = np.zeros((outputs // 4, inputs), dtype=np.uint8)
    for part in range(4):
        packed |= ((ternary[part * outputs // 4 : (part + 1) * outputs // 4] + 1) << (2 * part)).astype(np.uint8)
    layer = bitlinear_layers.BitLinear(inputs, outputs, bias=False, invert_weight_scales=inverted)
    layer.weight = mx.array(packed)
    layer.weight_scale = mx.array([2.0], dtype=dtype)
    with launched("bitlinear_matmul"):
        y = layer(x)
        mx.eval(y)
    expected = (x.astype(mx.float32) @ mx.array(ternary.T).astype(mx.float32)) * (0.5 if inverted else 2.0)
    rtol, atol = TOLERANCE[dtype]
    close(y, expected, rtol, max(atol, 1e-4) if dtype == mx.float32 else 0.3)


@pytest.mark.parametrize("iterations", [1, 4])
def test_sinkhorn(iterations):
    comb = mx.random.uniform(0.1, 1, (3, 7, 4, 4))
    eps = mx.array([1e-6])
    with launched("deepseek_v41_sinkhorn"):
        got = deepseek_v41._sinkhorn(comb, iters=iterations, eps=eps)
        mx.eval(got)
    mx.set_default_device(mx.cpu)
    try:
        expected = deepseek_v41._sinkhorn(comb, iters=iterations, eps=eps)
        mx.eval(expected)
    finally:
        mx.set_default_device(mx.gpu)
    close(got, expected)


def test_attention_residuals():
    tokens, width, blocks = 6, 200, 3
    raw = mx.random.normal((blocks, 2, tokens // 2, width))
    inverse = mx.rsqrt(mx.mean(raw**2, axis=-1) + 1e-6)
    partial, weight = mx.random.normal((2, tokens // 2, width)), mx.random.normal((width,))
    held = kimi_k3.ResidualBlocks.__new__(kimi_k3.ResidualBlocks)
    held.raw, held.inv_rms = raw, inverse
    with launched("attnres_mix"):
        got = kimi_k3._attn_res_mix(held, partial, weight, 1e-6)
        mx.eval(got)
    expected = kimi_k3._attn_res_mix(held, partial, weight, 1e-6, use_kernel=False)
    close(got, expected)


# ---- mlx_lm.kernels, whose pure-MLX meaning their documentation states -----------------------------------------


def rms(x, eps):
    x = x.astype(mx.float32)
    return x * mx.rsqrt(mx.mean(x * x, axis=-1, keepdims=True) + eps)


def test_qk_norm():
    tokens, q_heads, k_heads, width = 5, 4, 2, 48
    qkvg = mx.random.normal((1, tokens, 2 * (q_heads + k_heads) * width))
    with launched("qk_norm"):
        q, k = kernels.qk_norm(
            qkvg, n_heads=q_heads, n_kv_heads=k_heads, head_dim=width, eps=1e-5, query_scale=0.25
        )
        mx.eval(q, k)
    heads = qkvg[..., : (q_heads + k_heads) * width].reshape(1, tokens, q_heads + k_heads, width)
    close(q, rms(heads[:, :, :q_heads], 1e-5) * 0.25)
    close(k, rms(heads[:, :, q_heads:], 1e-5))


@pytest.mark.parametrize("offset", [3, [2, 9]])
def test_qk_norm_rope(offset):
    batch, tokens, q_heads, k_heads, width = 2, 5, 4, 2, 64
    qkvg = mx.random.normal((batch, tokens, 2 * (q_heads + k_heads) * width))
    offsets = mx.array(offset) if isinstance(offset, list) else offset
    with launched("qk_norm_rope"):
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
    with launched("rms_norm_sigmoid_gate"):
        got = kernels.rms_norm_sigmoid_gate(x, gate, eps=1e-5)
        mx.eval(got)
    expected = rms(x, 1e-5).swapaxes(1, 2).reshape(batch, length, heads * width) * mx.sigmoid(gate)
    close(got, expected)


def test_expert_routing():
    tokens, experts, chosen = 9, 70, 6
    logits, bias = mx.random.normal((tokens, experts)), mx.random.normal((experts,)) / 10
    with launched("expert_routing"):
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
    with launched("post_expert_norm_combine"):
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
    with launched("norm_add_norm", "norm_add", "norm_add_norm_pre_norm"):
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


# ---- Losses ----------------------------------------------------------------------------------------------------


def logits(tokens, vocabulary):
    return (mx.random.normal((tokens, vocabulary)) * 2 for _ in range(2))


def _without_metal(function, *arrays):
    available = losses.can_run_metal
    losses.can_run_metal = lambda: False
    try:
        return function(*arrays)
    finally:
        losses.can_run_metal = available


BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);"


def with_barriers(make, monkeypatch):
    """A kernel of the package with a barrier after every read of what the next step overwrites, and with
    `mem_threadgroup` where the scratch array is shared."""
    kernel = mx.fast.metal_kernel

    def metal_kernel(*, source, **others):
        lines = source.replace("threadgroup_barrier(mem_flags::mem_none);", BARRIER).splitlines()
        kept = []
        for line in lines:
            kept.append(line)
            if "= shared[simd_lane_id" in line and "_p = " in line or "kl = shared[" in line:
                kept.append(BARRIER)
        return kernel(source="\n".join(kept), **others)

    monkeypatch.setattr(mx.fast, "metal_kernel", metal_kernel)
    try:
        return make()
    finally:
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("loss", "forward", "backward"),
    [("kl_div_loss", "kl_forward", "kl_backward"), ("js_div_loss", "js_forward", "js_backward")],
)
@pytest.mark.parametrize("vocabulary", [4096, 5003])
def test_losses_with_barriers(loss, forward, backward, vocabulary, monkeypatch):
    made = {}
    for name in (forward, backward):
        made[name] = with_barriers(getattr(losses, f"_make_{name}_kernel"), monkeypatch)
    for name, kernel in made.items():
        monkeypatch.setattr(losses, f"_{name}_kernel", kernel)
    q, p = logits(3, vocabulary)
    expected = _without_metal(getattr(losses, loss), q, p)
    expected_gradient = _without_metal(mx.grad(lambda q: getattr(losses, loss)(q, p).sum()), q)
    with launched(forward, backward):
        got = getattr(losses, loss)(q, p)
        gradient = mx.grad(lambda q: getattr(losses, loss)(q, p).sum())(q)
        mx.eval(got, gradient)
    close(got, expected, 1e-3, 1e-4)
    close(gradient, expected_gradient, 1e-3, 1e-5)


def test_losses_as_shipped_depend_on_the_schedule():
    """One scratch array is used for the maxima and then for the sums, with no barrier between the last read of the
    one and the first write of the other: simdgroups that run one after another overwrite what others have yet to
    read. On a GPU they mostly run in step, and nobody notices."""
    q, p = logits(3, 4096)
    with launched("kl_forward"):
        shipped = losses.kl_div_loss(q, p)
        mx.eval(shipped)
    expected = _without_metal(losses.kl_div_loss, q, p)
    assert not mx.allclose(shipped, expected, rtol=1e-3, atol=1e-3)
