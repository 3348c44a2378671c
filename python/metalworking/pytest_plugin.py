"""The plug-in for pytest: projects with Metal kernels test them on any machine.

``pytest --metal`` imports `metalworking.mlx` before the tests, so that they find Metal; ``metal = true`` in the
settings of pytest is the same.
``pytest --metal-check`` runs all tests checked (see :func:`metalworking.checked`); the marker ``metal_check`` does so
for one.
The fixture ``metal_dispatches`` tells which kernels really ran.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_CHECKED = pytest.StashKey[ExitStack]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--metal`` and ``--metal-check``."""
    group = parser.getgroup("metalworking", "Metal kernels on this machine")
    group.addoption("--metal", action="store_true", help="let MLX run Metal kernels here (import metalworking.mlx)")
    group.addoption(
        "--metal-check",
        action="store_true",
        help="run kernels on the checked engine: slow, and finds what they do wrong",
    )
    parser.addini("metal", "as --metal", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker, and does what the options ask for."""
    config.addinivalue_line("markers", "metal_check: run the kernels of this test on the checked engine")
    if _wants_metal(config):
        import metalworking.mlx
    if config.getoption("metal_check"):
        import metalworking

        checked = config.stash[_CHECKED] = ExitStack()
        checked.enter_context(metalworking.checked())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Takes the check back: a process may run pytest several times."""
    if _CHECKED in config.stash:
        config.stash[_CHECKED].close()


def pytest_report_header(config: pytest.Config) -> str | None:
    """Says what runs the kernels, where that matters."""
    if sys.platform == "darwin" or not (_wants_metal(config) or config.getoption("metal_check")):
        return None
    import metalworking

    device = metalworking.Device()
    return f"metalworking: {metalworking.__version__}, {device.name} on {device.engine}"


def _wants_metal(config: pytest.Config) -> bool:
    return bool(config.getoption("metal") or config.getini("metal"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Runs a marked test checked."""
    if item.get_closest_marker("metal_check") is None:
        yield
        return
    import metalworking

    with metalworking.checked():
        yield


@pytest.fixture
def metal_dispatches() -> Callable[[], dict[str, int]]:
    """A function that tells how often each kernel was launched since the test began, by name."""
    import metalworking

    before = metalworking.dispatch_counts()

    def since() -> dict[str, int]:
        now = metalworking.dispatch_counts()
        counts = {name: count - before.get(name, 0) for name, count in now.items()}
        return {name: count for name, count in counts.items() if count > 0}

    return since
