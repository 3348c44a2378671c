"""The switch of checked execution."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def checked() -> Iterator[None]:
    """Runs kernels on the reference interpreter, which checks what they do.

    Inside the block every kernel of :func:`metalworking.metal_kernel`, of ``mx.fast.metal_kernel`` and of devices
    made by ``Device()`` is checked: an access outside its buffers, a branch or a store of an uninitialised
    value, a barrier that not all threads reach raise :class:`metalworking.KernelFault`.
    It is some hundred times slower. ``MW_CHECK=1`` in the environment is the same for a whole program.

    MLX is lazy: evaluate inside the block.

    Example:
        >>> with metalworking.checked():
        ...     mx.eval(kernel(inputs=[a], grid=(n, 1, 1), threadgroup=(256, 1, 1), ...))
    """
    from metalworking import _native

    _native.enter_checked()
    try:
        yield
    finally:
        _native.leave_checked()
