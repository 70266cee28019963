"""Decimal numbers by the million: the same doubles as one by one, or nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.text.parse_numbers import parse_floats
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
def test_values_match_python(texts: list[str], blank: str):
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
def test_uncertain_words_are_left_alone(text: bytes):
    assert parse_floats(text, FILL) is None


LIMITS = [
    *(f"0.{7:0{places}}" for places in (21, 22, 23, 24)),
    *(f"{sign}90071992547409{end}" for sign in ("", "-") for end in ("9.1", "9.2", "9.3", "92.0")),
    "9223372036854775807",
    "-9223372036854775808",
]


@pytest.mark.parametrize("number", LIMITS)
def test_numbers_at_the_limits_of_a_quotient(number: str):
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
