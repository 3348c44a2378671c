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


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs this interpreter."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, **environment},
    )


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


@pytest.mark.parametrize("name", ["batch_elementwise_kernel", "layernorm_kernel", "simdgroup_matmul_kernel"])
def test_checked_execution_finds_nothing_in_a_script(name):
    result = run(str(SCRIPTS / f"{name}.py"), MW_CHECK="1")
    assert result.returncode == 0, result.stdout + result.stderr


def broken(folder: Path, name: str, right: str, wrong: str) -> str:
    """A copy of the scripts in which one has a fault; the path of that one."""
    for path in SCRIPTS.iterdir():
        if path.is_file():
            (folder / path.name).write_text(path.read_text())
    script = folder / f"{name}.py"
    text = script.read_text()
    assert text.count(right) == 1
    script.write_text(text.replace(right, wrong))
    return str(script)


@pytest.mark.parametrize(
    ("name", "right", "wrong", "finding"),
    [
        (  # the sums of the other simdgroups are dropped
            "rmsnorm_kernel",
            "return simd_sum(lane < simdgroups ? scratch[lane] : 0.0f);",
            "return scratch[0];",
            "FAILED: rms_norm, (2, 4097), float32",
        ),
        (  # one scratch array used twice, with no barrier between reading and writing: a race
            "layernorm_kernel",
            "square = threadgroup_sum(square, squares,",
            "square = threadgroup_sum(square, sums,",
            "FAILED: layer_norm, (2, 8192), float32",
        ),
        (
            "softmax_kernel",
            "float maximum = -FLT_MAX;",
            "float maximum = -INFINITY;",
            "FAILED: softmax, masked, float32",
        ),
    ],
)
def test_a_wrong_kernel_fails(tmp_path, name, right, wrong, finding):
    result = run(broken(tmp_path, name, right, wrong))
    assert result.returncode == 1, result.stdout + result.stderr
    assert finding in result.stdout


def test_checked_execution_names_a_fault_that_values_do_not_show(tmp_path):
    """One element too many, read and written: the values are right, the memory is not the kernel's."""
    right = "for (uint i = first; i < size; i++)"
    script = broken(tmp_path, "batch_elementwise_kernel", right, right.replace("<", "<="))
    result = run(script, MW_CHECK="1")
    assert result.returncode != 0
    assert "reads 4 bytes" in result.stderr
    assert "argument 0 (`gate`), which has 4 bytes" in result.stderr
    assert "swiglu:10:" in result.stderr  # the line of the body


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def test_the_quick_start_runs():
    code = "\n".join(blocks(SKILL / "SKILL.md"))  # the second block builds on the first
    exec(compile(code, "SKILL.md", "exec"), {"__name__": "quick_start"})


@pytest.mark.parametrize("page", sorted((SKILL / "references").glob("*.md")), ids=lambda page: page.name)
def test_the_code_of_a_reference_page_runs(page):
    names = {"__name__": "page"}  # shared: a later block may build on an earlier one
    for index, code in enumerate(blocks(page)):
        exec(compile(code, f"{page.name}, block {index}", "exec"), names)


def test_links_lead_somewhere():
    for page in (SKILL / "SKILL.md", *(SKILL / "references").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert target.startswith("http") or (page.parent / target).exists(), f"{page.name}: {target}"


def test_a_script_benchmarks():
    result = run(str(SCRIPTS / "multihead_rope_kernel.py"), "--bench", "--chip", "m2")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "of roof" in result.stdout
    assert "they rank nothing on a Mac" in result.stdout
