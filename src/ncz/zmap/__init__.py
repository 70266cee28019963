"""A zmap is a flat map from keys to bytes, with search. It does not interpret the bytes.

This package owns everything that stores bytes: directories, zip files, memory, and remote stores
(S3, HTTP and fsspec). A key names an object within a store; `ncz.zmap.key` defines its form. A key
without an object is not an error: reading it returns None.

Every store fulfils `Zmap`; the smaller protocols describe what only some stores can do, so that a
caller asks with ``isinstance`` and not for a class. "zmap" is NCZarr's word for the abstraction.

May import: errors, record. Entry points: `location.parse_location`, `opening.open_zmap` and
`opening.create_zmap`. `kinds` lists the kinds of stores.

Source: the NCZarr document, section "NCZarr Map Implementation".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from ncz.zmap.key import display
from ncz.zmap.limits import LARGEST_DOCUMENT

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ncz.zmap.byte_range import Accept, ByteRange, ByteRanges, Check, CopyableContent
    from ncz.zmap.location import Location


_Store = TypeVar("_Store")


@runtime_checkable
class Zmap(Protocol):
    """A store that can be read and listed."""

    @property
    def url(self) -> str:
        """The store's path or URL, as messages show it."""
        ...

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object.

        Parameters
        ----------
        key
            The object's key, without a leading slash.
        limit
            The most bytes that the object may have. No more is read, or kept in memory.

        Returns
        -------
        bytes or None
            The object's bytes; None if no object has this key.

        Raises
        ------
        ZmapError
            If the key could lead out of the store, the object is larger than `limit`, or it cannot
            be read.
        """
        ...

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object.

        Parameters
        ----------
        key
            The object's key.
        start
            The first byte; a negative number counts from the end of the object.
        count
            The number of bytes.

        Returns
        -------
        bytes or None
            `count` bytes, or fewer at the end of the object; None if no object has this key.

        Raises
        ------
        ZmapError
            If `count` is negative, and in the cases of `get`.
        """
        ...

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        ...

    def search(self, prefix: str) -> list[str]:
        """List the names directly below a prefix.

        Parameters
        ----------
        prefix
            A key without a slash at its end; "" is the root of the store.

        Returns
        -------
        list of str
            Every name for which ``prefix/name`` is an object or contains one, sorted by bytes;
            empty if nothing is below `prefix`.

        Raises
        ------
        ZmapError
            If the prefix could lead out of the store, or the store cannot be listed.
        """
        ...

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys of all objects at or below a prefix.

        Parameters
        ----------
        prefix
            A key without a slash at its end; "" is the root of the store.

        Returns
        -------
        iterator of str
            Whole keys, depth first, each level sorted by bytes.

        Raises
        ------
        ZmapError
            If the prefix could lead out of the store, or the store cannot be listed.
        """
        ...

    def close(self) -> None:
        """Release files and connections. Reading afterwards raises `ZmapError`."""
        ...


@runtime_checkable
class WritableZmap(Zmap, Protocol):
    """A store that can be written, one whole object at a time."""

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object.

        Parameters
        ----------
        key
            The object's key, which must be legal (see `ncz.zmap.key.check_key`).
        value
            The object's bytes.

        Raises
        ------
        ZmapError
            If the key is illegal, is above or below another object, or the storage refuses.
        """
        ...

    def delete(self, key: str) -> bool:
        """Delete an object; return False if no object has this key."""
        ...


@runtime_checkable
class BatchDeletingZmap(Protocol):
    """A store that can delete many objects with one request."""

    def delete_many(self, keys: Iterable[str]) -> None:
        """Delete objects; missing ones are ignored."""
        ...


@runtime_checkable
class CopyingZmap(WritableZmap, Protocol):
    """A store that copies many objects at a time, but cannot rename them."""

    def copy_many(self, keys: Mapping[str, str]) -> None:
        """Copy objects to new keys, which are the values of `keys`."""
        ...


@runtime_checkable
class DistantZmap(Zmap, Protocol):
    """A store whose requests have a high latency, many of which can run at once."""

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Start to fetch objects that `get` will be asked for.

        An error of such a request is raised by `get`.

        Parameters
        ----------
        wanted
            Pairs of a key and the largest size in bytes that its object can have, in the order in
            which they will be read; each key once. The sizes limit how many objects are held.
        """
        ...


@runtime_checkable
class JoiningZmap(DistantZmap, Protocol):
    """A distant store that reads objects which are neighbours with one request, if announced."""

    joins_neighbours: bool


@runtime_checkable
class ResumableZmap(Protocol):
    """A store under construction that can hold objects of an interrupted run."""

    def keep(self, key: str, size: int | None = None) -> bool:
        """Keep the object that an earlier run wrote; return False if there is none.

        An object of another size than `size` is incomplete, and is not kept.
        """
        ...


@runtime_checkable
class SharedZmap(Protocol):
    """A store under construction into which other processes can write as well."""

    def location_for_others(self, location: Location) -> Location:
        """Return where other processes open the store that is being created at `location`."""
        ...

    def adopt(self, keys: Iterable[str]) -> None:
        """Make objects that another process wrote part of this store.

        Call it with no keys before the other process starts, so that the store is marked as
        unfinished.
        """
        ...


@runtime_checkable
class FileZmap(Protocol):
    """A store whose objects are files of the operating system."""

    def opened(self, key: str) -> AbstractContextManager[CopyableContent | None]:
        """Open an object as a file; the context's value is None without an object."""
        ...


@runtime_checkable
class WritableFileZmap(Protocol):
    """A store that can copy objects from files, and into which many threads can write."""

    def put_sized(self, key: str, value: bytes) -> None:
        """Create or replace an object of which `ResumableZmap.keep` will be told the size."""
        ...

    def put_from(
        self, key: str, source: FileZmap, at: str, check: Check | None = None
    ) -> int | None:
        """Create or replace the object `key` with the object `at` of `source`.

        `check` is called with the object before it is copied. Returns the number of bytes; None if
        `source` has no such object, in which case nothing changes.
        """
        ...

    def put_many_from(
        self, keys: Sequence[str], source: FileZmap, at: Sequence[str], accept: Accept
    ) -> Iterator[int | None]:
        """Create objects from small files, with less work for each than `put_from` has.

        The objects `at` of `source` get the keys `keys`, if `accept`, called with each, agrees.

        Yields the number of bytes of each object. None means that it was not copied, for whatever
        reason; `put_from` then copies it, or tells why it cannot.
        """
        ...


@runtime_checkable
class PlacedZmap(Protocol):
    """A store whose objects are files, or parts of files, that other programs can read."""

    def place(self, key: str) -> ByteRange | None:
        """Return where the bytes of an object are.

        Returns
        -------
        ByteRange or None
            The absolute path or the URL of a file, and the part of it; None if no object has this
            key, or if its bytes are nowhere as they are, such as those of a compressed entry.
        """
        ...


@runtime_checkable
class ReferringZmap(Protocol):
    """A store under construction that can refer to bytes instead of holding them."""

    inline: int
    """The number of bytes up to which an object is better held than referred to."""

    def refer(self, key: str, place: ByteRange) -> None:
        """Create or replace an object whose bytes are somewhere else."""
        ...

    def refer_all(self, ranges: ByteRanges) -> None:
        """Create objects whose bytes are parts of one file, none of them empty."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object that the store holds; see `WritableZmap.put`."""
        ...


@runtime_checkable
class FolderZmap(Protocol):
    """A store with real folders, which may be empty."""

    def names(self, prefix: str) -> list[str]:
        """List the names directly below a prefix, including folders without any object."""
        ...

    def is_folder(self, key: str) -> bool:
        """Return whether a folder is at `key`, empty or not."""
        ...


@runtime_checkable
class ListingZmap(Protocol):
    """A store that may be impossible to list, such as a web server."""

    can_list: bool


@runtime_checkable
class SteadyZmap(Protocol):
    """A store that notices if it is changed while it is read."""

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the metadata that was read is no longer there."""
        ...


@runtime_checkable
class ForkedZmap(Protocol):
    """A store that knows whether a forked process can continue to read it."""

    survives_fork: bool


_watches: list[Callable[[object, str], None]] = []


def watch_stores(watch: Callable[[object, str], None] | None) -> None:
    """Call a function with each store and file that is opened from now on, and its address.

    None ends it.
    """
    _watches[:] = [] if watch is None else [watch]


def watched(store: _Store, address: str) -> _Store:
    """Return a store that was opened, after showing it to the function of `watch_stores`."""
    for watch in _watches:
        watch(store, address)
    return store


def location_of(zmap: Zmap, key: str) -> str:
    """Return how messages name an object."""
    return f"{zmap.url}: {display(key)}"


def expect(zmap: Zmap, wanted: Iterable[tuple[str, int]]) -> None:
    """Announce the next reads to a store with a high latency; see `DistantZmap`."""
    if isinstance(zmap, DistantZmap):
        zmap.expect(wanted)


def child_names(zmap: Zmap, prefix: str) -> list[str]:
    """List the names directly below a prefix; a folder among them may hold no object."""
    return zmap.names(prefix) if isinstance(zmap, FolderZmap) else zmap.search(prefix)


def is_folder(zmap: Zmap, key: str) -> bool:
    """Return whether a real folder is where an object could be."""
    return isinstance(zmap, FolderZmap) and zmap.is_folder(key)


def can_list(zmap: Zmap) -> bool:
    """Return whether the store can be listed, as far as is known."""
    return zmap.can_list if isinstance(zmap, ListingZmap) else True


def survives_fork(zmap: Zmap) -> bool:
    """Return whether a forked process can continue to read the store."""
    return zmap.survives_fork if isinstance(zmap, ForkedZmap) else False
