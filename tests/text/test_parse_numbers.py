"""Decimal numbers by the million: the same doubles as one by one, or nothing."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.cdl.data_list.block_parser import parse_block
from ncz.errors import CdlError
from ncz.model.types import Atomic
from ncz.text.parse_numbers import parse_floats
from ncz.text.source import SourceText
from tests.sampled import share_of

FILL = 9.969209968386869e36

digits = st.text("0123456789", max_size=20)
points = st.sampled_from(["", ".", ".0"])
decimals = st.builds("{}{}{}{}".format, st.sampled_from(["", "-", "+"]), digits, points, digits)
usual = ["_", "NaN", "NaNf", "Infinity", "-Infinityf", "-0", "-0.0", "0", "1e5", "007"]
unusual = ["", "-", ".", "1.2.3", "1-2", "1 2", "e5", "1e", "0x10", "1.f", "nan", "__", "N"]
finite = st.floats(allow_nan=False, allow_infinity=False)
tokens = st.one_of(
    decimals,
    decimals,
    finite.map(lambda v: f"{v:.7g}"),
    finite.map(repr),
    st.sampled_from(usual),
    st.sampled_from(unusual),
)
blanks = st.sampled_from([",", ", ", ",\n    ", " ,\t", ",,"])


def one_by_one(token: str) -> float | None:
    """Python's value of a token, if it is surely a decimal number."""
    words = {"_": FILL, "NaN": math.nan, "NaNf": math.nan, "Infinity": math.inf}
    words |= {"-Infinityf": -math.inf}
    if token in words:
        return words[token]
    try:
        return float(token) if set(token) <= set("0123456789+-.eE") else None
    except ValueError:
        return None


@given(st.lists(tokens, min_size=1, max_size=40), blanks)
@settings(max_examples=share_of(400))
def test_what_is_read_is_what_python_reads(texts: list[str], blank: str):
    found = parse_floats(blank.join(texts).encode(), FILL)
    if found is None:
        return
    values, infinite = found
    expected = [one_by_one(token) for token in texts]
    assert None not in expected
    assert blank != ",," or len(texts) == 1
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(np.signbit(values), np.signbit(np.array(expected, float)))
    assert infinite == sum(map(math.isinf, values))


@pytest.mark.parametrize(
    "text",
    [
        b"1.5, -2, .25, 3.",
        b"_, _, 1.5",
        b"NaN, 1, NaNf",
        b" 1 ,\n 2 ",
        b"123456789012345.5",
        b"+1.5, -2",
        b"1e5, 2E+05, -.5e-3, 3.e0, 0e1, _, NaN",
    ],
)
def test_plain_lists_are_read(text: bytes):
    assert parse_floats(text, FILL) is not None


@pytest.mark.parametrize(
    "text",
    [
        *(b"1,, 2", b"1, ", b",1", b"1 2, 3", b"1.2.3", b"1-2", b"-", b".", b"-.", b"1, 010", b"x"),
        *(b"1e5.5, 2", b"1e, 2", b"e5", b"+e5", b"1e5e5", b"1e-", b"1e+-5", b"1e00005", b"1e999"),
        *(b"1 2, , 3", b"0x10", b"1.5f", b"--1", b"1/2", b"(1)", b"1;2"),
    ],
)
def test_what_is_not_plainly_right_is_left_alone(text: bytes):
    assert parse_floats(text, FILL) is None


LIMITS = [
    *(f"0.{7:0{places}}" for places in (21, 22, 23, 24)),
    *(f"{sign}90071992547409{end}" for sign in ("", "-") for end in ("9.1", "9.2", "9.3", "92.0")),
    "9223372036854775807",
    "-9223372036854775808",
]


@pytest.mark.parametrize("number", LIMITS)
def test_numbers_at_the_limits_of_what_a_quotient_gives(number: str):
    plain = ["0.5"] * 20
    plain[7] = number
    found = parse_floats(", ".join(plain).encode(), FILL)
    assert found is not None
    assert found[0].tolist() == [float(item) for item in plain]


@given(
    st.lists(
        st.tuples(st.integers(-(10**17), 10**17), st.integers(0, 9), st.integers(-30, 30)),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from(["e", "E", "e0", "e+"]),
)
@settings(max_examples=share_of(200))
def test_numbers_with_exponents_are_read_as_python_reads_them(
    parts: list[tuple[int, int, int]], mark: str
):
    """The digits, the place of the point from the end, and the exponent."""
    texts = []
    for digits, place, exponent in parts:
        at = max(len(str(digits)) - place, 1 + (digits < 0))
        mantissa = f"{str(digits)[:at]}.{str(digits)[at:]}"
        texts.append(f"{mantissa}{mark}{exponent}" if exponent >= 0 else f"{mantissa}e{exponent}")
    found = parse_floats(", ".join([*texts, *["1.5e-05"] * 16 * len(texts)]).encode(), FILL)
    assert found is not None
    assert found[0][: len(texts)].tolist() == [float(text) for text in texts]
    assert set(found[0][len(texts) :].tolist()) == {1.5e-05}


def test_rare_numbers_of_another_form_are_read_among_the_others():
    plain = ["0.5"] * 100
    plain[3], plain[50], plain[70] = "1e-05", "-Infinity", "12345678901234567890.5"
    found = parse_floats(", ".join(plain).encode(), FILL)
    assert found is not None
    assert found[0][[3, 50, 70]].tolist() == [1e-05, -math.inf, 12345678901234567890.5]
    assert found[1] == 1


WRONG = ["-", "+", ".", "e5", "-.", "1-2", "inf", "Inf", "infinity", "1.5x", "0x1p3"]


@pytest.mark.parametrize("last", WRONG)
@pytest.mark.parametrize("atomic", [Atomic.INT, Atomic.FLOAT, Atomic.DOUBLE])
def test_a_block_is_refused_for_its_last_item(last: str, atomic: Atomic):
    text = f"_, 0, {last}"
    with pytest.raises(CdlError, match=rf"t:1:7: `{re.escape(last)}` is not a va"):
        parse_block(SourceText(text.encode(), "t"), 0, len(text), 3, atomic, 7)


@given(st.lists(tokens, min_size=1, max_size=12), st.sampled_from([Atomic.FLOAT, Atomic.DOUBLE]))
@settings(max_examples=share_of(300))
def test_a_block_is_read_as_its_constants_are(texts: list[str], atomic: Atomic):
    """Together, or each alone: the same values, or an error both times."""

    def read(text: str, count: int) -> list[float] | None:
        source = SourceText(text.encode(), "t")
        try:
            return list(parse_block(source, 0, len(text), count, atomic, FILL).tolist())
        except CdlError:
            return None

    alone = [read(text, 1) for text in texts]
    expected = None if None in alone else [v for part in alone if part for v in part]
    together = read(", ".join(texts), len(texts))
    if together is None or expected is None:
        assert together == expected or "" in texts
    else:
        np.testing.assert_array_equal(together, expected)


@pytest.mark.parametrize("atomic", [Atomic.BYTE, Atomic.INT, Atomic.UINT64, Atomic.DOUBLE])
@pytest.mark.parametrize("text", ["1,,2", "1, ,2", ",1,2", "1,2,", "1 2,3"])
def test_a_block_is_refused_for_a_value_that_is_missing(text: str, atomic: Atomic):
    with pytest.raises(CdlError, match=r"a value is missing|unexpected `2`"):
        parse_block(SourceText(text.encode(), "t"), 0, len(text), 3, atomic, 7)


@pytest.mark.parametrize(
    ("text", "atomic", "values"),
    [
        ("1, 010, -07", Atomic.INT, [1, 8, -7]),
        ("127b, _, -128", Atomic.SHORT, [127, 7, -128]),
        ("32767s, 2, 3", Atomic.INT, [32767, 2, 3]),
        ("127, -128, +0", Atomic.BYTE, [127, -128, 0]),
        ("255, 0, _", Atomic.UBYTE, [255, 0, 7]),
        ("18446744073709551615, 0, 1", Atomic.UINT64, [2**64 - 1, 0, 1]),
        ("-9223372036854775808, 9223372036854775807, 1", Atomic.INT64, [-(2**63), 2**63 - 1, 1]),
    ],
)
def test_integers_of_a_block_at_the_limits(text: str, atomic: Atomic, values: list[int]):
    found = parse_block(SourceText(text.encode(), "t"), 0, len(text), 3, atomic, 7)
    assert found.tolist() == values
    assert found.dtype == atomic.dtype


@pytest.mark.parametrize(
    ("text", "atomic"),
    [("128", Atomic.BYTE), ("-129", Atomic.BYTE), ("256", Atomic.UBYTE), ("-1", Atomic.UBYTE),
     ("18446744073709551616", Atomic.UINT64), ("9223372036854775808", Atomic.INT64)],
)  # fmt: skip
def test_integers_of_a_block_beyond_the_limits(text: str, atomic: Atomic):
    with pytest.raises(CdlError, match=f"{text} does not fit {atomic.word}"):
        parse_block(SourceText(text.encode(), "t"), 0, len(text), 1, atomic, 7)
