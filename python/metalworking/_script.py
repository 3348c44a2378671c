"""``mw run script.py``: a script written for a Mac, run as ``python script.py`` would run it.

`metalworking.mlx` is imported first, so that ``mx.fast.metal_kernel`` works and guards on Metal see it. All else is
as Python does it: ``sys.argv``, ``sys.path``, ``__main__``, exit codes, tracebacks without frames of ours.
"""

from __future__ import annotations

import builtins
import importlib.util
import io
import os
import runpy
import signal
import sys
import types
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader, SourcelessFileLoader


@dataclass(frozen=True)
class Script:
    """What is to be run, with its own arguments.

    Attributes:
        target: Path of a script, or name of a module.
        is_module: Whether it is a module (``-m``).
        arguments: What follows in ``sys.argv``.
    """

    target: str
    is_module: bool
    arguments: list[str]

    def run(self) -> int:
        """Runs it and returns the exit code."""
        if self.is_module:
            sys.path[0:1] = [os.getcwd()]
        else:
            if not os.path.exists(self.target):
                # The words and the code that Python itself has for it.
                print(f"mw: can't open file '{os.path.abspath(self.target)}': No such file", file=sys.stderr)
                return 2
            sys.path[0:1] = [os.path.dirname(os.path.realpath(self.target))]
        sys.argv = [self.target, *self.arguments]
        activate()
        _activate_in_children()
        return _guarded(self._run_module if self.is_module else self._run_file)

    def _run_module(self) -> None:
        runpy.run_module(self.target, run_name="__main__", alter_sys=True)

    def _run_file(self) -> None:
        # Absolute, as Python has it in `__file__` and in tracebacks.
        path = os.path.abspath(self.target)
        if os.path.isdir(path) or not path.endswith((".py", ".pyw", ".pyc")):
            runpy.run_path(path, run_name="__main__")
            return
        loader_of = SourcelessFileLoader if path.endswith(".pyc") else SourceFileLoader
        loader = loader_of("__main__", path)
        if path.endswith(".pyc"):
            code = loader.get_code("__main__")
        else:
            with io.open_code(path) as file:
                code = compile(file.read(), path, "exec", dont_inherit=True)
        # A module of its own, as the script's: ours must not show through, and pickle must find the script's classes.
        main = types.ModuleType("__main__")
        main.__dict__.update(__file__=path, __loader__=loader, __builtins__=builtins, __spec__=None)
        sys.modules["__main__"] = main
        exec(code, main.__dict__)


def named_in(arguments: list[str]) -> Script | None:
    """The script that a command line of ``mw`` names; None where it means something else.

    ``run`` is followed by ``-m module``, or at once by a path that ends in ``.py``.
    """
    match arguments:
        case ["run", "-m", module, *rest] if _is_module(module):
            return Script(module, True, rest)
        case ["run", path, *rest] if path.endswith((".py", ".pyw")):
            return Script(path, False, rest)
        case ["run", "--", path, *rest] if path.endswith((".py", ".pyw")):
            return Script(path, False, rest)
    return None


def _is_module(name: str) -> bool:
    """Whether `-m` is Python's: the Rust command line has one too, which names a launch's file."""
    parts = name.split(".")
    return all(part.isidentifier() for part in parts) and parts[-1] != "toml" and not os.path.exists(name)


def activate() -> None:
    """Lets MLX run Metal kernels here. Without MLX there is nothing to do: scripts may use other arrays."""
    if importlib.util.find_spec("mlx") is None:
        return
    try:
        import metalworking.mlx  # noqa: F401
    except ImportError as error:
        # The script may not need it; if it does, this says why its kernels do not run.
        print(f"mw: note: {error}", file=sys.stderr)


def _activate_in_children() -> None:
    """Lets Python processes that the script starts find Metal as well."""
    folders = [os.path.join(os.path.dirname(__file__), "_startup"), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, folders))


def _guarded(run: object) -> int:
    """Runs a function as the interpreter runs a main program."""
    try:
        run()  # type: ignore[operator]
    except SystemExit:
        raise
    except KeyboardInterrupt as interrupt:
        _report(interrupt)
        _flush()
        # As Python ends: by the signal itself, so that shells see it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        return 130
    except BaseException as error:
        _report(error)
        return 1
    return 0


def _report(error: BaseException) -> None:
    """Hands an exception to `sys.excepthook` without the frames of this file and of `runpy`."""
    trace = error.__traceback__
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    sys.excepthook(type(error), error.with_traceback(trace), trace)


def _is_ours(file_name: str) -> bool:
    return file_name == __file__ or file_name == runpy.__file__ or file_name == "<frozen runpy>"


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
