"""`_native.pyi` says what the native module has: neither more nor less."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import metalworking
import pytest
from metalworking import _native

STUB = ast.parse(Path(metalworking.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}


def declared(body):
    """Names of methods, properties and attributes."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_module_has_these_names():
    found = public(name for name in dir(_native) if not inspect.ismodule(getattr(_native, name)))
    assert found == {*CLASSES, *FUNCTIONS}


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_class_has_these_members(name):
    members = set(declared(CLASSES[name].body))
    assert public(members) == public(dir(getattr(_native, name)))
    assert all(hasattr(getattr(_native, name), special) for special in members)


@pytest.mark.parametrize("name", sorted({*CLASSES} - {"CustomKernel"}))
def test_parameters_and_documentation(name):
    for node in CLASSES[name].body:
        if not isinstance(node, ast.FunctionDef):
            continue
        member = inspect.getattr_static(getattr(_native, name), node.name)
        if not node.name.startswith("_"):
            assert member.__doc__, f"{name}.{node.name} has no docstring"
        if node.decorator_list or node.name.startswith("_"):
            continue
        text = member.__text_signature__
        arguments = [*node.args.args, *node.args.kwonlyargs]
        assert [one.arg for one in arguments] == [
            part.split("=")[0].strip() for part in text.strip("()").split(",") if part.strip() not in ("*", "/")
        ] or text.startswith("($self"), f"{name}.{node.name}{text}"
        for one in arguments[1:]:
            assert one.arg in text, f"{name}.{node.name}{text}"


def test_everything_public_is_documented():
    for name in metalworking.__all__:
        value = getattr(metalworking, name)
        if name != "__version__":
            assert inspect.getdoc(value), name
