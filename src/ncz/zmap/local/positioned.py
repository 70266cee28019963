"""Read an open file at an offset, without its position, which other readers may share."""

from __future__ import annotations

import os

_PIECE = 1 << 30  # bytes that one call of the system reads

HAS_PREAD = hasattr(os, "pread")
"""Whether the system can read at an offset without moving a file's position."""


def read_at(number: int, start: int, count: int) -> bytes:
    """Read bytes of an open file at an offset, without moving its position."""
    parts = []
    while count > 0 and (part := os.pread(number, min(count, _PIECE), start)):
        parts.append(part)
        start += len(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
