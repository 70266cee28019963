"""The meaning of names in CDL: in a group, above it, and by a path."""

from __future__ import annotations

import pytest

from ncz.cdl.resolution.scopes import OpenDimension, OpenGroup, OpenVariable
from ncz.cdl.resolution.symbols import SymbolTable
from ncz.cdl.syntax_tree import Word
from ncz.errors import CdlError
from ncz.model.types import Atomic, Opaque
from ncz.text.source import SourceText


def table() -> tuple[SymbolTable, OpenGroup]:
    """Return a table of a root group with x, and groups g with y and g/h with z."""
    root = OpenGroup("", "", None)
    group = root
    for name, dimension in (("", "x"), ("g", "y"), ("h", "z")):
        if name:
            inner = OpenGroup(name, f"{group.fqn}/{name}", group)
            group.groups[name] = inner
            group = inner
        fqn = f"{group.fqn}/{dimension}"
        group.dimensions[dimension] = OpenDimension(dimension, fqn, 1, False)
        group.variables["v"] = OpenVariable("v", f"{group.fqn}/v", 0, Atomic.INT, ())
    group.types["t"] = Opaque(name="/g/h/t", size=1)
    return SymbolTable(SourceText(b"x" * 99, "f.cdl"), root), group


@pytest.mark.parametrize(
    ("text", "fqn"), [("z", "/g/h/z"), ("y", "/g/y"), ("x", "/x"), ("/g/y", "/g/y"), ("/x", "/x")]
)
def test_dimensions_of_the_group_and_above_it(text, fqn):
    symbols, inner = table()
    assert symbols.dimension(inner, Word(text, 0)).fqn == fqn


def test_variables_of_the_group_alone():
    symbols, inner = table()
    assert symbols.variable(inner, Word("v", 0)).fqn == "/g/h/v"
    assert symbols.variable(inner, Word("/v", 0)).fqn == "/v"
    del inner.variables["v"]
    assert symbols.variable_or_none(inner, Word("v", 0)) is None


def test_types_of_the_whole_tree_if_only_one_has_the_name():
    symbols, inner = table()
    root = symbols.root
    assert symbols.type(root, Word("t", 0)) is inner.types["t"]
    assert symbols.type(root, Word("float", 0)) is Atomic.FLOAT
    root.groups["g"].types["t"] = Opaque(name="/g/t", size=2)
    assert symbols.user_type(root, Word("t", 0)) is None
    assert symbols.user_type(inner, Word("t", 0)) == inner.types["t"]


@pytest.mark.parametrize(
    ("what", "text", "message"),
    [
        ("dimension", "xx", "dimension `xx` is not declared so far; did you mean `x`"),
        ("dimension", "/g/x", "dimension `/g/x` is not declared so far"),
        ("dimension", "/k/x", "`/k/x`: group `k` is not declared so far"),
        ("dimension", "g/y", "a path begins with a slash"),
        ("type", "flaot", "type `flaot` is not declared so far; did you mean `float`"),
        ("variable", "w", "variable `w` is not declared so far; declare each variable before"),
        ("variable", "dimensions", "the order of sections is types: dimensions: variables: data"),
    ],
)
def test_names_that_are_not_declared(what, text, message):
    symbols, inner = table()
    with pytest.raises(CdlError, match=message):
        getattr(symbols, what)(inner, Word(text, 0))


def test_a_new_name():
    symbols, inner = table()
    assert symbols.check_new(Word("new", 0), inner.dimensions, "dimension") == "new"
    with pytest.raises(CdlError, match="dimension `z` is declared twice"):
        symbols.check_new(Word("z", 0), inner.dimensions, "dimension")
    with pytest.raises(CdlError, match="cannot contain a slash"):
        symbols.check_new(Word(r"a\/b", 0), inner.dimensions, "dimension")
