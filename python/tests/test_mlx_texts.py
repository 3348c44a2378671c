"""The text of every kernel is MLX's own, character for character, and so are exported functions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import mlx.core as mx
import pytest

SCRIPT = Path(__file__).with_name("mlx_texts.py")


def printed(which: str) -> tuple[dict, str]:
    result = subprocess.run([sys.executable, SCRIPT, which], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    texts, verbose = result.stdout.split("\nverbose:\n")
    return json.loads(texts), verbose


@pytest.mark.skipif(tuple(map(int, mx.__version__.split(".")[:2])) < (0, 32), reason="exports no kernels without Metal")
def test_texts_and_files_are_those_of_mlx_alone():
    stock, stock_verbose = printed("stock")
    ours, our_verbose = printed("metalworking")
    assert len(stock) > 500
    assert stock.keys() == ours.keys()
    different = {label: (stock[label], ours[label]) for label in stock if stock[label] != ours[label]}
    assert not different
    assert stock_verbose == our_verbose
    assert our_verbose.startswith("Generated source code for `k`:\n```\n[[kernel]] void custom_kernel_k_float_float(")
