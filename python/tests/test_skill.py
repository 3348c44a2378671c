"""The skill for Metal kernels in MLX: every script passes its own checks, every code block of its pages runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import metalworking.mlx  # noqa: F401
import pytest

SKILL = Path(__file__).resolve().parents[2] / "skill" / "mlx-metal-kernels"
SCRIPTS = SKILL / "scripts"

# The names that the skill promises.
NAMES = [
    "attention_kernel",
    "attention_variants_kernel",
    "batch_elementwise_kernel",
    "benchmark_rmsnorm",
    "dequant_matvec_kernel",
    "e2e_custom_kernels",
    "layernorm_kernel",
    "multihead_rope_kernel",
    "paged_attention_partitioned_kernel",
    "rmsnorm_kernel",
    "simdgroup_matmul_kernel",
    "softmax_kernel",
]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs this interpreter."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=600, check=False)


def test_the_names_are_all_there():
    assert sorted(path.stem for path in SCRIPTS.glob("[a-z]*.py")) == NAMES
    guide = (SKILL / "SKILL.md").read_text()
    for name in NAMES:
        assert f"`{name}.py`" in guide, f"SKILL.md does not say what {name}.py is for"


@pytest.mark.parametrize("name", NAMES)
def test_a_script_passes_its_own_checks(name):
    result = run(str(SCRIPTS / f"{name}.py"))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "ok" in result.stdout
    assert "FAIL" not in result.stdout


def test_a_script_runs_as_a_mac_users_would_under_mw():
    result = run("-m", "metalworking", "run", str(SCRIPTS / "rmsnorm_kernel.py"))
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_bench_names_the_roof_of_a_chip():
    result = run(str(SCRIPTS / "softmax_kernel.py"), "--chip", "no-such-chip")
    assert result.returncode != 0
    assert "m4-max" in result.stderr
    chips = json.loads((SCRIPTS / "chips.json").read_text())
    assert chips["m4-max"]["bandwidth_gb_per_s"] == [409.6, 546.0]


def test_a_wrong_kernel_fails(tmp_path):
    """The checks can fail: a barrier's worth of sums is dropped, and the script says so."""
    for path in SCRIPTS.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_text(path.read_text())
    script = tmp_path / "rmsnorm_kernel.py"
    text = script.read_text()
    right = "return simd_sum(lane < simdgroups ? scratch[lane] : 0.0f);"
    assert right in text
    script.write_text(text.replace(right, "return scratch[0];"))
    result = run(str(script))
    assert result.returncode == 1, result.stdout + result.stderr
    assert "FAILED: rms_norm, (2, 4097), float32" in result.stdout


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def test_the_quick_start_runs():
    code = "\n".join(blocks(SKILL / "SKILL.md"))  # the second block builds on the first
    exec(compile(code, "SKILL.md", "exec"), {"__name__": "quick_start"})


@pytest.mark.parametrize("page", sorted((SKILL / "references").glob("*.md")), ids=lambda page: page.name)
def test_the_code_of_a_reference_page_runs(page):
    for index, code in enumerate(blocks(page)):
        exec(compile(code, f"{page.name}, block {index}", "exec"), {"__name__": "page"})


def test_links_lead_somewhere():
    for page in (SKILL / "SKILL.md", *(SKILL / "references").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert target.startswith("http") or (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.skipif("CI" not in os.environ, reason="slow; set CI to run it")
@pytest.mark.parametrize("name", NAMES)
def test_a_script_benchmarks(name):
    result = run(str(SCRIPTS / f"{name}.py"), "--bench", "--chip", "m2")
    assert result.returncode == 0, result.stdout + result.stderr
