"""`metal_kernel` for NumPy, Torch and JAX arrays: MLX's custom kernels without MLX.

What is an array, and how its memory is found, stands in `_arrays.py`.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from metalworking import _arrays, _native
from metalworking.exceptions import EncodeError

if TYPE_CHECKING:
    from collections.abc import Sequence

MATH_MODES = {"safe": 0, "relaxed": 1, "fast": 2}
INT32 = range(-(2**31), 2**31)


def metal_kernel(
    name: str,
    input_names: Sequence[str],
    output_names: Sequence[str],
    source: str,
    header: str = "",
    ensure_row_contiguous: bool = True,
    atomic_outputs: bool = False,
    compile_options: dict[str, str] | None = None,
) -> MetalKernel:
    """A custom Metal kernel, as ``mx.fast.metal_kernel`` makes it, for arrays of NumPy, Torch and JAX.

    Args:
        name: Name of the kernel, for messages.
        input_names: Names of the inputs in the signature.
        output_names: Names of the outputs in the signature.
        source: The body of the kernel function. The signature is made from the names, the types of the arguments of
            each call, and the attributes that the body names (``thread_position_in_grid`` and so on).
            ``<input>_shape``, ``<input>_strides`` and ``<input>_ndim`` are passed where the body names them.
        header: What stands before the function: includes, helper functions.
        ensure_row_contiguous: Copy inputs that are not row-contiguous before the kernel runs. Without it the kernel
            indexes by ``<input>_strides`` (in elements) itself, and nothing is copied.
        atomic_outputs: Declare outputs ``device atomic<T>*``.
        compile_options: ``{"math_mode": "safe" | "relaxed" | "fast"}``; ``"safe"`` keeps NaN and infinities.

    Returns:
        A callable: see :meth:`MetalKernel.__call__`.

    Raises:
        ValueError: No output is named, or an option is unknown.

    Example:
        >>> import numpy as np
        >>> import metalworking
        >>> exp = metalworking.metal_kernel(
        ...     name="myexp",
        ...     input_names=["inp"],
        ...     output_names=["out"],
        ...     source="uint i = thread_position_in_grid.x; out[i] = metal::exp(inp[i]);",
        ... )
        >>> a = np.zeros(4, np.float32)
        >>> exp(
        ...     inputs=[a],
        ...     grid=(a.size, 1, 1),
        ...     threadgroup=(256, 1, 1),
        ...     output_shapes=[a.shape],
        ...     output_dtypes=[a.dtype],
        ... )[0]
        array([1., 1., 1., 1.], dtype=float32)
    """
    return MetalKernel(
        name, input_names, output_names, source, header, ensure_row_contiguous, atomic_outputs, compile_options
    )


class MetalKernel:
    """A custom kernel; made by :func:`metal_kernel`."""

    def __init__(
        self,
        name: str,
        input_names: Sequence[str],
        output_names: Sequence[str],
        source: str,
        header: str,
        ensure_row_contiguous: bool,
        atomic_outputs: bool,
        compile_options: dict[str, str] | None,
    ) -> None:
        self.name = name
        mode = _math_mode(compile_options)
        self._definition: dict[str, Any] = {
            "name": name,
            "input_names": list(input_names),
            "output_names": list(output_names),
            "source": source,
            "header": header,
            "ensure_row_contiguous": bool(ensure_row_contiguous),
            "atomic_outputs": bool(atomic_outputs),
            "compile_options": compile_options,
        }
        self._kernel = _native.CustomKernel(
            name,
            list(input_names),
            list(output_names),
            source,
            header,
            bool(ensure_row_contiguous),
            bool(atomic_outputs),
            MATH_MODES[mode],
        )
        self._mlx: Any = None

    def __call__(
        self,
        *,
        inputs: Sequence[Any],
        output_shapes: Sequence[Sequence[int]],
        output_dtypes: Sequence[Any],
        grid: Sequence[int],
        threadgroup: Sequence[int],
        template: Sequence[tuple[str, Any]] | None = None,
        init_value: float | None = None,
        verbose: bool = False,
        stream: Any = None,
    ) -> list[Any]:
        """Runs the kernel and returns its outputs.

        Args:
            inputs: Arrays of NumPy, Torch (on the CPU) or JAX, or numbers, one for each input name. Their memory is
                used in place. MLX arrays are handed to ``mx.fast.metal_kernel``.
            output_shapes: Shape of each output.
            output_dtypes: Type of each output, in any library's spelling: ``np.float32``, ``torch.bfloat16``,
                ``"float16"``.
            grid: Threads of the whole grid along x, y and z. Not threadgroups.
            threadgroup: Threads of a threadgroup along x, y and z; cut to the grid.
            template: Values of template parameters: a name with a type, a whole number or a truth value.
            init_value: What outputs hold before the kernel runs. Without it they hold nothing in particular.
            verbose: Print the whole source.
            stream: Taken for MLX's sake, and not used: the call returns when the kernel has ended.

        Returns:
            The outputs, as arrays of the kind of the first array among the inputs; of the kind of the output types
            where there is none.

        Raises:
            CompileError: The source has mistakes.
            ValueError: A list, a size or a type is not right.
            KernelFault: The kernel accessed memory outside its arrays (``metalworking.checked()`` finds all that do).
        """
        if any(_arrays.is_mlx(value) for value in inputs):
            return self._call_mlx(
                inputs=list(inputs),
                output_shapes=[tuple(shape) for shape in output_shapes],
                output_dtypes=[_arrays.mlx_dtype(dtype) for dtype in output_dtypes],
                grid=tuple(grid),
                threadgroup=tuple(threadgroup),
                template=[(key, _arrays.mlx_template(value)) for key, value in template or []],
                init_value=init_value,
                verbose=verbose,
                stream=stream,
            )
        names = self._definition["output_names"]
        _expect("output_shapes", output_shapes, names)
        _expect("output_dtypes", output_dtypes, names)
        _expect("inputs", inputs, self._definition["input_names"])
        views = [_arrays.view(value) for value in inputs]
        numbers = [_arrays.dtype_number(dtype) for dtype in output_dtypes]
        arguments = [_template_argument(key, value) for key, value in template or []]
        if verbose:
            kinds = [(view.dtype, len(view.shape), view.size) for view in views]
            _, text = self._kernel.generate(kinds, numbers, arguments)
            print(f"Generated source code for `{self.name}`:\n```\n{text}\n```")
        library = _arrays.library_of(views, output_dtypes)
        outputs = [library.empty(_shape(shape), number) for shape, number in zip(output_shapes, numbers, strict=True)]
        self._kernel.run(
            [view.argument() for view in views],
            [output.argument() for output in outputs],
            arguments,
            _size("grid", grid),
            _size("threadgroup", threadgroup),
            None if init_value is None else float(init_value),
        )
        return [library.finish(output) for output in outputs]

    def _call_mlx(self, **arguments: Any) -> list[Any]:
        import mlx.core as mx

        import metalworking.mlx  # noqa: F401

        if self._mlx is None:
            self._mlx = mx.fast.metal_kernel(**self._definition)
        given = {key: value for key, value in arguments.items() if value is not None}
        return self._mlx(**given)

    def __repr__(self) -> str:
        """The name with the signature's names."""
        inputs = ", ".join(self._definition["input_names"])
        outputs = ", ".join(self._definition["output_names"])
        return f"<metalworking.metal_kernel {self.name!r}: ({inputs}) -> ({outputs})>"


def _math_mode(options: dict[str, str] | None) -> str:
    unknown = set(options or {}) - {"math_mode"}
    if unknown:
        raise ValueError(f"[metal_kernel] unknown compile options: {', '.join(sorted(unknown))}; there is `math_mode`")
    mode = (options or {}).get("math_mode", "safe")
    if mode not in MATH_MODES:
        raise ValueError(f'[metal_kernel] `math_mode` is "safe", "relaxed" or "fast", not {mode!r}')
    return mode


def _expect(what: str, values: Sequence[Any], names: Sequence[str]) -> None:
    """The words that MLX has for a list that does not go with the names."""
    if len(values) != len(names):
        raise EncodeError(f"[metal_kernel] Expected `{what}` to have size {len(names)} but got size {len(values)}.\n")


def _shape(shape: Any) -> tuple[int, ...]:
    lengths = (shape,) if hasattr(shape, "__index__") else shape
    try:
        known = tuple(operator.index(length) for length in lengths)
    except TypeError:
        raise TypeError(f"[metal_kernel] an output shape is a tuple of whole numbers, not {shape!r}") from None
    if any(length < 0 or length not in INT32 for length in known):
        raise EncodeError(f"[metal_kernel] an output cannot have the shape {known}: lengths are from 0 to 2^31 - 1")
    return known


def _size(what: str, size: Any) -> list[int]:
    try:
        lengths = [operator.index(length) for length in size]
    except TypeError:
        raise TypeError(f"[metal_kernel] `{what}` is three whole numbers (x, y, z), not {size!r}") from None
    if len(lengths) != 3:
        raise EncodeError(
            f"[metal_kernel] `{what}` is three whole numbers (x, y, z), not {len(lengths)}: unused axes are 1"
        )
    if any(length not in INT32 for length in lengths):
        raise EncodeError(f"[metal_kernel] `{what}` is {tuple(lengths)}: an axis has at most 2^31 - 1 threads")
    return lengths


def _template_argument(name: str, value: Any) -> tuple[str, str, int]:
    if isinstance(value, bool):
        return name, "bool", int(value)
    if isinstance(value, int) or (hasattr(value, "__index__") and not isinstance(value, type)):
        return name, "int", operator.index(value)
    try:
        return name, "dtype", _arrays.dtype_number(value)
    except TypeError:
        raise TypeError(
            f"[metal_kernel] template argument `{name}` is a type, a whole number or a truth value, not {value!r}"
        ) from None
