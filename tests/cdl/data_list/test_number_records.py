"""Compound values of numbers have the values that the constants have one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.cdl.data_list import block_parser
from ncz.cdl.data_list.block_parser import parse_block
from ncz.cdl.data_list.number_records import parse_records
from ncz.errors import NO_PROGRESS, CdlError
from ncz.model.types import Atomic, Compound, Field, Vlen
from ncz.text.source import SourceText
from tests.sampled import share_of


def compound(name, **fields):
    """Return a compound type; a field is a type, or a type and a length."""
    parts = [
        Field(name=field, type=of[0], shape=of[1:])
        if isinstance(of, tuple)
        else Field(name=field, type=of)
        for field, of in fields.items()
    ]
    return Compound(name=name, fields=tuple(parts))


INNER = compound("i", x=Atomic.SHORT, y=(Atomic.DOUBLE, 2))
OUTER = compound("o", a=Atomic.INT, b=INNER, c=Atomic.FLOAT, d=(INNER, 2))
ONE = compound("one", a=Atomic.UINT64)
WHOLE = st.one_of(st.integers(-(2**15), 2**15 - 1).map(str), st.just("_"))
REAL = st.one_of(st.floats(width=32).map(lambda x: repr(x).replace("nan", "NaN")), WHOLE)
BLANK = st.sampled_from(["", " ", "\n\t", " /* , { */ "])


def value(nc_type, shape=()):
    if shape:
        parts = [value(nc_type)] * shape[0]
    elif isinstance(nc_type, Compound):
        parts = [value(field.type, field.shape) for field in nc_type.fields]
    else:
        numbers = REAL if nc_type.is_floating else WHOLE
        return st.tuples(BLANK, numbers, BLANK).map("".join)
    return st.tuples(BLANK, *parts, BLANK).map(lambda p: f"{p[0]}{{{','.join(p[1:-1])}}}{p[-1]}")


def parsed(text, nc_type, count):
    source = SourceText(text.encode(), "x.cdl", NO_PROGRESS)
    return parse_block(source, 0, len(text), count, nc_type, None)


@settings(max_examples=share_of(100))
@given(texts=st.lists(value(OUTER), min_size=1, max_size=4), data=st.data())
def test_values_are_the_constants(texts, data):
    text = ",".join(texts)
    if data.draw(st.booleans()):  # a mistake, or another form
        at = data.draw(st.integers(0, len(text) - 1))
        text = (
            text[:at]
            + data.draw(st.sampled_from(["", ",", "{", "}", "9", '"', "."]))
            + text[at + 1 :]
        )
    found: list[str] = []
    expected: list[str] = []
    for results in (found, expected):
        with pytest.MonkeyPatch.context() as patch:
            if results is expected:
                patch.setattr(block_parser, "parse_records", lambda *_: None)
            try:
                results.append(repr(parsed(text, OUTER, len(texts)).tolist()))
            except CdlError as error:
                results.append(str(error))
    assert found == expected


@pytest.mark.parametrize(
    ("text", "nc_type", "expected"),
    [
        ("{ 1 }, {_},{3}", ONE, [(1,), (Atomic.UINT64.default_fill,), (3,)]),
        ("{1,{2,{3,4.5}},Infinity,{{5,{6,7}},{8,{9,-0.}}}}", OUTER,
         [(1, (2, (3.0, 4.5)), float("inf"), ((5, (6.0, 7.0)), (8, (9.0, -0.0))))]),
        ("{1", ONE, None),
        ("{1} 2, {3}", ONE, None),
        ("{1 2}", ONE, None),
        ("{}", ONE, None),
        ("_", ONE, None),
        ("{{1}}", compound("v", a=Vlen(name="w", base=Atomic.INT)), None),
    ],
)  # fmt: skip
def test_numbers_are_parsed_together(text, nc_type, expected):
    assert parse_records(text.encode(), nc_type, block_parser._parse_field) == expected
