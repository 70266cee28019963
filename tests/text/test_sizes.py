"""Numbers of bytes as texts, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.text.sizes import format_ratio, format_size, parse_size


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (1234, "1.23 kB"),
        (999_499, "999 kB"),
        (999_500, "1 MB"),
        (999_999_999, "1 GB"),
        (10**18, "1000 PB"),
    ],
)
def test_a_size_has_three_digits(size: int, text: str):
    assert format_size(size) == text


@given(st.integers(1, 10**15 - 10**12))
def test_a_size_that_is_printed_is_nearly_read_back(size: int):
    found = parse_size(format_size(size))
    assert found is not None
    assert abs(found - size) <= size / 190


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("10", 10),
        (" 10 MB ", 10_000_000),
        ("256MiB", 256 << 20),
        ("1.5G", 1_500_000_000),
        ("0.1kib", 102),
        ("9007199254740993", 9007199254740993),
        ("0.9", None),
        ("0", None),
        ("-1", None),
        ("1e3", None),
        ("10i", None),
        ("1.", None),
        ("9" * 400, None),
        ("\N{ARABIC-INDIC DIGIT THREE}", None),
    ],
)
def test_sizes_that_people_write(text: str, size: int | None):
    assert parse_size(text) == size


@pytest.mark.parametrize(("ratio", "text"), [(0.25, "0.25"), (1.234, "1.23"), (12345.6, "12346")])
def test_a_large_ratio_has_no_exponent(ratio: float, text: str):
    assert format_ratio(ratio) == text
