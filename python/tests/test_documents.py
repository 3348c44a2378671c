"""Examples in docstrings and documents run."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import metalworking.fast
import pytest

ROOT = Path(__file__).parent.parent.parent


def blocks(document):
    """Python in a Markdown page, as parameters of a test."""
    text = (ROOT / document).read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    # The others are parts that show one thing.
    whole = [
        block for block in found if re.search(r"^import metalworking$", block, re.MULTILINE) or "mx.random" in block
    ]
    return [
        pytest.param(block, id=f"{document}-{number}") for number, block in enumerate(whole) if "def test" not in block
    ]


def test_docstrings():
    assert doctest.testmod(metalworking.fast).failed == 0
    assert doctest.testmod(metalworking.fast).attempted > 3


def test_readme_runs_mlx():
    (block,) = (parameter.values[0] for parameter in blocks("README.md"))
    names = {}
    exec(block, names)
    mx = names["mx"]
    assert mx.allclose(names["b"], mx.exp(names["a"]), rtol=1e-4)


@pytest.mark.parametrize("block", blocks("docs/python.md"))
def test_python_page(block):
    names = {}
    exec(block, names)
    np = names["np"]
    np.testing.assert_allclose(names["b"], np.exp(names["a"]), rtol=1e-5)
