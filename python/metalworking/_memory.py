"""Memory of buffers as Python sees it, and memory of arrays as buffers see it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def contents(owner: object, address: int, length: int) -> memoryview:
    """Writable bytes at an address, which keep their owner alive."""
    memory = (ctypes.c_ubyte * length).from_address(address)
    memory._owner = owner  # type: ignore[attr-defined]
    return memoryview(memory).cast("B")


def element_type(name: object) -> np.dtype:
    """A NumPy dtype from what users write; ``bfloat16`` comes from `ml_dtypes`."""
    import numpy as np

    if name is None:
        return np.dtype(np.uint8)
    if isinstance(name, str) and name in ("bfloat16", "bfloat"):
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError("NumPy has no bfloat16 of its own: install `ml_dtypes`") from None
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)  # type: ignore[call-overload]


def array(buffer: Any, dtype: object, shape: object, offset: int) -> np.ndarray:
    """An array over the memory of a buffer."""
    import numpy as np

    kind = element_type(dtype)
    whole = np.asarray(buffer)
    if offset > whole.size:
        raise ValueError(f"offset {offset} is past the end of the buffer of {whole.size} bytes")
    rest = whole[offset:]
    count = rest.size // kind.itemsize
    if shape is None:
        return rest[: count * kind.itemsize].view(kind)
    dimensions = [shape] if isinstance(shape, int) else list(shape)  # type: ignore[call-overload]
    known = 1
    for dimension in dimensions:
        known *= 1 if dimension == -1 else dimension
    if -1 in dimensions:
        dimensions[dimensions.index(-1)] = count // max(known, 1)
    wanted = 1
    for dimension in dimensions:
        wanted *= dimension
    if wanted > count:
        raise ValueError(
            f"an array of shape {tuple(dimensions)} and type {kind} has {wanted * kind.itemsize} bytes, "
            f"the buffer has {rest.size} after offset {offset}"
        )
    return rest[: wanted * kind.itemsize].view(kind).reshape(dimensions)


def _as_array(data: Any) -> np.ndarray:
    import numpy as np

    kind = type(data).__module__.partition(".")[0]
    if kind == "torch":
        import torch

        tensor = data.detach()
        if tensor.device.type != "cpu":
            raise TypeError(f"the tensor is on `{tensor.device}`: move it with `.cpu()`")
        if not tensor.is_contiguous():
            raise ValueError("the tensor is not contiguous: call `.contiguous()`")
        # NumPy has no bfloat16; only the bytes matter here.
        return tensor.view(torch.uint8).numpy() if tensor.dim() else tensor.reshape(1).view(torch.uint8).numpy()
    if isinstance(data, np.ndarray | np.generic) or hasattr(data, "__array__"):
        return np.asarray(data)
    if hasattr(data, "__dlpack__"):
        return np.from_dlpack(data)
    if hasattr(data, "__array_interface__"):
        return np.asarray(data)
    raise TypeError(
        f"`{type(data).__name__}` has no bytes to take: give `bytes`, a NumPy array, a tensor, or another object "
        "with a buffer"
    )


def readable(data: Any) -> Any:
    """Contiguous bytes of an object that has no buffer of contiguous bytes itself; a copy where need be."""
    import numpy as np

    if type(data).__module__.partition(".")[0] == "torch":
        data = data.detach().contiguous()
    return np.ascontiguousarray(_as_array(data)).reshape(-1).view(np.uint8)


def writable(data: Any) -> Any:
    """The memory of an object, in place, or an error."""
    import numpy as np

    values = _as_array(data)
    if not values.flags.c_contiguous:
        raise ValueError("the array is not contiguous: its memory cannot be one buffer")
    if not values.flags.writeable:
        raise ValueError("the array is read-only: kernels could write to it; use `new_buffer_with_data`")
    return values.reshape(-1).view(np.uint8)
