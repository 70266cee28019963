"""Numbers in texts that anyone may have written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.zmap.whole_numbers import MOST_DIGITS, whole_number


@given(st.integers(0, 10**MOST_DIGITS - 1), st.integers(0, 3))
def test_digits_are_a_number(number: int, zeros: int):
    text = f"{'0' * zeros}{number}"
    wanted = number if len(text) <= MOST_DIGITS else None
    assert whole_number(text) == whole_number(text.encode()) == wanted


@pytest.mark.parametrize(
    "text",
    ["", " 1", "1 ", "-1", "+1", "1.0", "1e3", "0x1", "1_0", "²", "٣", "9" * 20, "9" * 5000, "x"],
)
def test_other_texts_are_not_whole_numbers(text: str):
    assert whole_number(text) is whole_number(text.encode()) is None
