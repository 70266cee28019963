"""Attributes: JSON with or without a type to typed values, and back."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.errors import Notice, ignore_notice
from ncz.formats.zarr.documents.attributes import infer, read_attribute, write_attribute
from ncz.formats.zarr.documents.notes import (
    V2,
    NotedTexts,
    own_types_of,
    read_own_types,
    write_own_types,
)
from ncz.formats.zarr.json import parse_json
from ncz.model.json_text import print_json
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, readable_text
from ncz.record import replace


def inferred(text: str) -> tuple[Atomic, tuple[object, ...]]:
    return infer(parse_json(text.encode(), "x"))


@pytest.mark.parametrize(
    ("text", "nc_type", "values"),
    [
        ("3", Atomic.INT, (3,)),
        ("12345678901", Atomic.INT64, (12345678901,)),
        ("4294967295", Atomic.UINT, (4294967295,)),
        ("18446744073709551615", Atomic.UINT64, (18446744073709551615,)),
        ("18446744073709551616", Atomic.CHAR, ("18446744073709551616",)),
        ("[1,5000000000]", Atomic.INT64, (1, 5000000000)),
        ("[-1,18446744073709551615]", Atomic.CHAR, ("[-1,18446744073709551615]",)),
        ("1e20", Atomic.DOUBLE, (1e20,)),
        ("1e999", Atomic.CHAR, ("1e999",)),
        ("[1,2.5]", Atomic.DOUBLE, (1.0, 2.5)),
        ("[9007199254740993,0.5]", Atomic.CHAR, ("[9007199254740993,0.5]",)),
        ("true", Atomic.UBYTE, (1,)),
        ("[true,false]", Atomic.UBYTE, (1, 0)),
        ("[true,2]", Atomic.CHAR, ("[true,2]",)),
        ("null", Atomic.CHAR, ("null",)),
        ('["a","b"]', Atomic.STRING, ("a", "b")),
        ('["NaN",1]', Atomic.CHAR, ('["NaN",1]',)),
        ('"NaN"', Atomic.CHAR, ("NaN",)),
        ('""', Atomic.CHAR, ()),
        ("[]", Atomic.CHAR, ()),
        ("[[1,2],[3,4]]", Atomic.CHAR, ("[[1,2],[3,4]]",)),
        ("[null,1]", Atomic.CHAR, ("[null,1]",)),
        ('{"a":1.10,"b":[1,{}]}', Atomic.CHAR, ('{"a": 1.10, "b": [1,{}]}',)),
    ],
)
def test_types_are_inferred_without_loss(text, nc_type, values):
    assert inferred(text) == (nc_type, values)


def typed(text: str, dtype: str) -> tuple[object, tuple[float, ...], int]:
    notices: list[Notice] = []
    a = read_attribute("a", parse_json(text.encode(), "x"), dtype, notify=notices.append)
    return a.type, a.values, len(notices)


def test_negative_zero_and_nan_keep_their_bits():
    _, zero, _ = typed("-0", "<f8")
    _, nan, _ = typed('"NaN"', "<f8")
    assert math.copysign(1, zero[0]) == -1
    assert math.isnan(nan[0])


@pytest.mark.parametrize(
    ("text", "dtype", "nc_type", "values"),
    [
        ("300", "|u1", Atomic.INT, (300,)),
        ("2.7", "<i4", Atomic.DOUBLE, (2.7,)),
        ("4e38", "<f4", Atomic.DOUBLE, (4e38,)),
        ('"12"', "<i4", Atomic.CHAR, ("12",)),
        ("[[1]]", "<i4", Atomic.CHAR, ("[[1]]",)),
        ("1", "float", Atomic.INT, (1,)),
        ("1", "|S4", Atomic.INT, (1,)),
        ("1", "<f2", Atomic.INT, (1,)),
    ],
)
def test_a_type_that_does_not_fit_is_reported_and_inferred(text, dtype, nc_type, values):
    assert typed(text, dtype) == (nc_type, values, 1)


@pytest.mark.parametrize(
    ("text", "variable_type", "values"),
    [
        ("-9.5", Atomic.FLOAT, (-9.5,)),
        ("5", Atomic.DOUBLE, (5.0,)),
        ('"-Infinity"', Atomic.FLOAT, (-math.inf,)),
        ('"AAAAAAAA8D8="', Atomic.DOUBLE, (1.0,)),
        ('"AACAPw=="', Atomic.FLOAT, (1.0,)),
        ('"none"', Atomic.STRING, ("none",)),
        ('"x"', Atomic.CHAR, ("x",)),
        ("[7]", Atomic.USHORT, (7,)),
    ],
)
def test_a_fill_value_has_the_type_of_its_variable(text, variable_type, values):
    a = read_attribute(
        "_FillValue", parse_json(text.encode(), "x"), variable_type=variable_type, notify=fail
    )
    assert (a.type, a.values) == (variable_type, values)


def fail(notice: Notice) -> None:
    raise AssertionError(notice)


@pytest.mark.parametrize(
    ("text", "variable_type"),
    [("-1", Atomic.UBYTE), ('"abc"', Atomic.INT), ('"AAAA"', Atomic.DOUBLE), ("{}", Atomic.CHAR)],
)
def test_a_fill_value_of_another_type_is_reported(text, variable_type):
    notices: list[Notice] = []
    value = parse_json(text.encode(), "x")
    a = read_attribute("_FillValue", value, variable_type=variable_type, notify=notices.append)
    assert (a.type, a.values) == infer(value)
    assert len(notices) == 1


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("text", ['{"a": 1}', '{"a": [1.10,{"b": null}]}', '["a",1]'])
def test_json_that_was_read_is_json(text, typed):
    value = parse_json(text.encode(), "x")
    attribute = read_attribute("a", value, notify=ignore_notice)
    assert (attribute.type, attribute.values) == (Atomic.CHAR, (text,))
    assert print_json(write_attribute(attribute, typed=typed)) == text


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "12", "true", "null", "[1,2]", '["a","b"]', '{"a":1}', '{"a": NaN}', '"q"', "[]", "[" * 300,
        '{"a": 1}', '[{"a": 1}]', '{"a": [1.10,{"b": null}]}', '["a",1]', "{}",
    ],
)  # fmt: skip
def test_text_is_a_string(text, typed):
    attribute = Attribute(name="a", type=Atomic.CHAR, values=(text,))
    written = write_attribute(attribute, typed=typed)
    assert written == text
    assert infer(written) == (Atomic.CHAR, (text,))


def attributes() -> st.SearchStrategy[Attribute]:
    text = st.one_of(
        st.text(st.characters(exclude_categories=["Cs"])),
        st.binary().map(lambda b: b.decode("utf-8", "surrogateescape")),
        st.sampled_from(["12", "null", '{"a": 1}', "[1,2]", "NaN", "[]", '{"a": 1.50}', "\0"]),
    )
    single = st.floats(width=32)

    def of(nc_type: Atomic) -> st.SearchStrategy[Attribute]:
        if nc_type is Atomic.CHAR:
            values: st.SearchStrategy[tuple[object, ...]] = text.map(lambda t: (t,) if t else ())
        else:
            element: st.SearchStrategy[object]
            if nc_type is Atomic.STRING:
                element = st.one_of(st.none(), text)
            elif nc_type.is_floating:
                element = single if nc_type is Atomic.FLOAT else st.floats()
            else:
                element = st.integers(*nc_type.limits)
            values = st.lists(element, max_size=4).map(lambda listed: tuple(listed))
        return values.map(lambda v: Attribute(name="a", type=nc_type, values=v))

    return st.sampled_from(list(Atomic)).flatmap(of)


def bits(attribute: Attribute) -> tuple[object, ...]:
    """The values, floats as their bits, so that -0 is distinguished; all NaNs are one to JSON.

    NULs at the end of a text are not written.
    """
    if attribute.type is Atomic.CHAR:
        return (attribute.text,) if attribute.text else ()
    return tuple(
        struct.pack("<d", v) if isinstance(v, float) and v == v else str(v)
        for v in attribute.values
    )


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        ("units", "m\0\0", "m"),
        ("title", "\0", ""),
        ("a", "x\0y\0", "x\0y"),
        ("_FillValue", "\0", "\0"),
    ],
)
def test_nuls_at_the_end_of_a_text_are_not_written(name, text, written):
    attribute = Attribute(name=name, type=Atomic.CHAR, values=(text,))
    assert write_attribute(attribute, typed=True) == written


@given(attributes())
def test_written_with_its_type_an_attribute_reads_back(attribute):
    printed = print_json(write_attribute(attribute, typed=True)).encode("utf-8")
    dtype = V2.type_of(attribute)
    back = read_attribute("a", parse_json(printed, "x"), dtype, notify=fail)
    noted = read_own_types(write_own_types(own_types_of([attribute])), {"a": dtype}).get("a")
    if isinstance(noted, NotedTexts):
        back = noted.attribute("a", parse_json(printed, "x")) or back
    assert back.type == attribute.type
    assert bits(back) == bits(attribute)
    assert "\\ud" not in printed.decode()  # which is not valid JSON for other readers


@given(attributes())
def test_without_its_type_text_and_numbers_read_back(attribute):
    printed = print_json(write_attribute(attribute, typed=False)).encode("utf-8")
    back = read_attribute("a", parse_json(printed, "x"), notify=ignore_notice)
    if attribute.type in (Atomic.CHAR, Atomic.DOUBLE, Atomic.INT):
        expected = attribute if attribute.values else infer("")
        assert back.type == (attribute.type if attribute.values else expected[0])
        shown = [readable_text(v) if isinstance(v, str) else v for v in attribute.values]
        assert bits(back) == bits(replace(attribute, values=tuple(shown)))
