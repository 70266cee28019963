"""Numbers with a comma in place of the decimal point."""

from __future__ import annotations

import pytest

from ncz.text.decimal_comma import with_decimal_points


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,5", "1.5"),
        ("-0,25 3,0", "-0.25 3.0"),
        ("v=1,5", "v=1.5"),
        ("1, 5", "1, 5"),
        ("a,b", "a,b"),
        (",5", ",5"),
        ("5,", "5,"),
        ("1.5", "1.5"),
        ("", ""),
    ],
)
def test_only_a_comma_between_digits_becomes_a_point(text: str, found: str):
    assert with_decimal_points(text) == found
