"""Values as text: what ncdump 4.10.1 prints for each."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, Vlen
from ncz.text.format_values import (
    NumberFormat,
    Precision,
    attribute_values,
    data_value,
    escape_char_lines,
    escape_text,
    format_number,
    parse_c_format,
    to_bytes,
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
    assert attribute_values(nc_type, values, DEFAULT) == text


def test_precision_holds_for_attributes_too():
    assert attribute_values(Atomic.FLOAT, (1.23456,), Precision(4, 9)) == "1.235f"
    assert attribute_values(Atomic.DOUBLE, (1.0,), Precision(4, 9)) == "1."


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
    assert data_value(value, nc_type, DEFAULT) == text


def test_any_text_has_bytes():
    assert to_bytes("é\udcff") == b"\xc3\xa9\xff"
    assert to_bytes("\ud800") == b"\xed\xa0\x80"


def test_text_is_escaped_as_ncdump_does():
    assert escape_text("\b\f\n\r\t\v\\'\"") == r"\b\f\n\r\t\v\\\'\""
    assert escape_char_lines("a\nb\xe9\0") == 'a\\n",\n    "b\\351\\000'


@pytest.mark.parametrize(
    ("c_format", "nc_type", "value", "text"),
    [
        ("%6.2f", Atomic.FLOAT, 2.345, "  2.35"),
        ("%.3e", Atomic.DOUBLE, 1.0, "1.000e+00"),
        (" %g ", Atomic.DOUBLE, 1.0, " 1 "),
        ("%6.2f", Atomic.DOUBLE, math.nan, "NaN"),
        ("%05d", Atomic.INT, 42, "00042"),
        ("%lld", Atomic.INT64, -1, "-1"),
        ("%x", Atomic.INT, -5, "fffffffb"),
        ("%x", Atomic.SHORT, -1, "ffffffff"),
        ("%X", Atomic.INT64, -1, "F" * 16),
        ("%u", Atomic.UINT, 7, "7"),
    ],
)
def test_c_format(c_format, nc_type, value, text):
    style = parse_c_format(c_format, nc_type)
    assert style is not None
    assert format_number(value, nc_type, style) == text


@pytest.mark.parametrize(
    ("c_format", "nc_type"),
    [
        ("", Atomic.FLOAT),
        ("%d", Atomic.FLOAT),
        ("%f", Atomic.INT),
        ("%s", Atomic.FLOAT),
        ("%n", Atomic.INT),
        ("%f%f", Atomic.FLOAT),
        ("%*f", Atomic.FLOAT),
        ("%1000000f", Atomic.FLOAT),
        ("%(x)f", Atomic.FLOAT),
        ("%f m", Atomic.FLOAT),
        ("%%", Atomic.FLOAT),
    ],
)
def test_a_c_format_that_cannot_be_trusted_is_refused(c_format, nc_type):
    assert parse_c_format(c_format, nc_type) is None


@given(st.text(max_size=20), st.sampled_from([Atomic.INT, Atomic.DOUBLE]))
def test_any_c_format_gives_a_number_or_nothing(c_format, nc_type):
    style = parse_c_format("%" + c_format, nc_type)
    if style is not None:
        assert isinstance(style, NumberFormat)
        assert format_number(3, nc_type, style).strip()
