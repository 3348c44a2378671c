"""What stands in on a Mac, where Metal itself is: kernels are handed to MLX, and checks are Metal's own.

A Mac has no native module of ours, so nothing here imports it.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

try:
    __version__ = version("metalworking")
except PackageNotFoundError:
    __version__ = "unknown"


def metal_kernel(*args: Any, **kwargs: Any) -> Callable[..., list[Any]]:
    """As :func:`metalworking.fast.metal_kernel`, by ``mx.fast.metal_kernel``.

    NumPy arrays go to MLX and come back as NumPy arrays, which copies them; arrays of MLX stay what they are.
    """
    import mlx.core as mx

    made = mx.fast.metal_kernel(*args, **kwargs)

    def call(*, inputs: Any, output_dtypes: Any, template: Any = None, **options: Any) -> list[Any]:
        is_foreign = not any(isinstance(value, mx.array) for value in inputs)
        if template is not None:
            options["template"] = [(name, _dtype(mx, value)) for name, value in template]
        outputs = made(
            inputs=[_array(mx, value) for value in inputs],
            output_dtypes=[_dtype(mx, dtype) for dtype in output_dtypes],
            **options,
        )
        if not is_foreign:
            return outputs
        import numpy as np

        return [np.array(output) for output in outputs]

    return call


@contextmanager
def checked() -> Iterator[None]:
    """Does nothing: on a Mac, ``MTL_SHADER_VALIDATION=1`` in the environment is Metal's own check."""
    yield


def dispatch_counts() -> dict[str, int]:
    """Nothing is counted: Metal runs the kernels, not this package."""
    return {}


def reset_dispatch_counts() -> None:
    """There is nothing to reset."""


def _array(mx: Any, value: Any) -> Any:
    return value if isinstance(value, mx.array | bool | int | float) else mx.array(value)


def _dtype(mx: Any, value: Any) -> Any:
    """A type of MLX for one of NumPy's; numbers and truth values stay."""
    if isinstance(value, bool | int | mx.Dtype):
        return value
    name = value if isinstance(value, str) else getattr(value, "name", None) or getattr(value, "__name__", str(value))
    return getattr(mx, "bool_" if name in ("bool", "bool_") else name)
