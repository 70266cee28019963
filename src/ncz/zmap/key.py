"""Keys: the names of objects within a store, their order, searching them, and limits of objects.

A key is a path of segments joined by ``/`` without a slash at either end, such as ``g1/v/.zarray``;
the empty key is the root. No segment is empty, ``.`` or ``..``, and none contains a control
character.

A key that is written must be legal (`check_key`). Reading accepts more (`check_inside`), because
existing stores may have longer names or names with control characters. A key that could lead out of
the store is always rejected.

Source: the NCZarr document, section "NCZarr Map Implementation", which writes a leading slash
(`display` adds it), and for the limit of names its Appendix B and Amazon S3's limit for object
keys. A kind of store can limit keys, too: servers do.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import ne
from typing import TYPE_CHECKING

from ncz.errors import ZmapError
from ncz.late import numpy as np
from ncz.record import record

if TYPE_CHECKING:
    import numpy.typing as npt

    IndexTable = npt.NDArray[np.int64]


LONGEST = 1024
"""The length in bytes of the longest key that S3 allows, and of the longest name anywhere."""

ZARR_JSON = "zarr.json"
"""Name of the metadata document of every node of a Zarr V3 store."""

JOURNAL = ".ncz-edit"
"""The key of the object that locks a store on a server while it is changed, and that records an
incomplete change of any store. It is not listed."""

STAGED = ".ncz-edit-new"
"""The prefix of chunks on a server that a change is going to move to their keys."""

MARK = ".ncz-partial"
"""The key of the object that marks a store on a server as unfinished. It is not listed."""

ROOT_DOCUMENTS = (
    ".zgroup", ".zarray", ".zattrs", ".zmetadata", ZARR_JSON, ".nczarr", ".nczgroup",
)  # fmt: skip
"""The metadata documents of a store's root; every store has at least one of them."""


def check_key(key: str) -> str:
    """Return `key` if it is legal; raise `ZmapError` with the reason if it is not."""
    reason = fault(key)
    if reason:
        raise ZmapError(reason, location=f"key {key!r}", hint="rename the group or variable")
    return key


def fault(key: str) -> str | None:
    """Return the reason that `key` is illegal, or None. The empty key is legal only as a prefix."""
    if key == "" or (len(key) <= LONGEST and key.isprintable() and _is_plain(key)):
        return None  # most often; a copy uses it for every chunk
    reason = _outside(key)
    if reason:
        return reason
    if any(ord(c) < 0x20 or ord(c) == 0x7F for c in key):
        return "a key cannot contain control characters"
    length = max(len(name.encode("utf-8", "surrogateescape")) for name in key.split("/"))
    if length > LONGEST:
        return f"a key with a name of {length} bytes, longer than the {LONGEST} that S3 allows"
    return None


def are_plain(keys: Sequence[str]) -> bool:
    """Return True only if all keys are legal; it takes one look at all of them together.

    False means that `check_key` names the one that is not, if any.
    """
    text = "/".join(keys)
    return text.isprintable() and _is_plain(text) and max(map(len, keys)) <= LONGEST


def check_inside(key: str) -> str:
    """Return `key` if it stays within the store; raise `ZmapError` if it could lead out of it."""
    if _is_plain(key):
        return key
    reason = _outside(key) if key else None
    if reason:
        raise ZmapError(reason, location=f"key {key!r}")
    return key


def _is_plain(key: str) -> bool:
    """Return True for most keys that stay inside; this check is fast, since headers need many."""
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
            return "a key cannot contain an empty segment"
        if segment in (".", ".."):
            return f"a key cannot contain the segment {segment!r}"
    if "\0" in key:
        return "a key cannot contain control characters"
    try:
        key.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "a key must be valid Unicode"
    return None


def join_key(*parts: str) -> str:
    """Join prefixes and a name to a key; empty parts are left out."""
    return "/".join([trimmed for part in parts if (trimmed := part.strip("/"))])


def is_document(key: str) -> bool:
    """Return whether a key, or the name of an entry, names a metadata document."""
    name = key.rpartition("/")[2]
    return name.startswith(".") or name == ZARR_JSON


def is_chunk_name(name: str) -> bool:
    """Return whether a name belongs to a chunk or to a folder of chunks."""
    return name != "c" and is_chunk_path(name)


@record
class ChunkKeys:
    """The encoding of chunk indices as keys.

    Zarr V2 joins the indices with `separator`; a scalar's chunk has the key "0". Zarr V3's encoding
    "default" puts "c" before them (`marked`); a scalar's chunk has the key "c". Its encoding "v2"
    is the one of Zarr V2.
    """

    separator: str = "."
    marked: bool = False

    def key(self, array: str, index: tuple[int, ...]) -> str:
        """Return the key of chunk `index` of the array whose prefix is `array`."""
        return join_key(array, self.join_indices([*map(str, index)]))

    def join_indices(self, parts: Sequence[str]) -> str:
        """Return the name of a chunk below its array from the texts of its indices."""
        name = self.separator.join(parts)
        if self.marked:
            return f"c{self.separator}{name}" if parts else "c"
        return name or "0"

    def keys(self, array: str, indices: Sequence[tuple[int, ...]]) -> list[str]:
        """Return the keys of many chunks of an array."""
        rank = len(indices[0]) if indices else 0
        if not rank:
            return [self.key(array, ())] * len(indices)
        template = join_key(array.replace("%", "%%"), self.join_indices(["%d"] * rank))
        return [template % index for index in indices]

    def index(self, name: str, rank: int) -> tuple[int, ...] | None:
        """Return the index whose key below the array's prefix is `name`; None if none exists."""
        if self.marked:
            if rank == 0:
                return () if name == "c" else None
            mark, name = name[:2], name[2:]
            if mark != f"c{self.separator}":
                return None
        if rank == 0:
            return () if name == "0" else None
        try:
            index = tuple(map(int, name.split(self.separator)))
        except ValueError:
            return None
        if len(index) != rank or self.separator.join(map(str, index)) != name or "-" in name:
            return None  # `int` takes other spellings too, such as "01"
        return index

    def indices(self, names: Sequence[str], rank: int) -> IndexTable | None:
        """Return the indices of many chunks, of shape (names, rank), by their names; see `index`.

        None if one of the names does not name a chunk, or has a number beyond 64 bits.
        """
        start = f"c{self.separator}" if self.marked else ""
        parts = self.separator.join([name[len(start) :] for name in names]).split(self.separator)
        if not rank or len(parts) != rank * len(names) or not all(map(str.isdecimal, parts)):
            found = [self.index(name, rank) for name in names]
            if None in found:
                return None
            return np.array(found, np.int64).reshape(len(names), rank)
        try:
            indices = np.array([*map(int, parts)], np.int64).reshape(-1, rank)
        except (OverflowError, ValueError):  # more digits than Python converts
            return None
        template = self.join_indices(["{}"] * rank)
        exact = map(template.format, *indices.T.tolist())
        return None if any(map(ne, exact, names)) else indices


def named_keys(encoding: str, separator: str | None) -> ChunkKeys:
    """Return the keys of an encoding of Zarr V3, "default" or "v2", which has a usual separator."""
    is_marked = encoding == "default"
    usual = "/" if is_marked else "."
    return ChunkKeys(usual if separator is None else separator, is_marked)


def is_chunk_path(path: str) -> bool:
    """Return whether a key below an array can name a chunk, in any encoding of keys."""
    rest = path[2:] if path.startswith(("c/", "c.")) else path
    is_index = rest.isascii() and all(map(str.isdigit, rest.replace("/", ".").split(".")))
    return is_index or path == "c"


def is_part_of_node(name: str) -> bool:
    """Return whether a name, which need not be a key, ends like a document's or a chunk's.

    Backslashes count as slashes: some programs write them to zip files.
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    return last in ROOT_DOCUMENTS or is_chunk_name(last)


def display(key: str) -> str:
    """Return the key as messages show it, with a leading slash."""
    return "/" + key


def ancestors(key: str) -> Iterator[str]:
    """Iterate over the prefixes of `key`, longest first, without the root: ``a/b``, ``a``."""
    at = key.rfind("/")
    while at > 0:
        yield key[:at]
        at = key.rfind("/", 0, at)


def refuse_object_above(key: str, has: Callable[[str], bool], where: str) -> None:
    """Raise `ZmapError` if one of the ancestors of a key is an object, according to `has`."""
    blocked = next((above for above in ancestors(key) if has(above)), None)
    if blocked is not None:
        raise ZmapError(f"{display(blocked)} is an object, so no key can be below it", where)


def order(key: str) -> bytes:
    """Return the sort key of a key: depth first, each level by the bytes of its names.

    NUL replaces the slash, because it sorts before every byte that a name can contain.
    """
    return key.encode("utf-8", "surrogateescape").replace(b"/", b"\0")


def _key_of(ordered: bytes) -> str:
    return ordered.replace(b"\0", b"/").decode("utf-8", "surrogateescape")


class SortedKeys:
    """A fixed set of keys with `search` and `walk`, for stores that list all keys."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._ordered = sorted(map(order, keys))

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
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
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
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
    """Return the part of a range that an object of `size` bytes has.

    Parameters
    ----------
    size
        The size of the object in bytes.
    start
        The first byte; a negative number counts from the end of the object.
    count
        The number of bytes.

    Returns
    -------
    first, count : int
        The offset of the first byte and the number of bytes, both within the object.

    Raises
    ------
    ZmapError
        If `count` is negative.
    """
    if count < 0:
        raise ZmapError(f"a range of {count} bytes is not valid")
    first = max(0, size + start) if start < 0 else min(start, size)
    return first, min(count, size - first)


def part(value: bytes, start: int, count: int) -> bytes:
    """Return the bytes of an object that a range contains; see `clamp`."""
    first, count = clamp(len(value), start, count)
    return value[first : first + count]


LARGEST_DOCUMENT = 64 << 20
"""Bytes of the largest object that is read unless the caller gives another limit.

Every read of a whole object has a limit, so that neither a large file, nor a compressed entry of a
zip file, nor a server whose response never ends can fill the memory.
"""

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
