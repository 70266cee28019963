"""The sizes up to which objects are read.

Every read of a whole object has a limit, so that neither a large file, nor a compressed entry of a
zip file, nor a server whose response never ends can fill the memory.
"""

from __future__ import annotations

from ncz.errors import ZmapError

LARGEST_DOCUMENT = 64 << 20
"""Bytes of the largest object that is read unless the caller gives another limit."""

LARGEST_SET = 512 << 20
"""Bytes of the largest reference set in JSON."""

MOST_GENERATED = 1_000_000
"""The number of references that a reference set may generate from templates."""


def too_large(location: str, limit: int) -> ZmapError:
    """Return the error for an object of more than `limit` bytes."""
    return ZmapError(
        f"the object is larger than the {limit} bytes that it may have",
        location,
        "it is damaged; restore it from a copy",
    )
