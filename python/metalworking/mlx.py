"""Runs ``mx.fast.metal_kernel`` on machines without Metal: importing this module is all it takes.

.. code-block:: python

    import metalworking.mlx
    import mlx.core as mx

    kernel = mx.fast.metal_kernel(...)  # as on a Mac

It does not matter which of the two is imported first, and kernels that were made before run as well; but modules
that ask at import time whether there is Metal must be imported after this one. Kernels are lazy nodes of MLX's graph, as on a Mac: they
work under ``mx.eval``, ``mx.compile``, ``mx.custom_function`` with a vjp, and in exported functions. Python also
hears that there is a GPU: ``mx.gpu`` may be the default device, streams may be made on it, and
``mx.metal.is_available()`` is true. MLX's own operations keep running on its CPU backend.

Where Metal is there already, importing this module changes nothing.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path
from types import ModuleType

__all__ = ["is_installed", "supported_versions"]

_BRIDGES = Path(os.environ.get("MW_MLX_BRIDGES") or Path(__file__).with_name("_mlx_bridges"))
_PREFIX = "mlx-"
_MESSAGE_BYTES = 4096
_MARK = "_metalworking_bridge"

_installed = False


def is_installed() -> bool:
    """Whether kernels run here and not on Metal.

    Returns:
        False on a Mac with Metal, where MLX's own kernels stay in place.
    """
    return _installed


def supported_versions() -> list[str]:
    """The versions of MLX that this package was built for.

    Returns:
        Version numbers, the oldest first.
    """
    found = [path.stem.removeprefix(_PREFIX) for path in _BRIDGES.glob(f"{_PREFIX}*.so")]
    return sorted(found, key=lambda version: [int(part) for part in version.split(".")])


def _bridge_for(version: str) -> Path:
    """The library for a version of MLX such as ``0.32.4`` or ``0.32.4.dev20260701+abc``."""
    release = re.match(r"\d+\.\d+\.\d+", version)
    path = _BRIDGES / f"{_PREFIX}{release.group() if release else version}.so"
    if release and path.is_file():
        return path
    versions = supported_versions()
    if not versions:
        raise ImportError(
            f"this build of metalworking has no bridge for any version of MLX in {_BRIDGES}: "
            "build them with `python python/mlx_bridge/build.py`"
        )
    raise ImportError(
        f"metalworking has no bridge for MLX {version}; it has bridges for {', '.join(versions)}: "
        f"install one of these (`pip install 'mlx=={versions[-1]}' 'mlx-cpu=={versions[-1]}'`), "
        "or a newer metalworking"
    )


def _address_in(extension: ModuleType) -> int:
    """Any address inside an extension module."""
    library = ctypes.PyDLL(extension.__file__)
    return ctypes.cast(library.PyInit_core, ctypes.c_void_p).value or 0


def _checked(function: ctypes._CFuncPtr, *arguments: object) -> None:
    """Calls a function of the bridge whose last arguments are room for a message."""
    message = ctypes.create_string_buffer(_MESSAGE_BYTES)
    function.restype = ctypes.c_bool
    if not function(*arguments, message, ctypes.c_size_t(_MESSAGE_BYTES)):
        text = message.value.decode(errors="replace")
        raise ImportError(f"metalworking cannot take the place of mx.fast.metal_kernel: {text}")


def _replace_in_records(bridge: ctypes.CDLL, module: ModuleType) -> int:
    """Replaces addresses of libmlx's functions in the records behind function objects.

    Functions that MLX bound without a wrapper are known by their address alone. The record is part of the object;
    the address is looked for there.

    Returns:
        How many addresses were replaced.
    """
    replace = bridge.mw_bridge_replace_in
    replace.restype = ctypes.c_size_t
    replace.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    replaced = 0
    for name in dir(module):
        function = getattr(module, name)
        kind = type(function)
        if kind.__name__ != "nb_func":
            continue
        # `ob_size`, the number of overloads, follows the reference count and the type.
        overloads = ctypes.c_ssize_t.from_address(id(function) + object.__basicsize__).value
        first, record = kind.__basicsize__, kind.__itemsize__
        if record > 0 and 0 < overloads < 64:
            replaced += replace(id(function) + first, overloads * record)
    return replaced


def _install() -> bool:
    if sys.platform == "darwin":
        return False
    try:
        import mlx.core as mx
    except ImportError as error:
        raise ImportError(
            "metalworking.mlx needs MLX: `pip install mlx mlx-cpu`; for NumPy, Torch and JAX arrays there is "
            "`metalworking.metal_kernel`"
        ) from error
    if hasattr(mx, _MARK):
        return True
    if mx.metal.is_available():
        return False
    if mx.is_available(mx.gpu):
        raise ImportError(
            "this MLX runs on another kind of GPU (CUDA), where its custom kernels are CUDA's: use mx.fast.cuda_kernel, "
            "or install mlx-cpu to run Metal kernels"
        )
    from metalworking import _native

    bridge = ctypes.CDLL(str(_bridge_for(mx.__version__)))
    table = ctypes.c_void_p(_native.custom_kernel_table())
    _checked(bridge.mw_bridge_install, table, ctypes.c_void_p(_address_in(mx)))
    _replace_in_records(bridge, mx)
    _replace_in_records(bridge, mx.metal)
    if not (mx.metal.is_available() and mx.default_device() == mx.gpu):
        raise ImportError(f"MLX {mx.__version__} still says that it has no GPU: please report it")
    _checked(bridge.mw_bridge_let_imported_kernels_run)
    # The bridge stays as long as what it changed.
    setattr(mx, _MARK, bridge)
    return True


_installed = _install()
