"""The custom kernels inside mlx-lm: whole models against their pure-MLX paths, and each kernel by itself.

Models are tiny, with random weights; they run through mlx-lm's own `generate_step`. The pure path is the one that
mlx-lm takes when the default device is the CPU. Where it has none (BitNet), the reference unpacks the weights.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import types

import metalworking
import metalworking.mlx
import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_unflatten


def stand_in(**modules: str) -> None:
    """Modules for tokenisers and downloads, which take no part here and are large: classes without behaviour."""
    for name, classes in modules.items():
        module = sys.modules[name.replace("__", ".")] = types.ModuleType(name.replace("__", "."))
        for each in classes.split():
            setattr(module, each, type(each, (), {"register": staticmethod(lambda *_, **__: None)}))


if importlib.util.find_spec("transformers") is None:
    stand_in(
        transformers="AutoTokenizer PreTrainedTokenizer PreTrainedTokenizerFast",
        transformers__tokenization_utils_base="PreTrainedTokenizerBase",
    )
if importlib.util.find_spec("huggingface_hub") is None:
    stand_in(huggingface_hub="HfApi ModelCard ModelCardData hf_hub_download snapshot_download")

if importlib.util.find_spec("mlx_lm") is None and not os.environ.get("CI"):
    pytest.skip("mlx-lm is missing: `make setup` installs it", allow_module_level=True)

from mlx_lm.generate import BatchGenerator, generate_step  # noqa: E402
from mlx_lm.models import (  # noqa: E402
    bitlinear_layers,
    deepseek_v41,
    gated_delta,
    kimi_k3,
    rwkv7,
    ssm,
)
from mlx_lm.tuner import losses  # noqa: E402


@contextlib.contextmanager
def pure_mlx():
    """mlx-lm takes its pure paths when the default device is no GPU."""
    before = mx.default_device()
    mx.set_default_device(mx.cpu)
    try:
        yield
    finally:
        mx.set_default_device(before)


@contextlib.contextmanager
def dispatches(*names: str):
    """Every named kernel was dispatched inside."""
    before = metalworking.dispatch_counts()
    yield
    after = metalworking.dispatch_counts()
    for name in names:
        assert after.get(name, 0) > before.get(name, 0), f"{name} was not dispatched: {after}"


def close(got: mx.array, want: mx.array, tolerance: float) -> None:
    """Within a tolerance of 1 + |value|, element by element."""
    np.testing.assert_allclose(
        np.asarray(got.astype(mx.float32)),
        np.asarray(want.astype(mx.float32)),
        rtol=tolerance,
        atol=tolerance,
    )


# --- Whole models --------------------------------------------------------------------------------------------------

SMALL = {"hidden_size": 64, "intermediate_size": 128, "vocab_size": 97, "tie_word_embeddings": False}
ATTENTION = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 1e-5}

QWEN3_NEXT = {
    **SMALL,
    **ATTENTION,
    "num_hidden_layers": 4,  # three gated-delta layers, one of attention
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_conv_kernel_dim": 4,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "decoder_sparse_step": 1,
    "shared_expert_intermediate_size": 32,
    "mlp_only_layers": [],
    "moe_intermediate_size": 32,
    "rope_theta": 10000.0,
    "partial_rotary_factor": 0.5,
    "max_position_embeddings": 512,
}

MODELS = {
    # Head dimension 128: mlx-lm packs four value rows into a simdgroup.
    "qwen3_next": (
        "qwen3_next",
        {**QWEN3_NEXT, "linear_key_head_dim": 128, "linear_value_head_dim": 32},
        ["gated_delta_step_packed_btree"],
    ),
    "qwen3_next, 64": (
        "qwen3_next",
        {**QWEN3_NEXT, "linear_key_head_dim": 64, "linear_value_head_dim": 32},
        ["gated_delta_step"],
    ),
    "kimi_linear": (
        "kimi_linear",
        {
            **SMALL,
            **ATTENTION,
            "num_hidden_layers": 3,
            "rope_theta": 10000.0,
            "linear_attn_config": {
                "kda_layers": [1, 2],
                "full_attn_layers": [3],
                "num_heads": 2,
                "head_dim": 32,
                "short_conv_kernel_size": 4,
            },
            "model_max_length": 512,
            "num_experts": 4,
            "moe_intermediate_size": 32,
            "kv_lora_rank": 16,
            "qk_nope_head_dim": 16,
            "qk_rope_head_dim": 16,
            "v_head_dim": 16,
            "num_experts_per_token": 2,
            "num_shared_experts": 1,
            "first_k_dense_replace": 1,
        },
        ["gated_delta_step_vec"],
    ),
    "mamba2": (
        "mamba2",
        {
            **SMALL,
            "num_heads": 4,
            "head_dim": 32,
            "state_size": 64,
            "num_hidden_layers": 3,
            "layer_norm_epsilon": 1e-5,
            "conv_kernel": 4,
            "n_groups": 2,
            "use_bias": False,
            "use_conv_bias": True,
            "time_step_limit": (0.001, 100.0),
            "time_step_rank": "auto",
        },
        ["ssm_kernel"],
    ),
    "nemotron_h": (
        "nemotron_h",
        {
            **SMALL,
            "max_position_embeddings": 512,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "attention_bias": False,
            "mamba_num_heads": 4,
            "mamba_head_dim": 32,
            "mamba_proj_bias": False,
            "ssm_state_size": 64,
            "conv_kernel": 4,
            "n_groups": 2,
            "mlp_bias": False,
            "layer_norm_epsilon": 1e-5,
            "use_bias": False,
            "use_conv_bias": True,
            "hybrid_override_pattern": ["M", "-", "*", "M"],
        },
        ["ssm_kernel"],
    ),
    "granitemoehybrid": (
        "granitemoehybrid",
        {
            **SMALL,
            "num_hidden_layers": 3,
            "max_position_embeddings": 512,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "attention_bias": False,
            "embedding_multiplier": 1.0,
            "attention_multiplier": 0.25,
            "logits_scaling": 1.0,
            "residual_multiplier": 1.0,
            "layer_types": ["mamba", "attention", "mamba"],
            "rms_norm_eps": 1e-5,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "shared_intermediate_size": 64,
            "mamba_n_heads": 4,
            "mamba_d_head": 32,
            "mamba_proj_bias": False,
            "mamba_d_state": 64,
            "mamba_d_conv": 4,
            "mamba_n_groups": 1,
            "mamba_conv_bias": True,
        },
        ["ssm_kernel"],
    ),
    "rwkv7": (
        "rwkv7",
        {
            **SMALL,
            "norm_eps": 1e-5,
            "head_dim": 32,
            "num_hidden_layers": 2,
            "a_low_rank_dim": 16,
            "v_low_rank_dim": 16,
            "gate_low_rank_dim": 16,
            "decay_low_rank_dim": 16,
        },
        ["wkv7_kernel"],
    ),
}


def make(kind: str, settings: dict) -> nn.Module:
    """A model with random weights."""
    module = importlib.import_module(f"mlx_lm.models.{kind}")
    mx.random.seed(7)
    model = module.Model(module.ModelArgs.from_dict({"model_type": kind, **settings}))
    weights = []
    for name, value in tree_flatten(model.parameters()):
        if not mx.issubdtype(value.dtype, mx.floating):
            weights.append((name, value))
        elif value.ndim >= 2:
            weights.append((name, mx.random.normal(value.shape) * (2.0 / value.shape[-1]) ** 0.5))
        else:  # norms, biases, decays: near what the constructor gave
            weights.append((name, value + 0.1 * mx.random.normal(value.shape)))
    model.update(tree_unflatten(weights))
    model.eval()
    mx.eval(model.parameters())
    return model


def generated(model: nn.Module, prompt: mx.array, count: int) -> tuple[list[int], mx.array]:
    """Greedy tokens, and the log-probabilities that they were chosen by."""
    # Not mlx-lm's own stream: it was made on the GPU when mlx-lm was imported.
    stream = mx.new_stream(mx.default_device())
    steps = list(generate_step(prompt, model, stream, max_tokens=count))
    mx.synchronize(stream)  # it computes a token ahead
    return [int(token) for token, _ in steps], mx.stack([logprobs for _, logprobs in steps])


@pytest.mark.parametrize("name", MODELS)
def test_a_model_generates_what_its_pure_path_generates(name):
    kind, settings, kernels = MODELS[name]
    model = make(kind, settings)
    prompt = mx.array([3, 14, 15, 92, 65, 35, 89, 79, 32, 38, 46])
    with dispatches(*kernels):
        tokens, logprobs = generated(model, prompt, 12)
    counts = metalworking.dispatch_counts()
    with pure_mlx():
        want_tokens, want_logprobs = generated(model, prompt, 12)
    assert metalworking.dispatch_counts() == counts, "the pure path ran a custom kernel"
    assert tokens == want_tokens
    assert len(set(tokens)) > 2, "a model that repeats itself shows little"
    close(logprobs, want_logprobs, 2e-4)


@pytest.mark.parametrize(
    ("name", "kernels"),
    [
        ("qwen3_next", ["gated_delta_step_mask", "gated_delta_step_packed_btree"]),
        ("kimi_linear", ["gated_delta_step_vec_mask", "gated_delta_step_vec"]),
        ("granitemoehybrid", ["ssm_kernel"]),
    ],
)
def test_a_batch_of_unequal_prompts_generates_what_each_prompt_generates_alone(name, kernels):
    kind, settings, _ = MODELS[name]
    model = make(kind, settings)
    prompts = [[3, 14, 15, 92, 65, 35, 89], [79, 32, 38], [46, 26, 43, 38, 32, 79, 50, 28, 84]]
    stream = mx.new_stream(mx.default_device())
    batch = BatchGenerator(model, stream=stream)
    tokens = {uid: [] for uid in batch.insert(prompts, [8] * len(prompts))}
    with dispatches(*kernels):
        while responses := batch.next_generated():
            for response in responses:
                tokens[response.uid].append(response.token)
        mx.synchronize(stream)
    batch.close()
    with pure_mlx():
        alone = [generated(model, mx.array(prompt), 8)[0] for prompt in prompts]
    assert list(tokens.values()) == alone


def unpacked(self, x: mx.array, packed: mx.array) -> mx.array:
    """BitLinear's product with the weights written out: two bits for each of four rows, -1, 0 or 1."""
    rows = mx.concatenate([((packed >> shift) & 3).astype(mx.float32) - 1 for shift in (0, 2, 4, 6)])[
        : self.out_features
    ]
    scale = 1 / self.weight_scale if self.invert_weight_scales else self.weight_scale
    return ((x.astype(mx.float32) @ rows.T) * scale).astype(x.dtype)


def with_ternary_weights(model: nn.Module) -> nn.Module:
    """Packed codes 0, 1, 2 in every BitLinear, and scales that differ."""
    mx.random.seed(8)
    for _, module in model.named_modules():
        if isinstance(module, bitlinear_layers.BitLinear):
            codes = mx.random.randint(0, 3, (4, *module.weight.shape)).astype(mx.uint8)
            module.weight = codes[0] | (codes[1] << 2) | (codes[2] << 4) | (codes[3] << 6)
            module.weight_scale = mx.random.uniform(4.0, 8.0, (1,))
    return model


def test_bitnet_generates_what_unpacked_weights_generate(monkeypatch):
    model = with_ternary_weights(make("bitnet", {**SMALL, **ATTENTION, "num_hidden_layers": 2}))
    layers = [m for _, m in model.named_modules() if isinstance(m, bitlinear_layers.BitLinear)]
    if not layers:
        bitlinear_layers.bitnet_quantize(model, {"modules_to_not_convert": ["lm_head"]})
        with_ternary_weights(model)
    prompt = mx.array([3, 14, 15, 92, 65, 35])
    with dispatches("bitlinear_matmul"):
        tokens, logprobs = generated(model, prompt, 10)
    monkeypatch.setattr(bitlinear_layers.BitLinear, "execute_matmul_kernel", unpacked)
    want_tokens, want_logprobs = generated(model, prompt, 10)
    assert tokens == want_tokens
    close(logprobs, want_logprobs, 2e-4)


# --- Kernels by themselves -----------------------------------------------------------------------------------------


def gated_delta_inputs(heads, steps, dims, dtype, *, vector=False):
    """q, k, v, g, beta, state of the gated delta rule; heads: (key, value), dims: (key, value)."""
    mx.random.seed(9)
    (hk, hv), (dk, dv), batch = heads, dims, 2
    q, k = gated_delta.normalize_qk(
        *(mx.random.normal((batch, steps, hk, dk)) for _ in range(2)), inv_scale=dk**-0.5, eps=1e-6
    )
    v = mx.random.normal((batch, steps, hv, dv))
    g = mx.random.uniform(0.5, 1.0, (batch, steps, hv, dk) if vector else (batch, steps, hv))
    beta = mx.random.uniform(shape=(batch, steps, hv))
    state = mx.random.normal((batch, hv, dv, dk))
    return *(a.astype(dtype) for a in (q, k, v)), g, beta.astype(dtype), state


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16], ids=str)
@pytest.mark.parametrize(
    ("name", "dims", "vector", "masked"),
    [
        ("gated_delta_step", (64, 36), False, False),
        ("gated_delta_step_mask", (64, 36), False, True),
        ("gated_delta_step_vec", (32, 20), True, False),
        ("gated_delta_step_vec_mask", (32, 20), True, True),
        ("gated_delta_step_packed_btree", (128, 24), False, False),
    ],
)
def test_gated_delta_kernels_compute_the_recurrence(name, dims, vector, masked, dtype):
    inputs = gated_delta_inputs((2, 4), 7, dims, dtype, vector=vector)
    mask = mx.array([[True] * 7, [False, False] + [True] * 5]) if masked else None
    with dispatches(name):
        y, state = gated_delta.gated_delta_kernel(*inputs, mask)
        mx.eval(y, state)
    want_y, want_state = gated_delta.gated_delta_ops(*(a.astype(mx.float32) for a in inputs), mask)
    if masked:  # what padding gives is nobody's: the kernels write zeros there
        y, want_y = (mx.where(mask[..., None, None], a.astype(mx.float32), 0) for a in (y, want_y))
    close(y, want_y, {mx.float32: 1e-5, mx.float16: 2e-3, mx.bfloat16: 2e-2}[dtype])
    close(state, want_state, {mx.float32: 1e-5, mx.float16: 2e-3, mx.bfloat16: 2e-2}[dtype])


def test_the_packed_kernel_equals_its_comparator_bit_for_bit():
    inputs = gated_delta_inputs((2, 4), 5, (128, 24), mx.bfloat16)
    with dispatches("gated_delta_step_packed_btree", "gated_delta_step_xtree"):
        got, want = gated_delta.gated_delta_kernel(*inputs), gated_delta.gated_delta_kernel_xtree(*inputs)
        for a, b in zip(got, want, strict=True):
            assert mx.array_equal(a, b)


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16], ids=str)
def test_the_ssm_kernel_computes_one_step(dtype):
    mx.random.seed(10)
    batch, heads, dim, states, groups = 2, 4, 24, 64, 2
    x = mx.random.normal((batch, 1, heads, dim)).astype(dtype)
    b, c = (mx.random.normal((batch, 1, groups, states)).astype(dtype) for _ in range(2))
    a_log, d, dt_bias = (mx.random.normal((heads,)) for _ in range(3))
    dt, state = mx.random.normal((batch, 1, heads)), mx.random.normal((batch, heads, dim, states))
    limit = (0.001, 100.0)
    with dispatches("ssm_kernel"):
        y, new_state = ssm.ssm_update_kernel(x, a_log, b, c, d, dt, dt_bias, state, limit)
        mx.eval(y, new_state)
    wide = [a.astype(mx.float32) for a in (x, b, c)]
    want, want_state = ssm.ssm_attn(wide[0], a_log, *wide[1:], d, dt, dt_bias, state, limit)
    tolerance = {mx.float32: 1e-4, mx.float16: 5e-3, mx.bfloat16: 3e-2}[dtype]
    close(y, want, tolerance)
    close(new_state, want_state, tolerance)


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16], ids=str)
def test_the_rwkv7_kernel_computes_the_recurrence(dtype):
    mx.random.seed(11)
    shape = (2, 5, 3, 32)
    r, k, v, b = (mx.random.normal(shape).astype(dtype) * 0.3 for _ in range(4))
    w, a = mx.random.uniform(0.5, 1.0, shape).astype(dtype), -mx.random.uniform(shape=shape).astype(dtype) * 0.3
    state = mx.random.normal((2, 3, 32, 32)).astype(dtype)
    with dispatches("wkv7_kernel"):
        y, new_state = rwkv7.wkv7_kernel(r, w, k, v, a, b, state)
        mx.eval(y, new_state)
    wide = [each.astype(mx.float32) for each in (r, w, k, v, a, b)]
    want_state, rows = state.astype(mx.float32), []
    for t in range(shape[1]):
        row, want_state = rwkv7._wkv7_step_ops(*(each[:, t] for each in wide), want_state)
        rows.append(row.reshape(shape[0], *shape[2:]))
    tolerance = {mx.float32: 1e-5, mx.float16: 5e-3, mx.bfloat16: 3e-2}[dtype]
    close(y, mx.stack(rows, axis=1), tolerance)
    close(new_state, want_state, tolerance)


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16], ids=str)
@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize(("inputs", "outputs"), [(128, 4), (132, 36), (260, 100)])
def test_bitlinear_multiplies_packed_weights(inputs, outputs, inverted, dtype):
    mx.random.seed(12)
    layer = bitlinear_layers.BitLinear(inputs, outputs, bias=False, invert_weight_scales=inverted)
    with_ternary_weights(layer)
    layer.weight_scale = mx.array([3.0], dtype)
    x = mx.random.normal((2, 3, inputs)).astype(dtype)
    with dispatches("bitlinear_matmul"):
        got = layer(x)
        mx.eval(got)
    want = unpacked(layer, x.astype(mx.float32), layer.weight)
    # Sums of some hundred terms of size one: the tolerance is of their size.
    close(
        got.astype(mx.float32) / inputs**0.5,
        want / inputs**0.5,
        {mx.float32: 1e-5, mx.float16: 3e-3, mx.bfloat16: 3e-2}[dtype],
    )


@pytest.mark.parametrize("count", [1, 7, 300])
def test_sinkhorn_normalises_rows_and_columns(count):
    mx.random.seed(13)
    comb, eps = mx.random.uniform(shape=(count, 4, 4)), mx.array([1e-6])
    with dispatches("deepseek_v41_sinkhorn"):
        got = deepseek_v41._sinkhorn(comb, iters=5, eps=eps)
        mx.eval(got)
    with pure_mlx():
        close(got, deepseek_v41._sinkhorn(comb, iters=5, eps=eps), 1e-6)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16], ids=str)
def test_attention_residuals_are_mixed(dtype):
    mx.random.seed(14)
    blocks = kimi_k3.ResidualBlocks(1e-5)
    for _ in range(3):
        blocks.append(mx.random.normal((2, 5, 96)).astype(dtype))
    partial, weight = mx.random.normal((2, 5, 96)).astype(dtype), mx.random.normal((96,))
    with dispatches("attnres_mix"):
        got = kimi_k3._attn_res_mix(blocks, partial, weight, 1e-5)
        mx.eval(got)
    want = kimi_k3._attn_res_mix(blocks, partial, weight, 1e-5, use_kernel=False)
    close(got, want, 1e-5 if dtype == mx.float32 else 2e-2)


# --- Losses: as shipped, and with the barriers that they lack --------------------------------------------------------

# One scratch array holds first the maxima, then the sums. Between reading the former and writing the latter there is
# no barrier, so a fast simdgroup overwrites what a slow one has not read yet. And barriers with `mem_none` order
# execution, not memory.
MISSING = "// Share the sum_exp across the threadgroup"
BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);"


def with_barriers(make_kernel) -> object:
    """The kernel that `make_kernel` makes, its source mended."""
    original = mx.fast.metal_kernel

    def mended(*, source: str, **options):
        assert MISSING in source
        source = source.replace(MISSING, f"{BARRIER}\n{MISSING}").replace(
            "mem_flags::mem_none", "mem_flags::mem_threadgroup"
        )
        return original(source=source, **options)

    mx.fast.metal_kernel = mended
    try:
        return make_kernel()
    finally:
        mx.fast.metal_kernel = original


@pytest.fixture
def mended_losses(monkeypatch):
    for name in ("kl_forward", "kl_backward", "js_forward", "js_backward"):
        kernel = with_barriers(getattr(losses, f"_make_{name}_kernel"))
        monkeypatch.setattr(losses, f"_{name}_kernel", kernel)


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16], ids=str)
@pytest.mark.parametrize("vocabulary", [33, 4096, 5003])
@pytest.mark.parametrize("loss", ["kl_div_loss", "js_div_loss"])
def test_losses_with_barriers_equal_the_pure_losses(mended_losses, loss, vocabulary, dtype):
    mx.random.seed(15)
    q, p = (mx.random.normal((2, 3, vocabulary)).astype(dtype) for _ in range(2))
    function = getattr(losses, loss)

    def value_and_gradient(q, p):
        return mx.value_and_grad(lambda q: function(q, p).astype(mx.float32).sum())(q)

    names = [loss.split("_")[0] + "_" + way for way in ("forward", "backward")]
    with dispatches(*names):
        value, gradient = value_and_gradient(q, p)
        mx.eval(value, gradient)
    with pure_mlx():
        want, want_gradient = value_and_gradient(q.astype(mx.float32), p.astype(mx.float32))
        mx.eval(want, want_gradient)
    close(value, want, 1e-4 if dtype == mx.float32 else 5e-3)
    scale = vocabulary  # gradients are of the size of a probability
    close(gradient * scale, want_gradient * scale, 1e-3 if dtype == mx.float32 else 2e-2)


@pytest.mark.parametrize("loss", ["kl_div_loss", "js_div_loss"])
def test_losses_as_shipped_depend_on_the_schedule(loss, request):
    """A barrier only forbids schedules: what a race-free kernel computes, it still computes with one more.

    Here one simdgroup runs after another to the next barrier, a schedule that Metal permits, and the shipped kernels
    give something else than with the barriers added. (On a GPU, where simdgroups run nearly abreast, the fault is
    seen rarely.)
    """
    mx.random.seed(15)
    q, p = (mx.random.normal((3, 5003)) * 3 for _ in range(2))
    function = getattr(losses, loss)
    shipped = np.asarray(function(q, p))
    request.getfixturevalue("mended_losses")
    mended = np.asarray(function(q, p))
    with pure_mlx():
        want = np.asarray(function(q, p))
    np.testing.assert_allclose(mended, want, rtol=1e-4)
    assert np.abs(shipped - want).max() > 1e-2, "as shipped it was right here: has mlx-lm got its barriers?"
