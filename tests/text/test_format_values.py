"""Values as text, compared with ncdump 4.10.1."""

from __future__ import annotations

import math

import pytest

from ncz.model.tree import Attribute
from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, Vlen
from ncz.text.format_values import (
    Precision,
    encode_text,
    escape_text,
    format_attribute,
    format_attribute_values,
    format_value,
    quote_lines,
)

DEFAULT = Precision()


@pytest.mark.parametrize(
    ("nc_type", "values", "text"),
    [
        (Atomic.BYTE, (1, -1), "1b, -1b"),
        (Atomic.UBYTE, (1,), "1UB"),
        (Atomic.SHORT, (3,), "3s"),
        (Atomic.USHORT, (2,), "2US"),
        (Atomic.INT, (7,), "7"),
        (Atomic.UINT, (3,), "3U"),
        (Atomic.INT64, (4,), "4LL"),
        (Atomic.UINT64, (5,), "5ULL"),
        (Atomic.FLOAT, (1.5, 2.0, 1e20, 1e-5, 1e7), "1.5f, 2.f, 1.e+20f, 1.e-05f, 1.e+07f"),
        (Atomic.DOUBLE, (1.0, 0.1, 1e-10, 0.0001, 0.0), "1., 0.1, 1.e-10, 0.0001, 0."),
        (Atomic.DOUBLE, (-0.0, 1234567890123.5), "-0., 1234567890123.5"),
        (Atomic.FLOAT, (math.nan, math.inf, -math.inf), "NaNf, Infinityf, -Infinityf"),
        (Atomic.DOUBLE, (math.nan, math.inf, -math.inf), "NaN, Infinity, -Infinity"),
        (Atomic.CHAR, ('it\'s "q"\n',), r'"it\'s \"q\"\n"'),
        (Atomic.CHAR, ("a\0b\0\0",), r'"a\000b"'),
        (Atomic.CHAR, ("é\u2028\x7f\x1f",), '"é\u2028\\177\\037"'),
        (Atomic.STRING, ("a", None, ""), '"a", NIL, ""'),
        (Atomic.DOUBLE, (), '""'),
        (Atomic.STRING, (), '""'),
    ],
)
def test_attribute_values(nc_type, values, text):
    assert format_attribute_values(nc_type, values, DEFAULT) == text


def test_precision_holds_for_attributes_too():
    assert format_attribute_values(Atomic.FLOAT, (1.23456,), Precision(4, 9)) == "1.235f"
    assert format_attribute_values(Atomic.DOUBLE, (1.0,), Precision(4, 9)) == "1."


PAIR = Compound(
    name="/pair", fields=(Field(name="n", type=Atomic.INT), Field(name="c", type=Atomic.CHAR))
)


@pytest.mark.parametrize(
    ("nc_type", "value", "text"),
    [
        (Opaque(name="/o", size=3), b"\x01\xab\xff", "0X01ABFF"),
        (Enumeration(name="/e", base=Atomic.BYTE, members=(("my fog", 2),)), 2, r"my\ fog"),
        (Enumeration(name="/e", base=Atomic.BYTE, members=(("fog", 2),)), 3, "3"),
        (Vlen(name="/v", base=Atomic.FLOAT), (1.0, math.nan), "{1, NaNf}"),
        (Vlen(name="/v", base=Atomic.INT), (), "{}"),
        (Vlen(name="/v", base=Atomic.STRING), ("a", None), '{"a", NIL}'),
        (Vlen(name="/v", base=PAIR), ((1, "x"), (2, "\0")), r'{{1, "x"}, {2, "\000"}}'),
        (
            Compound(name="/c", fields=(Field(name="t", type=Atomic.CHAR, shape=(2, 3)),)),
            (tuple("abcde\0"),),
            '{{"abc", "de"}}',
        ),
        (
            Compound(name="/c", fields=(Field(name="t", type=Atomic.SHORT, shape=(2, 2)),)),
            ((1, 2, 3, 4),),
            "{{1, 2, 3, 4}}",
        ),
    ],
)
def test_values_of_user_defined_types(nc_type, value, text):
    assert format_value(value, nc_type, DEFAULT) == text


def test_any_text_has_bytes():
    assert encode_text("é\udcff") == b"\xc3\xa9\xff"
    assert encode_text("\ud800") == b"\xed\xa0\x80"


def test_text_is_escaped_as_ncdump_does():
    assert escape_text("\b\f\n\r\t\v\\'\"") == r"\b\f\n\r\t\v\\\'\""


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", '""'),
        ("one", '"one"'),
        ('a "b"\nc', '"a \\"b\\"\\n",\n\t\t\t"c"'),
        ("a\n\n", '"a\\n",\n\t\t\t"\\n",\n\t\t\t""'),
    ],
)
def test_text_of_the_classic_model_continues_after_each_newline(text, quoted):
    assert quote_lines(text) == quoted


@pytest.mark.parametrize(
    ("nc_type", "values", "text"),
    [
        (Atomic.CHAR, ('say "x"\0\0',), 'say "x"'),
        (Atomic.CHAR, (), '""'),
        (Atomic.STRING, ("a",), "a"),
        (Atomic.STRING, (None,), ""),
        (Atomic.STRING, ("a", None), '"a", NIL'),
        (Atomic.INT, (1,), "1"),
        (Atomic.FLOAT, (0.1,), "0.1f"),
    ],
)
def test_an_attribute_for_people(nc_type, values, text):
    assert format_attribute(Attribute(name="a", type=nc_type, values=values)) == text
