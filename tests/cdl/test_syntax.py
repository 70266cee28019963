"""CDL text as a syntax tree."""

from __future__ import annotations

import pytest

from ncz.cdl import syntax_tree as tree
from ncz.cdl.syntax import parse_syntax
from ncz.errors import CdlError
from ncz.text.source import SourceText

TEXT = b"""netcdf name {
types: ubyte enum colour { red = 1, dark\\ blue = 2 } ; opaque(3) bytes ; int(*) list ;
  compound pair { int a, b ; float c(2, 3) ; } ;
dimensions: x = 3, y = UNLIMITED ; z = 2 ;
variables: int v(x, y), w ; /colour f(x) ; string v:text = "a;b" ; v:n = 1, 2 ; :title = "t" ;
data: v = 1, 2 ; w = 3 ;
group: g { variables: int v(x) ; }
:last = 1 ;
}"""


def parsed(text: bytes) -> tree.GroupSyntax:
    return parse_syntax(SourceText(text, "f.cdl"))


def of_kind(group: tree.GroupSyntax, kind: type) -> list:
    return [each for each in group.statements if isinstance(each, kind)]


def test_types():
    root = parsed(TEXT)
    assert root.name.text == "name"
    (enum,) = of_kind(root, tree.EnumSyntax)
    assert [(label.name, value.text) for label, value in enum.members] == [
        ("red", "1"), ("dark blue", "2"),
    ]  # fmt: skip
    (opaque,) = of_kind(root, tree.OpaqueSyntax)
    assert (opaque.size.text, opaque.name.text) == ("3", "bytes")
    (vlen,) = of_kind(root, tree.VlenSyntax)
    assert (vlen.base.text, vlen.name.text) == ("int", "list")
    (compound,) = of_kind(root, tree.CompoundSyntax)
    fields = [(f.type.text, f.name.text, [n.text for n in f.shape]) for f in compound.fields]
    assert fields == [("int", "a", []), ("int", "b", []), ("float", "c", ["2", "3"])]


def test_dimensions_and_variables():
    root = parsed(TEXT)
    dimensions = [
        (d.name.text, d.size and d.size.text) for d in of_kind(root, tree.DimensionSyntax)
    ]
    assert dimensions == [("x", "3"), ("y", None), ("z", "2")]
    variables = of_kind(root, tree.VariableSyntax)
    assert [(v.type.text, v.name.text, [d.text for d in v.dimensions]) for v in variables] == [
        ("int", "v", ["x", "y"]), ("int", "w", []), ("/colour", "f", ["x"]),
    ]  # fmt: skip


def test_attributes_and_data_know_their_texts():
    root = parsed(TEXT)
    found = [
        (a.type and a.type.text, a.owner and a.owner.text, a.name.text,
         TEXT[a.data.start : a.data.stop].strip())
        for a in of_kind(root, tree.AttributeSyntax)
    ]  # fmt: skip
    assert found[0] == ("string", "v", "text", b'"a;b"')
    assert found[1][2:] == ("n", b"1, 2")
    assert [each[2] for each in found] == ["text", "n", "title", "last"]
    data = [
        (d.variable.text, TEXT[d.data.start : d.data.stop].strip())
        for d in of_kind(root, tree.AssignmentSyntax)
    ]
    assert data == [("v", b"1, 2"), ("w", b"3")]


def test_groups():
    (group,) = of_kind(parsed(TEXT), tree.GroupSyntax)
    assert group.name.text == "g"
    assert [v.name.text for v in of_kind(group, tree.VariableSyntax)] == ["v"]


@pytest.mark.parametrize(
    "text",
    [
        b"", b"netcdf x", b"netcdf x {", b"netcdf x { variables: int v }",
        b"netcdf x { dimensions: x ; }", b"netcdf x { variables: int v( ; }",
        b"netcdf x { data: v = 1 }",
        b"netcdf x { types: enum e ; }", b"netcdf x { } more", b"netcdf x { group: { } }",
    ],
)  # fmt: skip
def test_texts_that_do_not_follow_the_grammar(text):
    with pytest.raises(CdlError):
        parsed(text)
