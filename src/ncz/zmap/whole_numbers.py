"""Parse whole numbers in untrusted texts: of servers, in marks, on command lines."""

from __future__ import annotations

MOST_DIGITS = 19
"""The digits of numbers of 64 bits; Python refuses to read some thousands of them."""


def whole_number(text: str | bytes) -> int | None:
    """Return the number that ASCII digits are; None for any other text, and for too many digits."""
    return int(text) if len(text) <= MOST_DIGITS and text.isascii() and text.isdigit() else None
