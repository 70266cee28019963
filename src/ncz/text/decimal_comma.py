"""Numbers with a comma in place of the decimal point, as many languages write them."""

from __future__ import annotations

import re

_COMMA = re.compile(r"(?<=\d),(?=\d)")


def with_decimal_points(text: str) -> str:
    """Return a text with points in place of the commas between digits."""
    return _COMMA.sub(".", text)
