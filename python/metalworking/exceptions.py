"""What can go wrong, as one family of exceptions.

Each class also derives from the built-in exception that code written for MLX or NumPy would catch.
"""

from __future__ import annotations

import builtins
from typing import NamedTuple


class MetalworkingError(Exception):
    """Any error of this package."""


class SettingError(MetalworkingError, ValueError):
    """A setting (``MW_CHIP``, ``MW_ENGINE``, …) names something that does not exist."""


class BufferError(MetalworkingError, builtins.BufferError, ValueError):
    """A buffer could not be made, read or written."""


class LibraryError(MetalworkingError, RuntimeError):
    """A library could not be read: the file is damaged, or it is none."""


class FunctionError(MetalworkingError, ValueError):
    """A function is not there, or its constants are not set right."""


class PipelineError(MetalworkingError, ValueError):
    """A kernel does not fit the device."""


class EncodeError(MetalworkingError, ValueError):
    """A launch is not right: grid, threadgroup, memory, buffers or offsets."""


class UnsupportedError(MetalworkingError, NotImplementedError):
    """A kernel uses what this engine does not implement; the text names it."""


class LaunchError(MetalworkingError, RuntimeError):
    """A kernel did not end well. Memory may hold partial results."""


class KernelFault(LaunchError):  # noqa: N818
    """A kernel accessed memory outside its buffers, or did what the checked engine forbids."""


class WatchdogError(LaunchError, TimeoutError):
    """A kernel ran past the time limit."""


class InternalError(MetalworkingError, RuntimeError):
    """A mistake of this package: please report it."""


class Diagnostic(NamedTuple):
    """One finding in Metal source.

    Attributes:
        code: Stable code, such as ``"MSL0231"``; ``mw explain CODE`` says more.
        name: The code's name.
        severity: ``"error"`` or ``"warning"``.
        message: What is wrong, in one line.
        file: Name of the source.
        line: Line, from 1; None where the place is not in a text.
        column: Column, from 1.
        end_line: Line of the end.
        end_column: Column of the end.
        label: What the place is; may be empty.
        notes: Facts and the rule.
        help: What to write instead.
        url: The page of the code.
    """

    code: str
    name: str
    severity: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    label: str = ""
    notes: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    url: str = ""

    def __str__(self) -> str:
        """The place and the message in one line, as compilers print them."""
        place = f"{self.file}:{self.line}:{self.column}: " if self.line is not None else ""
        return f"{place}{self.severity}[{self.code}]: {self.message}"


class CompileError(MetalworkingError, RuntimeError):
    """Metal source has mistakes. The text shows each in its place.

    Attributes:
        diagnostics: The findings in the order in which they were made, warnings among them.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Keeps the diagnostics when the exception crosses processes."""
        return type(self), (self.args[0], self.diagnostics)


def _compile_error(message: str, text: str) -> CompileError:
    """Makes the exception of what the native module tells: the rendered text, and the same as JSON."""
    import json

    return CompileError(message, tuple(_diagnostic(value) for value in json.loads(text)))


def _diagnostic(value: dict) -> Diagnostic:
    place = value["primary"]["place"] or {}
    start, end = place.get("start", {}), place.get("end", {})
    return Diagnostic(
        code=value["code"],
        name=value["name"],
        severity=value["severity"],
        message=value["message"],
        file=place.get("file"),
        line=start.get("line"),
        column=start.get("column"),
        end_line=end.get("line"),
        end_column=end.get("column"),
        label=value["primary"]["text"],
        notes=tuple(value["notes"]),
        help=tuple(value["help"]),
        url=value["url"],
    )
