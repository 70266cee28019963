"""Attributes of CDL: their types, and their limits."""

from __future__ import annotations

import pytest

from ncz.cdl.items import parse_items
from ncz.cdl.resolution.attributes import make_attribute, make_fill_value
from ncz.errors import CdlError
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, NcType, Value
from ncz.text.source import SourceText


def attribute(text: str, nc_type: NcType | None = None) -> Attribute:
    source = SourceText(text.encode(), "f.cdl")
    return make_attribute(source, "a", 0, nc_type, parse_items(source, 0, len(text)))


def fill(text: str, nc_type: NcType) -> tuple[Attribute, Value]:
    source = SourceText(text.encode(), "f.cdl")
    return make_fill_value(source, 0, nc_type, parse_items(source, 0, len(text)))


@pytest.mark.parametrize(
    ("text", "nc_type", "values"),
    [
        ('"a", "b"', Atomic.CHAR, ("ab",)),
        ('""', Atomic.CHAR, ()),
        ("1", Atomic.INT, (1,)),
        ("1b, 2b", Atomic.BYTE, (1, 2)),
        ("1s, 2", Atomic.INT, (1, 2)),
        ("1, 2.5f", Atomic.FLOAT, (1.0, 2.5)),
        ("1.f, 2.5", Atomic.DOUBLE, (1.0, 2.5)),
        ("1, 2ll", Atomic.INT64, (1, 2)),
        ("18446744073709551615", Atomic.UINT64, (18446744073709551615,)),
        ("1, 2u", Atomic.UINT, (1, 2)),
    ],
)
def test_a_type_is_the_type_of_the_widest_value(
    text: str, nc_type: Atomic, values: tuple[Value, ...]
):
    found = attribute(text)
    assert (found.type, found.values) == (nc_type, values)


def test_a_declared_type_is_kept():
    assert attribute("1, 2", Atomic.BYTE).values == (1, 2)
    assert attribute('"a", NIL', Atomic.STRING).values == ("a", None)
    assert attribute("1", Atomic.DOUBLE).values == (1.0,)


@pytest.mark.parametrize(
    ("text", "nc_type", "message"),
    [
        ("_", None, "attribute a cannot contain `_`"),
        ('"a", 1', None, "an attribute cannot mix text and numbers"),
        ("{1}", None, "values in braces need a type"),
        ("word", None, "cannot infer a type from `word`"),
        ("0x01", None, "cannot infer a type from"),
        ("NIL", None, "cannot infer a type from"),
        ("300", Atomic.BYTE, "300"),
        ("", Atomic.INT, "attribute a of type int has no value"),
    ],
)
def test_other_values_are_errors(text: str, nc_type: NcType | None, message: str):
    with pytest.raises(CdlError, match=message):
        attribute(text, nc_type)


@pytest.mark.parametrize(
    ("text", "nc_type", "values", "value"),
    [
        ("5", Atomic.SHORT, (5,), 5),
        ('"x"', Atomic.CHAR, ("x",), "x"),
        ('""', Atomic.CHAR, ("\0",), "\0"),
        (r'"\377"', Atomic.CHAR, ("\udcff",), "\xff"),
        ('"text"', Atomic.STRING, ("text",), "text"),
    ],
)
def test_a_mask_is_one_value(text: str, nc_type: NcType, values, value: Value):
    found, element = fill(text, nc_type)
    assert (found.name, found.type, found.values) == ("_FillValue", nc_type, values)
    assert element == value


@pytest.mark.parametrize(
    ("text", "nc_type", "what"), [("1, 2", Atomic.INT, "value"), ('"ab"', Atomic.CHAR, "char")]
)
def test_several_masks_are_an_error(text: str, nc_type: NcType, what: str):
    with pytest.raises(CdlError, match=f"_FillValue needs exactly one {what}"):
        fill(text, nc_type)
