"""Apple Metal compute kernels on any machine.

Kernels for MLX arrays: ``import metalworking.mlx``, and ``mx.fast.metal_kernel`` works on this machine.
Kernels for NumPy, Torch and JAX arrays: :func:`metal_kernel`, with the same arguments.
Metal's own objects: :class:`Device`, :class:`Library`, :class:`ComputePipelineState`, :class:`Buffer`,
:class:`CommandQueue`, and what they make.

Settings: ``MW_CHIP`` names the chip whose limits hold, ``MW_ENGINE`` the engine (``cpu``, ``interp`` or
``checked``), ``MW_THREADS`` the number of threads, ``MW_CPU`` the features that code is made for;
``MW_CHECK=1`` is :func:`checked` from the start.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from metalworking.exceptions import (
    BufferError,
    CompileError,
    Diagnostic,
    EncodeError,
    FunctionError,
    InternalError,
    KernelFault,
    LaunchError,
    LibraryError,
    MetalworkingError,
    PipelineError,
    SettingError,
    UnsupportedError,
    WatchdogError,
)

if TYPE_CHECKING:
    from metalworking._checked import checked
    from metalworking._native import (
        Binding,
        BlitCommandEncoder,
        Buffer,
        CommandBuffer,
        CommandQueue,
        ComputeCommandEncoder,
        ComputePipelineState,
        Device,
        Function,
        FunctionConstant,
        Heap,
        Library,
        SharedEvent,
        StructMember,
        __version__,
        dispatch_counts,
        reset_dispatch_counts,
    )
    from metalworking.fast import metal_kernel

__all__ = [
    "Binding",
    "BlitCommandEncoder",
    "Buffer",
    "BufferError",
    "CommandBuffer",
    "CommandQueue",
    "CompileError",
    "ComputeCommandEncoder",
    "ComputePipelineState",
    "Device",
    "Diagnostic",
    "EncodeError",
    "Function",
    "FunctionConstant",
    "FunctionError",
    "Heap",
    "InternalError",
    "KernelFault",
    "LaunchError",
    "Library",
    "LibraryError",
    "MetalworkingError",
    "PipelineError",
    "SettingError",
    "SharedEvent",
    "StructMember",
    "UnsupportedError",
    "WatchdogError",
    "__version__",
    "checked",
    "dispatch_counts",
    "metal_kernel",
    "reset_dispatch_counts",
]

# Loaded when first asked for: a Mac has no native module of ours, and `import metalworking.mlx` must work there.
_ELSEWHERE = {"checked": "metalworking._checked", "metal_kernel": "metalworking.fast"}
_ON_A_MAC = ("__version__", "checked", "dispatch_counts", "metal_kernel", "reset_dispatch_counts")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'metalworking' has no attribute {name!r}")
    module = _ELSEWHERE.get(name, "metalworking._native")
    if sys.platform == "darwin":
        if name not in _ON_A_MAC:
            raise ImportError(f"metalworking.{name} is for machines without Metal: on a Mac use Metal itself")
        module = "metalworking._mac"
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
