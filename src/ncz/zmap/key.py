"""Keys: how an object is named within a dataset.

A key is a path of segments joined by ``/`` with no slash at either end: ``g1/v/.zarray``; the
empty key is the root. (The NCZarr document, section "NCZarr Map Implementation", writes a leading
slash; `display` puts it on for people.) No segment is empty, ``.`` or ``..``, and none has a
control character. Source for the length limit: Amazon S3's object key limit, the document's Appendix B.
"""

from __future__ import annotations

from ncz.errors import ZmapError

LONGEST = 1024
"""Bytes of the longest key that an S3 store can hold."""


def check_key(key: str) -> str:
    """Return `key` if it is legal; raise `ZmapError`, naming what is wrong, if not."""
    reason = fault(key)
    if reason:
        raise ZmapError(reason, where=f"key {key!r}", do="rename the group or variable")
    return key


def fault(key: str) -> str | None:
    """Why `key` is illegal, or None. The empty key is legal as a prefix only."""
    if key == "":
        return None
    if key.startswith("/"):
        return "a key cannot be absolute"
    for segment in key.split("/"):
        if segment == "":
            return "a key cannot have an empty segment"
        if segment in (".", ".."):
            return f"a key cannot have a segment {segment!r}"
    if any(ord(c) < 0x20 or ord(c) == 0x7F for c in key):
        return "a key cannot have control characters"
    length = len(key.encode("utf-8", "surrogateescape"))
    if length > LONGEST:
        return f"a key of {length} bytes is longer than the {LONGEST} that S3 allows"
    return None


def join_key(*parts: str) -> str:
    """Join prefixes and a name to a key, leaving out empty parts."""
    return "/".join(part.strip("/") for part in parts if part.strip("/"))


def display(key: str) -> str:
    """The key as people write it, with its leading slash."""
    return "/" + key
