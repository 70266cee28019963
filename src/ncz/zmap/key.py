"""Keys: how an object is named within a dataset, and how names are ordered and searched.

A key is a path of segments joined by ``/`` with no slash at either end: ``g1/v/.zarray``; the
empty key is the root. (The NCZarr document, section "NCZarr Map Implementation", writes a leading
slash; `display` puts it on for people.) No segment is empty, ``.`` or ``..``, and none has a
control character. Source for the length limit: Amazon S3's object key limit, the document's
Appendix B.

What is written must be a legal key (`check_key`). Reading is laxer (`check_inside`): other people's
stores may have longer names or control characters, and they must be listed and shown; what could
lead out of the store is refused all the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from ncz.errors import ZmapError

LONGEST = 1024
"""Bytes of the longest key that an S3 store can hold."""

ROOT_DOCUMENTS = (
    ".zgroup", ".zarray", ".zattrs", ".zmetadata", "zarr.json", ".nczarr", ".nczgroup",
)  # fmt: skip
"""Names by which the root of a store is known; one of them is there in every store."""


def check_key(key: str) -> str:
    """Return `key` if it is legal; raise `ZmapError`, naming what is wrong, if not."""
    reason = fault(key)
    if reason:
        raise ZmapError(reason, location=f"key {key!r}", hint="rename the group or variable")
    return key


def fault(key: str) -> str | None:
    """Why `key` is illegal, or None. The empty key is legal as a prefix only."""
    if key == "":
        return None
    reason = _outside(key)
    if reason:
        return reason
    if any(ord(c) < 0x20 or ord(c) == 0x7F for c in key):
        return "a key cannot have control characters"
    length = len(key.encode("utf-8", "surrogateescape"))
    if length > LONGEST:
        return f"a key of {length} bytes is longer than the {LONGEST} that S3 allows"
    return None


def check_inside(key: str) -> str:
    """Return `key` if it names a place within a store; raise `ZmapError` if it could lead out."""
    if _is_plain(key):
        return key
    reason = _outside(key) if key else None
    if reason:
        raise ZmapError(reason, location=f"key {key!r}")
    return key


def _is_plain(key: str) -> bool:
    """Whether `key` can be seen to stay inside, as nearly all can; a header asks for thousands."""
    return (
        key.isascii()
        and "//" not in key
        and "./" not in key
        and "\0" not in key
        and key[:1] != "/"
        and key[-1:] not in "./"
    )


def _outside(key: str) -> str | None:
    if key.startswith("/"):
        return "a key cannot be absolute"
    for segment in key.split("/"):
        if segment == "":
            return "a key cannot have an empty segment"
        if segment in (".", ".."):
            return f"a key cannot have a segment {segment!r}"
    if "\0" in key:
        return "a key cannot have control characters"
    try:
        key.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "a key must be Unicode text"
    return None


def join_key(*parts: str) -> str:
    """Join prefixes and a name to a key, leaving out empty parts."""
    return "/".join([trimmed for part in parts if (trimmed := part.strip("/"))])


def display(key: str) -> str:
    """The key as people write it, with its leading slash."""
    return "/" + key


def ancestors(key: str) -> Iterator[str]:
    """The prefixes that lead to `key`, longest first, without the root: ``a/b``, ``a``."""
    at = key.rfind("/")
    while at > 0:
        yield key[:at]
        at = key.rfind("/", 0, at)


def order(key: str) -> bytes:
    """What keys are sorted by: depth first, each level by the bytes of its names.

    NUL takes the slash's place, because no other byte of a name comes before it.
    """
    return key.encode("utf-8", "surrogateescape").replace(b"/", b"\0")


def _key_of(ordered: bytes) -> str:
    return ordered.replace(b"\0", b"/").decode("utf-8", "surrogateescape")


class SortedKeys:
    """A fixed set of keys that answers search and walk; for stores that list all keys at once."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._ordered = sorted(map(order, keys))

    def search(self, prefix: str) -> list[str]:
        """The names directly below `prefix`; see `Zmap.search`."""
        ordered = self._ordered
        start = order(prefix) + b"\0" if prefix else b""
        names = []
        at = bisect_left(ordered, start)
        while at < len(ordered) and ordered[at].startswith(start):
            name, _, deeper = ordered[at][len(start) :].partition(b"\0")
            names.append(_key_of(name))
            at += 1
            if deeper or (at < len(ordered) and ordered[at].startswith(start + name + b"\0")):
                at = bisect_left(ordered, start + name + b"\1", at)
        return names

    def walk(self, prefix: str) -> Iterator[str]:
        """The keys at or below `prefix`; see `Zmap.walk`."""
        ordered = self._ordered
        start = order(prefix)
        at = bisect_left(ordered, start)
        if prefix and at < len(ordered) and ordered[at] == start:
            yield prefix
        start = start + b"\0" if prefix else b""
        for at in range(bisect_left(ordered, start), len(ordered)):
            if not ordered[at].startswith(start):
                return
            yield _key_of(ordered[at])


def clamp(size: int, start: int, count: int) -> tuple[int, int]:
    """The part of an object of `size` bytes that a range asks for, as (first byte, byte count).

    A negative `start` counts from the end, and from the beginning if the object is shorter.
    """
    if count < 0:
        raise ZmapError(f"a range cannot have {count} bytes")
    first = max(0, size + start) if start < 0 else min(start, size)
    return first, min(count, size - first)


def part(value: bytes, start: int, count: int) -> bytes:
    """The part of an object that a range asks for."""
    first, count = clamp(len(value), start, count)
    return value[first : first + count]
