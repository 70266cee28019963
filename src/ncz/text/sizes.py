"""Numbers of bytes as people read and write them."""

from __future__ import annotations

import re

_UNITS = {
    "": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12,
    "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
}  # fmt: skip
_SIZE = r"(?i)([0-9]{1,30})(?:\.([0-9]{1,30}))?\s*([kmgt]?i?)b?"


def parse_size(text: str) -> int | None:
    """Return a number of bytes, such as 1000, 10MB, 256MiB or 1.5G; None if it is not valid."""
    match = re.fullmatch(_SIZE, text.strip())
    unit = _UNITS.get(match[3].lower()) if match else None
    if match is None or unit is None:
        return None
    fraction = match[2] or ""
    return int(match[1] + fraction) * unit // 10 ** len(fraction) or None


def format_size(size: int) -> str:
    """Format a number of bytes in powers of 1,000, with three digits."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < _FOUR_DIGITS:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{format_ratio(value)} PB"


_FOUR_DIGITS = 999.5
"""The least number that has four digits when it is rounded to a whole one."""


def format_ratio(ratio: float) -> str:
    """Format a positive number with three digits; a large one as a whole number."""
    return f"{ratio:.3g}" if ratio < _FOUR_DIGITS else f"{ratio:.0f}"
