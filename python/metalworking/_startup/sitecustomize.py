"""Lets MLX find Metal in the Python processes that a script under ``mw run`` starts: workers, other scripts.

``mw run`` puts the folder of this file into their ``PYTHONPATH``, and Python imports a module of this name when it
starts. Nothing is loaded until the process imports `mlx.core` itself.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from types import ModuleType

_HERE = os.path.dirname(os.path.abspath(__file__))


class _Loaded:
    """The loader of a module that is there already."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


class _BeforeMlx:
    """Imports `metalworking.mlx` when `mlx.core` is asked for."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != "mlx.core":
            return None
        sys.meta_path.remove(self)
        try:
            import metalworking.mlx  # noqa: F401
        except ImportError as error:
            print(f"mw: note: {error}", file=sys.stderr)
        module = sys.modules.get(name)
        if module is None:
            return None
        spec = importlib.util.spec_from_loader(name, _Loaded(module))
        # Python takes the module's own one where a finder has loaded the module meanwhile, and would load it again.
        module.__spec__ = spec
        return spec


def _hand_on() -> None:
    """Runs the module of this name that Python would have found without us."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_hand_on()
sys.meta_path.insert(0, _BeforeMlx())
