"""Type declarations, and the whole numbers in them."""

from __future__ import annotations

import pytest

from ncz.cdl.resolution.declarations import declare_type, parse_integer
from ncz.cdl.resolution.scopes import OpenGroup
from ncz.cdl.resolution.symbols import SymbolTable
from ncz.cdl.syntax_tree import (
    CompoundSyntax,
    EnumSyntax,
    FieldSyntax,
    OpaqueSyntax,
    TypeSyntax,
    VlenSyntax,
    Word,
)
from ncz.errors import CdlError
from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, UserType, Vlen
from ncz.text.source import SourceText

SOURCE = SourceText(b"x" * 99, "f.cdl")


def word(text: str) -> Word:
    return Word(text, 0)


def declared(*syntax: TypeSyntax) -> UserType:
    """Return the last of some types that a group declares."""
    root = OpenGroup("", "", None)
    group = root.groups["g"] = OpenGroup("g", "/g", root)
    for each in syntax:
        declare_type(SymbolTable(SOURCE, root), group, each)
    return [*group.types.values()][-1]


def enum(*members: tuple[str, str], base: str = "byte") -> EnumSyntax:
    pairs = tuple((word(label), word(number)) for label, number in members)
    return EnumSyntax(word(base), word("t"), pairs)


def compound(*fields: tuple[str, str, str]) -> CompoundSyntax:
    parts = (FieldSyntax(word(t), word(n), tuple(map(word, s.split()))) for t, n, s in fields)
    return CompoundSyntax(word("c"), tuple(parts))


def test_each_kind_of_type_gets_the_name_of_its_group():
    assert declared(enum(("a", "1"), ("b", "-2"))) == Enumeration(
        name="/g/t", base=Atomic.BYTE, members=(("a", 1), ("b", -2))
    )
    assert declared(OpaqueSyntax(word("11"), word("t"))) == Opaque(name="/g/t", size=11)
    vlen = VlenSyntax(word("int"), word("t"))
    assert declared(vlen) == Vlen(name="/g/t", base=Atomic.INT)
    fields = (
        Field(name="a", type=Vlen(name="/g/t", base=Atomic.INT), shape=()),
        Field(name="b", type=Atomic.FLOAT, shape=(2, 3)),
    )
    found = declared(vlen, compound(("t", "a", ""), ("float", "b", "2 3")))
    assert found == Compound(name="/g/c", fields=fields)


@pytest.mark.parametrize(
    ("syntax", "message"),
    [
        (enum(("a", "1"), ("a", "2")), "member `a` is declared twice"),
        (enum(("a", "1"), base="float"), "the base type of an enum cannot be float"),
        (enum(("a", "300")), "300"),
        (OpaqueSyntax(word("0"), word("t")), "a size cannot be 0"),
        (OpaqueSyntax(word("1.5"), word("t")), "a size must be a whole number"),
        (VlenSyntax(word("nothing"), word("t")), "nothing"),
        (compound(("int", "a", ""), ("int", "a", "")), "field `a` is declared twice"),
        (compound(("int", "a", "0")), "a size cannot be 0"),
        (OpaqueSyntax(word("1"), word("a/b")), "cannot contain a slash"),
    ],
)
def test_wrong_declarations_are_errors(syntax: TypeSyntax, message: str):
    with pytest.raises(CdlError, match=message):
        declared(syntax)


@pytest.mark.parametrize("text", ["9223372036854775808", "-1"])
def test_a_number_out_of_range_is_an_error(text: str):
    with pytest.raises(CdlError, match=r"a length (cannot|must) be"):
        parse_integer(SOURCE, word(text), 0, "a length")
    assert parse_integer(SOURCE, word("16"), 0, "a length") == 16
