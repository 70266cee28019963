"""Dates that are text."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.text.date_texts import parse_date_texts, texts_in


@pytest.mark.parametrize(
    ("texts", "seconds"),
    [
        (["1970-01-02", "1970-01-01_00:00:01"], [86400, 1]),
        (["1970-01-01T00:01", " 1970-01-01 00:00:00.5Z "], [60, 0.5]),
        (["1970-01-02", "tomorrow"], None),
        (["1970-02-30"], None),
    ],
)
def test_seconds_of_dates(texts, seconds):
    found = parse_date_texts(texts)
    assert (found and found[0]) == seconds


def test_padding_is_no_part_of_a_text():
    rows = np.array([b"ab \0", b"\xc3\x98"], "S4")
    assert texts_in(rows) == ["ab", "Ø"]
    assert texts_in(np.array(["a", None], "O")) == ["a", ""]
