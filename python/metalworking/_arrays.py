"""Arrays of NumPy, Torch and JAX as memory: address, shape, strides, type; and new arrays of the same kind.

NumPy arrays and Torch tensors are read by their own attributes; whatever else speaks DLPack or NumPy's protocols
becomes a NumPy array without a copy first. bfloat16 is Torch's own, or that of `ml_dtypes`.
Libraries are imported only where a caller has imported them already.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from metalworking import _native

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

NAMES: list[str] = _native.dtype_names()
NUMBERS = {name: number for number, name in enumerate(NAMES)}
# What libraries call differently.
ALIASES = {
    "bool_": "bool",
    "half": "float16",
    "float": "float32",
    "bfloat": "bfloat16",
    "int": "int32",
    "double": "float64",
    "cfloat": "complex64",
}
# JAX takes memory over without a copy when it begins at a multiple of this.
ALIGNMENT = 64


@dataclass(slots=True)
class View:
    """The memory of an array.

    Attributes:
        owner: Keeps the memory alive.
        address: First element.
        shape: Elements along each axis.
        strides: Elements from one to the next along each axis.
        dtype: Number of the type.
        library: ``"numpy"``, ``"torch"``, ``"jax"``, or ``"number"`` for a bare number.
    """

    owner: Any
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: int
    library: str

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def argument(self) -> tuple[int, tuple[int, ...], tuple[int, ...], int]:
        """As the native module takes it."""
        return self.address, self.shape, self.strides, self.dtype


def view(value: Any) -> View:
    """The memory of an input.

    Raises:
        TypeError: It is no array, or its elements have a type that Metal does not know.
        ValueError: It is not in this machine's memory.
    """
    library = _library_name(type(value))
    if library == "torch":
        return _view_torch(value)
    if library == "jax":
        return _view_jax(value)
    import numpy as np

    if isinstance(value, np.ndarray):
        return _view_numpy(value, "numpy")
    if isinstance(value, bool | int | float):
        # As MLX: a number is a scalar of its usual type.
        kind = np.bool_ if isinstance(value, bool) else np.int32 if isinstance(value, int) else np.float32
        return _view_numpy(np.asarray(value, kind), "number")
    if isinstance(value, np.generic):
        return _view_numpy(np.asarray(value), "number")
    if hasattr(value, "__dlpack__"):
        return _view_numpy(np.from_dlpack(value), "numpy")
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__") or isinstance(value, memoryview):
        return _view_numpy(np.asarray(value), "numpy")
    raise TypeError(
        f"[metal_kernel] an input is an array of NumPy, Torch or JAX, or a number, not `{type(value).__name__}`"
    )


def _view_numpy(array: np.ndarray, library: str) -> View:
    import numpy as np

    number = _numpy_number(array.dtype)
    size = array.dtype.itemsize
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    interface = array.__array_interface__
    address, bytes_apart = interface["data"][0], interface["strides"]
    if bytes_apart is None:
        strides = _row_strides(array.shape)
    elif any(step % size for step in bytes_apart):
        # A field of a structured array: its elements are not whole elements apart.
        return _view_numpy(np.ascontiguousarray(array), library)
    else:
        strides = tuple(step // size for step in bytes_apart)
    return View(array, address, array.shape, strides, number, library)


def _view_torch(tensor: Any) -> View:
    if tensor.device.type != "cpu":
        raise ValueError(f"[metal_kernel] the tensor is on `{tensor.device}`: kernels run on this CPU, call `.cpu()`")
    if not str(tensor.layout).endswith("strided"):
        raise ValueError(f"[metal_kernel] a tensor of layout `{tensor.layout}` is no plain memory: call `.to_dense()`")
    tensor = tensor.detach()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    number = dtype_number(tensor.dtype)
    return View(tensor, tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), number, "torch")


def _view_jax(array: Any) -> View:
    import jax
    import numpy as np

    if isinstance(array, jax.core.Tracer):
        raise TypeError(
            "[metal_kernel] the array is being traced and has no memory yet: call the kernel outside `jax.jit`, or "
            "through `jax.pure_callback`"
        )
    platforms = {device.platform for device in array.devices()}
    if platforms != {"cpu"}:
        raise ValueError(f"[metal_kernel] the array is on {sorted(platforms)}: kernels run on this CPU")
    return _view_numpy(np.asarray(array), "jax")


@lru_cache(maxsize=64)
def _numpy_number(dtype: np.dtype) -> int:
    return dtype_number(dtype)


def dtype_number(dtype: Any) -> int:
    """The number of a type in any library's spelling.

    Raises:
        TypeError: It is no type, or Metal has none like it.
    """
    name = _dtype_name(dtype)
    number = NUMBERS.get(ALIASES.get(name, name))
    if number is None:
        raise TypeError(
            f"[metal_kernel] `{dtype}` is no element type of Metal's: there are {', '.join(NAMES)} (float64 only to "
            "be refused)"
        )
    return number


def _dtype_name(dtype: Any) -> str:
    if isinstance(dtype, str):
        return dtype
    if dtype is bool or dtype is int or dtype is float:
        return dtype.__name__
    # torch.float32, mlx.core.float32
    text = str(dtype)
    if _library_name(type(dtype)) in ("torch", "mlx"):
        return text.rpartition(".")[2]
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    return name if isinstance(name, str) else text


def _library_name(kind: type) -> str:
    module = kind.__module__.partition(".")[0]
    return "jax" if module in ("jaxlib", "jax") else module


def is_mlx(value: Any) -> bool:
    """Whether it is an array of MLX."""
    return type(value).__module__ == "mlx.core" and type(value).__name__ == "array"


def mlx_dtype(dtype: Any) -> Any:
    """MLX's type of this name."""
    import mlx.core as mx

    if isinstance(dtype, mx.Dtype):
        return dtype
    name = NAMES[dtype_number(dtype)]
    return getattr(mx, "bool_" if name == "bool" else name)


def mlx_template(value: Any) -> Any:
    """A template argument as MLX takes it."""
    return value if isinstance(value, bool | int) else mlx_dtype(value)


def _row_strides(shape: Sequence[int]) -> tuple[int, ...]:
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return tuple(strides)


def library_of(views: Sequence[View], output_dtypes: Sequence[Any]) -> type[NumPy]:
    """Which library's arrays the outputs are: that of the first array, or of the types."""
    for one in views:
        if one.library != "number":
            return LIBRARIES[one.library]
    for dtype in output_dtypes:
        if _library_name(type(dtype)) == "torch":
            return Torch
    return NumPy


class NumPy:
    """New arrays of NumPy."""

    @staticmethod
    def dtype(number: int) -> np.dtype:
        """The type of a number."""
        import numpy as np

        name = NAMES[number]
        if name != "bfloat16":
            return np.dtype(name)
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError(
                "[metal_kernel] NumPy has no bfloat16 of its own: install `ml_dtypes`, or use Torch"
            ) from None
        return np.dtype(ml_dtypes.bfloat16)

    @classmethod
    def empty(cls, shape: tuple[int, ...], number: int) -> View:
        """An array whose elements hold nothing in particular."""
        import numpy as np

        array = np.empty(shape, cls.dtype(number))
        address = array.__array_interface__["data"][0]
        return View(array, address, shape, _row_strides(shape), number, "numpy")

    @staticmethod
    def finish(output: View) -> Any:
        """The array as the caller gets it."""
        return output.owner


class Torch(NumPy):
    """New tensors of Torch."""

    @classmethod
    def empty(cls, shape: tuple[int, ...], number: int) -> View:
        """A tensor whose elements hold nothing in particular."""
        import torch

        name = NAMES[number]
        kind = getattr(torch, name, None)
        if kind is None:
            raise TypeError(f"[metal_kernel] this Torch ({torch.__version__}) has no type `{name}`")
        tensor = torch.empty(shape, dtype=kind)
        return View(tensor, tensor.data_ptr(), shape, _row_strides(shape), number, "torch")


class Jax(NumPy):
    """New arrays of JAX, over memory that it takes over without a copy."""

    @classmethod
    def empty(cls, shape: tuple[int, ...], number: int) -> View:
        """Memory for an array; JAX's own arrays cannot be written."""
        import numpy as np

        kind = cls.dtype(number)
        size = math.prod(shape) * kind.itemsize
        memory = np.empty(size + ALIGNMENT, np.uint8)
        start = -memory.__array_interface__["data"][0] % ALIGNMENT
        array = memory[start : start + size].view(kind).reshape(shape)
        address = array.__array_interface__["data"][0]
        return View(array, address, shape, _row_strides(shape), number, "jax")

    @staticmethod
    def finish(output: View) -> Any:
        """An array of JAX over the memory."""
        import jax

        return jax.device_put(output.owner, jax.devices("cpu")[0], may_alias=True)


LIBRARIES: dict[str, type[NumPy]] = {"numpy": NumPy, "torch": Torch, "jax": Jax}
