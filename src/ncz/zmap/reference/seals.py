"""Seals: the recorded states of the sources of a reference set, so that no changed one is read.

A set that ncz writes has a member ``ncz`` next to the references, which other programs ignore. It
has, for each URL in the set, the size of the file, and the time of its last change or the ETag that
a server gives. Of local files it also has a hash of their beginning, where the metadata of most
files are: a file may be replaced by one of the same size and time. The snapshots of repositories
and the masters of aggregations keep the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ncz.errors import ZmapError
from ncz.record import record

MEMBER = "ncz"
"""The member of a set that has the seals."""

HEAD = 1 << 15
"""Bytes at the beginning of a file that are hashed."""

_SOURCES = "sources"
_SECOND = 1_000_000_000


@record
class Seal:
    """The state of a file; None for unknown members.

    `modified` is in nanoseconds since 1970, `tag` is an ETag without its quotation marks, and
    `head` is the hash of the beginning of the file.
    """

    size: int | None = None
    modified: int | None = None
    tag: str | None = None
    head: str | None = None

    def difference(self, now: Seal) -> str:
        """Return the kind of change of a file since it was sealed, or "" if it has not changed."""
        if None not in (self.size, now.size) and self.size != now.size:
            return f"it had {self.size} bytes, and has {now.size}"
        if self.tag is not None and now.tag is not None:
            return "" if self.tag == now.tag else "its ETag is another"
        if None not in (self.head, now.head) and self.head != now.head:
            return "its first bytes are others"
        if self.modified is None or now.modified is None or _is_same(self.modified, now.modified):
            return ""
        return "it was written later" if now.modified > self.modified else "it is an older file"


NO_SEALS: Mapping[str, Seal] = {}


def _is_same(one: int, other: int) -> bool:
    """Return whether two times are equal, as exactly as both file systems keep them."""
    if one % _SECOND and other % _SECOND:
        return one // 1000 == other // 1000
    return one // _SECOND == other // _SECOND


def head_of(data: bytes) -> str:
    """Return the hash of the beginning of a file."""
    return hash_of(data[:HEAD])


def hash_of(data: bytes) -> str:
    """Return a text that differs for other bytes."""
    import hashlib

    return hashlib.blake2b(data, digest_size=16).hexdigest()


def tag_of(text: str | None) -> str | None:
    """Return an ETag as all libraries spell it."""
    return None if text is None else text.removeprefix("W/").strip('"')


def write_seals(seals: Mapping[str, Seal]) -> dict[str, Any]:
    """Return seals as the member of a set."""
    return {
        _SOURCES: {
            url: {
                name: value
                for name, value in (
                    ("size", seal.size),
                    ("mtime_ns", seal.modified),
                    ("etag", seal.tag),
                    ("head", seal.head),
                )
                if value is not None
            }
            for url, seal in seals.items()
        }
    }


def read_seals(member: object) -> dict[str, Seal]:
    """Return the seals of the member of a set; none if it has another form."""
    sources = member.get(_SOURCES) if isinstance(member, dict) else None
    if not isinstance(sources, dict):
        return {}
    return {url: _read_seal(value) for url, value in sources.items() if isinstance(value, dict)}


def _read_seal(value: Mapping[str, Any]) -> Seal:
    size, modified = value.get("size"), value.get("mtime_ns")
    tag, head = value.get("etag"), value.get("head")
    return Seal(
        size if type(size) is int else None,
        modified if type(modified) is int else None,
        tag if isinstance(tag, str) else None,
        head if isinstance(head, str) else None,
    )


def changed_source_error(target: str, difference: str, location: str) -> ZmapError:
    """Return the error for a target that has changed since the set was written."""
    return ZmapError(
        f"the source {target} has changed since the references were made: {difference}",
        location,
        "make the references again; #reference.seals=off reads it all the same",
    )
