"""No module imports itself through others, not even inside a function or for type checkers."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conftest import ROOT

SOURCE = ROOT / "src"


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def imports(tree: ast.Module, modules: set[str]) -> set[str]:
    """Return the modules among `modules` that a module imports anywhere."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & modules or {node.module}
    return found & modules


def cycles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """Return the sets of modules that reach each other."""

    def reachable(start: str) -> set[str]:
        seen: set[str] = set()
        pending = [start]
        while pending:
            new = graph[pending.pop()] - seen
            seen |= new
            pending.extend(new)
        return seen

    reached = {module: reachable(module) for module in graph}
    return {
        frozenset(other for other in reached[module] if module in reached[other])
        for module in graph
        if module in reached[module]
    }


def test_no_modules_import_each_other():
    paths = {module_name(path): path for path in (SOURCE / "ncz").rglob("*.py")}
    graph = {
        name: imports(ast.parse(path.read_text("utf-8")), set(paths)) - {name}
        for name, path in paths.items()
    }
    assert cycles(graph) == set()


def test_cycles_are_found():
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == {frozenset("abc")}
    assert cycles({"a": {"b"}, "b": set()}) == set()
