"""The list of mistakes that no test can notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.conftest import ROOT


def names_in(node: ast.AST, prefix: str = "") -> Iterator[str]:
    """Yield the names of functions and classes, each after its classes and functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            yield prefix + child.name
            yield from names_in(child, f"{prefix}{child.name}.")
        else:
            yield from names_in(child, prefix)


def test_each_mistake_is_in_a_function_that_exists():
    lines = (ROOT / "tools/mutants.txt").read_text(encoding="utf-8").splitlines()
    mistakes = [line.split(": ", 2) for line in lines if line and not line.startswith("#")]
    assert mistakes
    for path, name, _ in mistakes:
        module = ast.parse((ROOT / "src/ncz" / path).read_text(encoding="utf-8"))
        assert name in set(names_in(module)), (path, name)
