"""Numbers of bytes as people read and write them."""

from __future__ import annotations

import re

_UNITS = {
    "": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12,
    "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
}  # fmt: skip
_SIZE = r"(?i)(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?"


def parse_size(text: str) -> int | None:
    """Return a number of bytes, such as 1000, 10MB, 256MiB or 1.5G; None if it is not valid."""
    match = re.fullmatch(_SIZE, text.strip())
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None or float(match[1]) * unit < 1:
        return None
    return int(float(match[1]) * unit)


def format_size(size: int) -> str:
    """Format a number of bytes in powers of 1,000, with three digits."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} PB"
