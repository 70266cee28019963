"""A syntax tree as a dataset: names, attributes and limits."""

from __future__ import annotations

import pytest

from ncz.cdl.resolution.resolver import resolve
from ncz.cdl.syntax import parse_syntax
from ncz.errors import CdlError, Notice
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.model.types import Atomic
from ncz.text.source import SourceText


def resolved(text: str) -> tuple[Dataset, list[Notice]]:
    source = SourceText(f"netcdf s {{ {text} }}".encode(), "s.cdl")
    notices: list[Notice] = []
    return resolve(source, parse_syntax(source), notices.append), notices


def test_dimensions_of_groups_above():
    dataset, _ = resolved(
        "dimensions: x = 2 ; variables: int v(x) ;"
        " group: g { dimensions: x = 3 ; variables: int v(x) ; int w(/x) ; }"
    )
    found = {fqn: v.dimensions for fqn, v in variables_by_fqn(dataset.root)}
    assert found == {"/v": ("/x",), "/g/v": ("/g/x",), "/g/w": ("/x",)}


@pytest.mark.parametrize(
    ("text", "name", "nc_type", "values"),
    [
        (":a = 1, 2 ;", "a", Atomic.INT, (1, 2)),
        (":a = 1s ;", "a", Atomic.SHORT, (1,)),
        (":a = 1, 2.5 ;", "a", Atomic.DOUBLE, (1.0, 2.5)),
        (':a = "x" ;', "a", Atomic.CHAR, ("x",)),
        ('string :a = "x", "y" ;', "a", Atomic.STRING, ("x", "y")),
        ("ubyte :a = 255 ;", "a", Atomic.UBYTE, (255,)),
    ],
)
def test_types_of_attributes(text, name, nc_type, values):
    dataset, _ = resolved(text)
    (attribute,) = dataset.root.attributes
    assert (attribute.name, attribute.type, attribute.values) == (name, nc_type, values)


def test_a_repeated_attribute_is_reported():
    dataset, notices = resolved("variables: int v ; v:a = 1 ; v:a = 2 ;")
    assert [notice.code for notice in notices] == ["duplicate-attribute"]
    assert dict(variables_by_fqn(dataset.root))["/v"].attributes[0].values == (2,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("variables: int v(x) ;", "dimension `x` is not declared"),
        ("variables: int v ; int v ;", "declared twice"),
        ("data: v = 1 ;", "variable `v` is not declared"),
        ("group: g { } group: g { }", "declared twice"),
        ("w:a = 1 ;", "w"),
        ("group: g { " * 101 + "}" * 101, "nested|deep"),
    ],
)
def test_errors(text, message):
    with pytest.raises(CdlError, match=message):
        resolved(text)
