"""Numbers of bytes as people read them."""

from __future__ import annotations


def format_size(size: int) -> str:
    """Format a number of bytes in powers of 1,000, with three digits."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} PB"
