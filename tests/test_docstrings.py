"""Docstrings describe the code that there is: parameters that exist, and other modules."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src"
PARAMETERS = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)

Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Docstring(NamedTuple):
    """A docstring: the line of its definition, its text, and the actual parameters."""

    line: int
    text: str
    parameters: set[str]


@cache
def docstrings(path: Path) -> list[Docstring]:
    """Return the docstrings of a module, its own one first."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        Docstring(1, ast.get_docstring(tree) or "", set()),
        *(
            Docstring(node.lineno, text, parameters(node))
            for node in ast.walk(tree)
            if isinstance(node, Documented) and (text := ast.get_docstring(node))
        ),
    ]


def described(docstring: Docstring) -> set[str]:
    """Return the parameters that a docstring describes."""
    section = PARAMETERS.search(docstring.text)
    lines = section.group(1).splitlines() if section else []
    heads = [line.partition(":")[0] for line in lines if line and not line[0].isspace()]
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def parameters(node: Documented) -> set[str]:
    """Return the parameters of a function, or the fields of a class."""
    if isinstance(node, ast.ClassDef):
        own = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        fields = {
            part.target.id
            for part in node.body
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        }
        return fields.union(*(parameters(part) for part in own if part.name == "__init__"))
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return {each.arg for each in (*named, *rest)}


MODULES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("package", sorted({path.parent for path in MODULES}), ids=lambda p: p.name)
def test_parameters_that_are_described_exist(package):
    wrong = {
        f"{path.relative_to(SOURCE)}:{docstring.line}": unknown
        for path in sorted(package.glob("*.py"))
        for docstring in docstrings(path)
        if (unknown := described(docstring) - docstring.parameters)
    }
    assert wrong == {}


def test_most_packages_describe_parameters():
    described_in = [path for path in MODULES if any(map(described, docstrings(path)))]
    assert len(described_in) > 150


def test_no_docstring_leads_to_its_own_module():
    wrong = []
    for path in MODULES:
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        wrong += [module for docstring in docstrings(path) if f"`{module}`" in docstring.text]
    assert wrong == []
