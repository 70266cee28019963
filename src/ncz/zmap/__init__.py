"""A zmap is a flat map from keys to bytes, with search. It does not interpret the bytes.

This package owns everything that stores bytes: directories, zip files, memory, and remote stores
(S3, HTTP and fsspec). A key names an object within a store; `ncz.zmap.key` defines its form. A key
without an object is not an error: reading it returns None.

Every store is a `Zmap`, and a `WritableZmap` if it can be written. Abilities of only some stores
are attributes, or methods with a default, so that a caller need not know the kind of the store.
"zmap" is NCZarr's word for the abstraction.

May import: errors, record. Entry points: `location.parse_location`, `opening.open_zmap` and
`opening.create_zmap`. `kinds` lists the kinds of stores.

Source: the NCZarr document, section "NCZarr Map Implementation".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, TypeVar

from ncz.errors import Notice, Notify, list_names
from ncz.zmap.key import LARGEST_DOCUMENT, LARGEST_SET, display

if TYPE_CHECKING:
    from ncz.zmap.byte_range import ByteRange, ByteRanges
    from ncz.zmap.content import Accept, Check
    from ncz.zmap.location import Location
    from ncz.zmap.source_file import SourceFile

_Store = TypeVar("_Store")


class Zmap(ABC):
    """A store that can be read and listed.

    Attributes
    ----------
    url
        The store's path or URL, as messages show it.
    is_distant
        Whether requests have a high latency and many can run in parallel; see `expect`.
    joins_neighbours
        Whether objects which are neighbours are read with one request, if they are announced.
    can_list
        Whether the store can be listed, as far as is known. A web server cannot.
    survives_fork
        Whether a forked process can continue to read the store.
    holds_files
        Whether the objects are files of the operating system, which copies them quickly.
    lists_freely
        Whether listing takes no request to a server.
    numbers_chunks
        Whether the store makes the keys of chunks itself, so that they fit the metadata.
    is_atomic
        Whether readers see all new objects at the same time, when the store is committed.
    refers
        Whether the store has no place for chunks, except a few small ones, and refers to others.
    refers_above
        The size limit of stored chunks in bytes: the store refers to larger new chunks. None if the
        store contains all.
    is_unfinished
        Whether a change is decided, but not all of its objects are in their places: the new state
        is read, and other programs cannot open the store.
    misnamed_objects
        Names, found so far, of documents and chunks that cannot be read: they are not keys.
    """

    url: str
    is_distant: bool = False
    joins_neighbours: bool = False
    can_list: bool = True
    survives_fork: bool = False
    holds_files: bool = False
    numbers_chunks: bool = False
    is_atomic: bool = False
    refers: bool = False
    refers_above: int | None = None
    is_unfinished: bool = False

    @property
    def lists_freely(self) -> bool:
        return self.can_list and not self.is_distant

    @property
    def misnamed_objects(self) -> Sequence[str]:
        return ()

    @abstractmethod
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

    def get_many(self, keys: Sequence[str], limit: int) -> list[bytes | None]:
        """Read small objects that are not documents, with less work for each than `get` has.

        Each has at most `limit` bytes. See `get` for the results and errors.
        """
        return [self.get(key, limit) for key in keys]

    @abstractmethod
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

    @abstractmethod
    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""

    @abstractmethod
    def search(self, prefix: str) -> list[str]:
        """List the names directly below a prefix.

        Parameters
        ----------
        prefix
            A key without a slash at its end; "" is the root of the store.

        Returns
        -------
        list of str
            Every name such that ``prefix/name`` is an object or contains one, sorted by bytes;
            empty if nothing is below `prefix`.

        Raises
        ------
        ZmapError
            If the prefix could lead out of the store, or the store cannot be listed.
        """

    @abstractmethod
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

    def walk_unsorted(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys of `walk` in any order, and keep as few of them as possible."""
        return self.walk(prefix)

    @abstractmethod
    def close(self) -> None:
        """Release files and connections. Reading afterwards raises `ZmapError`."""

    def where(self, key: str) -> str:
        """Return the name of an object for messages."""
        return f"{self.url}: {display(key)}"

    def names(self, prefix: str) -> list[str]:
        """List the names directly below a prefix, including folders without any object."""
        return self.search(prefix)

    def is_folder(self, key: str) -> bool:
        """Return whether a real folder is at `key`, which may be empty."""
        return False

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:  # noqa: B027 - a default
        """Start to fetch objects that `get` will return, if the store is distant.

        An error of such a request is raised by `get`.

        Parameters
        ----------
        wanted
            Pairs of a key and the largest size in bytes that its object can have, in the order of
            the reads; each key once. The sizes limit the number of kept objects.
        """

    def place(self, key: str) -> ByteRange | None:
        """Return the place where other programs can read the bytes of an object.

        Returns
        -------
        ByteRange or None
            The absolute path or the URL of a file, and the part of it; None if no object has this
            key, or if its bytes are not stored unchanged, as in a compressed entry.
        """
        return None

    def target(self, key: str) -> ByteRange | None:
        """Return the target of a key in a store that refers to other files; None for other stores.

        Unlike `place`, it is for people: it also names targets that must not, or cannot, be read.
        """
        return None

    def source(self, key: str) -> SourceFile | None:
        """Return the state of the target file of a key; None if its bytes are in the store.

        A store that does not report the targets of keys returns None, too.
        """
        return None

    def sources(self) -> Iterator[SourceFile]:
        """Yield the known facts about each file that the store refers to; no chunk is read."""
        return iter(())

    def check_unchanged(self) -> None:  # noqa: B027 - a default
        """Raise `ZmapError` if the store notices that metadata which was read has changed."""

    def refuse_newer(self) -> None:  # noqa: B027 - a default
        """Let reading raise `ZmapError` for later changes, if the store can detect them."""


class WritableZmap(Zmap):
    """A store that can be written, one whole object at a time.

    If it `holds_files`, many threads may write into it.

    Attributes
    ----------
    documents_first
        Whether the document of an array must be put before its chunks.
    has_earlier
        Whether an earlier run of the creation left objects that `keep` may keep.
    keeps_order
        Whether the order of puts decides how objects are stored, so that one thread
        puts all of them.
    """

    documents_first: bool = False
    has_earlier: bool = False
    keeps_order: bool = False

    @abstractmethod
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

    @abstractmethod
    def delete(self, key: str) -> bool:
        """Delete an object; return False if no object has this key."""

    def commit(self, message: str) -> None:
        """Let the new objects appear, in an atomic store; `message` is for its history."""

    def copy_many(self, keys: Mapping[str, str]) -> None:
        """Copy objects of at most `LARGEST_SET` bytes to new keys, the values of `keys`."""
        for key, new in keys.items():
            self.put_from(new, self, key, LARGEST_SET)

    def delete_many(self, keys: Iterable[str]) -> None:
        """Delete objects; missing ones are ignored."""
        for key in keys:
            self.delete(key)

    def put_new(self, key: str, value: bytes) -> bool:
        """Create an object; return False if it exists.

        Only one of several processes can create it, if the storage permits that.
        """
        if self.size(key) is not None:
            return False
        self.put(key, value)
        return True

    def put_sized(self, key: str, value: bytes) -> None:
        """Create or replace an object whose size is reported to `keep`."""
        self.put(key, value)

    def put_from(
        self,
        key: str,
        source: Zmap,
        at: str,
        limit: int = LARGEST_DOCUMENT,
        check: Check | None = None,
    ) -> int | None:
        """Copy an object from another store without decoding it.

        Between directories the operating system copies, and may share the blocks on the disk.

        Parameters
        ----------
        key
            The key of the copy.
        source, at
            The store and the key of the object.
        limit
            The most bytes of an object that must be kept in memory.
        check
            Called with the object before it is copied; an exception stops the copy.

        Returns
        -------
        int or None
            The number of bytes; None, without any change, if `source` has no such object.

        Raises
        ------
        ZmapError
            If the object cannot be read or written.
        """
        data = source.get(at, limit)
        if data is None:
            return None
        if check is not None:
            check(data)
        self.put(key, data)
        return len(data)

    def put_many_from(
        self, keys: Sequence[str], source: Zmap, at: Sequence[str], accept: Accept
    ) -> Iterator[int | None]:
        """Create objects from small files, with less work for each than with `put_from`.

        The objects `at` of `source` get the keys `keys`, if `accept`, called with each, agrees.

        Yields the number of bytes of each object. None means that it was not copied, for any
        reason; `put_from` then copies it, or raises the reason.
        """
        return repeat(None, len(keys))

    def keep(self, key: str, size: int | None = None) -> bool:
        """Keep the object that an interrupted run of this creation wrote.

        Returns False if none exists, or if it is incomplete as its size is not `size`.
        """
        return False

    def location_for_others(self, location: Location) -> Location | None:
        """Return the place where other processes write the store that is created at `location`.

        None if they cannot.
        """
        return None

    def adopt(self, keys: Iterable[str]) -> None:
        """Make objects that another process wrote part of this store.

        Call it with no keys before the other process starts, so that the store is marked as
        unfinished.
        """


class DelegatingZmap(Zmap):
    """A read-only view of another store without its other capabilities; a base of wrappers."""

    def __init__(self, zmap: Zmap) -> None:
        self._zmap = zmap
        self.url = zmap.url

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        return self._zmap.get(key, limit)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        return self._zmap.get_range(key, start, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        return self._zmap.size(key)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        return self._zmap.search(prefix)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        return self._zmap.walk(prefix)

    def walk_unsorted(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk_unsorted`."""
        return self._zmap.walk_unsorted(prefix)

    def close(self) -> None:
        """Close the store."""
        self._zmap.close()


class ReferringZmap(WritableZmap):
    """A store under construction that can refer to bytes instead of holding them.

    Attributes
    ----------
    inline
        Largest size in bytes of objects that are stored rather than referred to.
    needs_lengths
        Whether the size of a whole file must be given too.
    """

    inline: int
    needs_lengths: bool = False

    @abstractmethod
    def refer(self, key: str, place: ByteRange) -> None:
        """Create or replace an object whose bytes are somewhere else."""

    @abstractmethod
    def refer_all(self, ranges: ByteRanges) -> None:
        """Create objects whose bytes are parts of one file, none of them empty."""


_watches: list[Callable[[object, str], None]] = []


def watch_stores(watch: Callable[[object, str], None] | None) -> None:
    """Call a function with each store and file that is opened from now on, and its address.

    None ends it.
    """
    _watches[:] = [] if watch is None else [watch]


def announce_store(store: _Store, address: str) -> _Store:
    """Return a store that was opened, after showing it to the function of `watch_stores`."""
    for watch in _watches:
        watch(store, address)
    return store


def report_misnamed_objects(zmap: Zmap, notify: Notify, known: int = 0) -> int:
    """Report the documents and chunks that cannot be read because their names are not keys.

    Parameters
    ----------
    known
        The number of names that were reported before: a server shows them while it is listed.

    Returns
    -------
    int
        The number of names that are reported now, or were before.
    """
    names = zmap.misnamed_objects
    if names[known:]:
        listed = list_names(list(map(repr, names[known:])))
        text = f"documents or chunks whose names are not keys: {listed}; left out"
        hint = "rename them; a key has no empty part, no '.' or '..', and slashes between its parts"
        notify(Notice("object-left-out", text, zmap.url, hint, lost=True))
    return len(names)


_request_watches: list[Callable[[str], None]] = []


def watch_requests(watch: Callable[[str], None] | None) -> None:
    """Call a function after each request from now on, with the key or prefix of the request.

    It is called in several threads. None ends it.
    """
    _request_watches[:] = [] if watch is None else [watch]


def report_answer(key: str) -> None:
    """Report that a server answered a request."""
    for watch in _request_watches:
        watch(key)
