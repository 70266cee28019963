"""A remote object store as a zmap: S3, HTTP, and every file system of fsspec.

Only objects that `expect` announced are cached, so that changes by other processes are seen. All
methods may be called from many threads.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from ncz.errors import ZmapError
from ncz.system_errors import changed_object_error
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import (
    LARGEST_DOCUMENT,
    LARGEST_SET,
    LONGEST,
    ROOT_DOCUMENTS,
    ZARR_JSON,
    ancestors,
    check_inside,
    check_key,
    clamp,
    order,
    part,
    refuse_object_above,
    too_large,
)
from ncz.zmap.remote.listing import StoreListing
from ncz.zmap.remote.object_store import ObjectStore
from ncz.zmap.remote.prefetch import HELD, Prefetch
from ncz.zmap.remote.request_errors import is_denied
from ncz.zmap.remote.requests import Requests
from ncz.zmap.remote.versions import ObjectChangedError, Version, seconds_of

_T = TypeVar("_T")


class RemoteZmap(Zmap):
    """A remote store that can be read.

    Parameters
    ----------
    objects
        The server; the zmap closes it.
    root
        The path of the store's root on the server, without a slash at its end.
    url
        The store's name in messages.
    """

    is_distant = True
    _is_writable = False

    def __init__(self, objects: ObjectStore, root: str, url: str) -> None:
        self._objects = objects
        self._root = root
        self.url = url
        self._requests = Requests(objects, url)
        self._listing = StoreListing(objects, root, self._requests, remembers=not self._is_writable)
        self._ahead: Prefetch | None = None
        self.can_list = objects.can_list
        self.denied_is_absent = False
        """Whether "access denied" for a metadata document means that it does not exist."""

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        self._requests.refuse_closed()
        expected = self._ahead and self._ahead.take(check_inside(key))
        value = expected[0] if expected else self._fetch(key, limit)
        if value is not None and len(value) > limit:
            raise too_large(self._requests.where(key), limit)
        return value

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Start to fetch objects that will be read; see `Zmap.expect`."""
        self._requests.refuse_closed()
        if self._ahead is None:
            self._ahead = Prefetch(
                lambda key, limit: self._requests.submit(self._fetch, key, limit),
                self._requests.retry_policy.ahead or HELD,
            )
        self._ahead.expect(wanted)

    def _fetch(self, key: str, limit: int) -> bytes | None:
        """Request an object, and read one byte more than `limit` at most."""
        path = self._path(check_inside(key))
        if path is None or self._listing.is_below_document(key):
            return None
        return self._read(key, lambda: self._objects.get(path, limit))

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        path = self._path(check_inside(key))
        clamp(0, start, count)  # rejects a negative count
        if path is None:
            return None
        expected = self._ahead and self._ahead.take(key)
        if expected:
            return None if expected[0] is None else part(expected[0], start, count)
        if count == 0:
            return None if self.size(key) is None else b""
        value = self._read(key, lambda: self._objects.get_range(path, start, count))
        if value is not None and start < 0 and len(value) < min(count, -start):
            # Servers differ for a range that starts before the object, so its size decides.
            first, count = clamp(self.size(key) or 0, start, count)
            if len(value) != count:
                value = (self._fetch(key, LARGEST_DOCUMENT) or b"")[first : first + count]
        return value

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        path = self._path(check_inside(key))
        if path is None:
            return None
        known = self._listing.known_size(key)
        return known[0] if known else self._read(key, lambda: self._objects.size(path))

    def version(self, key: str) -> Version | None:
        """Return the present state of an object on the server; None if it does not exist."""
        path = self._path(check_inside(key))
        return None if path is None else self._read(key, lambda: self._objects.version(path))

    def place(self, key: str) -> ByteRange | None:
        """Return the URL of an object; see `Zmap.place`."""
        size = self.size(key)
        return None if size is None else ByteRange(self.address(key), 0, size)

    def address(self, key: str) -> str:
        """Return the URL of an object for other programs."""
        return self._objects.address(self._path(check_inside(key)) or "")

    @property
    def file_address(self) -> str:
        """The URL of the object at the store's own URL, for other programs."""
        return self._objects.address(self._root)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        return sorted(self._listing.names(check_inside(prefix)), key=order)

    @property
    def misnamed_objects(self) -> tuple[str, ...]:
        """Documents and chunks whose names are not keys, as far as listings showed some."""
        return tuple(self._listing.misnamed)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`, while they arrive; see `Zmap.walk`."""
        self._requests.refuse_closed()
        if check_inside(prefix) and self.size(prefix) is not None:
            return iter((prefix,))
        return self._listing.walk(prefix)

    @property
    def is_bucket(self) -> bool:
        """Whether the store is a whole bucket, and not the content of an object."""
        return not self._root and self._objects.can_list

    def holds_something(self) -> bool:
        """Return whether the store has any object."""
        return self._listing.holds_something()

    def file_size(self) -> int | None:
        """Return the size in bytes of the object at the store's own URL; None if none exists."""
        version = self.file_version()
        return None if version is None else version.size

    def file_version(self) -> Version | None:
        """Return the current version of the object at the store's own URL; see `Version`.

        None if none exists. Raises `ZmapError` if it has changed since it was read.
        """
        self._requests.refuse_closed()
        if self.is_bucket:
            return None
        version = self._requests.attempt("read", "", lambda: self._objects.version(self._root))
        if version is not None:
            self.require_version(version)
        return version

    def require_version(self, version: Version) -> None:
        """Let the object at the store's own URL have a version whenever it is read."""
        try:
            self._objects.versions.require(self._root, version)
        except ObjectChangedError as error:
            raise changed_object_error(self.url) from error

    @property
    def version_read(self) -> Version | None:
        """The version of the object at the store's own URL that was read, if it is known."""
        return self._objects.versions.of_part(self._root)

    def file_start(self, count: int) -> tuple[bytes, int] | None:
        """Read the first bytes of the object at the store's own URL, and its size.

        One request returns both, if the server states the size. None if no object exists.
        """
        start = b"" if self.is_bucket else self._file_part(0, count)
        size = self._objects.versions.size_of(self._root) if start else None
        if size is None:
            size = self.file_size()
        if size is None:
            return None
        self.require_ranges()
        return start, size

    def whole_file(self, limit: int) -> bytes | None:
        """Read the object at the store's own URL; None if none exists.

        Raises `ZmapError` if it has more than `limit` bytes.
        """
        if self.file_size() is None:
            return None
        value = self._requests.attempt("read", "", lambda: self._objects.get(self._root, limit))
        if value is not None and len(value) > limit:
            raise too_large(self.url, limit)
        return value

    def file_range(self, start: int, count: int) -> bytes:
        """Read a part of the object at the store's own URL."""
        value = self._file_part(start, count)
        self.require_ranges()
        return value

    def require_ranges(self) -> None:
        """Raise `ZmapError` if the server is known to send whole objects only."""
        if not self._objects.serves_ranges:
            raise ZmapError(
                "this server does not support range requests", self.url, "download the file first"
            )

    def first_bytes(self, count: int) -> bytes:
        """Read the first bytes of the object at the store's own URL, with or without ranges."""
        return self._file_part(0, count)

    def _file_part(self, start: int, count: int) -> bytes:
        self._requests.refuse_closed()
        value = self._requests.attempt(
            "read", "", lambda: self._objects.get_range(self._root, start, count)
        )
        return value or b""

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if a document that was read has changed."""
        start = f"{self._root}/" if self._root else ""

        def check(document: tuple[str, Version]) -> None:
            path, before = document
            key = path.removeprefix(start)
            now = self._requests.attempt("read", key, lambda: self._objects.version(path))
            if now is None or now.differs(before):
                raise changed_object_error(self._requests.where(key))

        for _ in self._requests.in_order(check, self._objects.versions.documents().items()):
            pass

    def close(self) -> None:
        """Release threads and connections. Reading afterwards raises `ZmapError`."""
        if self._requests.close(wait=self._is_writable):  # a read need not be completed
            with contextlib.suppress(Exception):  # the server may no longer exist
                self._objects.close()

    def _path(self, key: str) -> str | None:
        """Return the object's path, or None if no remote object can have such a name."""
        self._requests.refuse_closed()
        if key == "":
            return None
        try:
            key.encode()
        except UnicodeEncodeError:
            return None
        return self._place(key)

    def _place(self, key: str) -> str:
        return f"{self._root}/{key}" if self._root else key

    def _read(self, key: str, call: Callable[[], _T | None]) -> _T | None:
        try:
            return self._requests.attempt("read", key, call)
        except ZmapError as error:
            cause = error.__cause__
            document = key.rpartition("/")[2] in ROOT_DOCUMENTS
            if document and self.denied_is_absent and cause is not None and is_denied(cause):
                return None
            raise


class WritableRemoteZmap(RemoteZmap, WritableZmap):
    """A remote store that can be changed in place; `put` returns when the object is stored.

    S3 allows an object whose name is a prefix of other objects, but other storage does not, so
    this is rejected among the keys that this zmap puts.
    """

    _is_writable = True

    def __init__(self, objects: ObjectStore, root: str, url: str) -> None:
        super().__init__(objects, root, url)
        self._put: set[int] = set()  # hashes, because a store may have millions of keys
        self._above: Counter[str] = Counter()
        self._lock = threading.RLock()

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Do nothing: an object that is fetched now may change before it is read."""

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object; see `WritableZmap.put`."""
        path = self._admit(key)
        self._send(key, path, bytes(value))

    def put_new(self, key: str, value: bytes) -> bool:
        """Create an object; see `WritableZmap.put_new`. Some servers replace one that exists."""
        path = self._admit(key)
        is_new = self._requests.attempt("write", key, lambda: self._objects.put_new(path, value))
        if not is_new:
            self._forget(key)
        return is_new

    def delete(self, key: str) -> bool:
        """Delete an object; return False if no object has this key."""
        path = self._path(check_inside(key))
        if path is None or self.size(key) is None:
            return False
        self._requests.attempt("delete", key, lambda: self._objects.delete([path]))
        self._forget(key)
        return True

    def delete_many(self, keys: Iterable[str]) -> None:
        """Delete objects, many with one request if the storage can; missing ones are ignored."""
        self._requests.refuse_closed()
        all_batches = batches(keys, self._objects.most_deleted)
        for _ in self._requests.in_order(self._delete_batch, all_batches):
            pass

    def copy_many(self, keys: Mapping[str, str]) -> None:
        """Copy objects to new keys, many at a time."""

        def copy(key: str) -> None:
            self.put_from(keys[key], self, key, LARGEST_SET)

        for _ in self._requests.in_order(copy, keys):
            pass

    def _delete_batch(self, batch: Sequence[str]) -> None:
        paths = [path for key in batch if (path := self._path(check_inside(key)))]
        self._requests.attempt("delete", batch[0], lambda: self._objects.delete(paths))
        for key in batch:
            self._forget(key)

    def _admit(self, key: str) -> str:
        """Return the path of a new object; raise if there cannot be an object with this key."""
        self._requests.refuse_closed()
        where = self.where(key)
        if check_key(key) == "":
            raise ZmapError("other keys are below this key", location=where)
        path = self._path(key)
        if path is None:
            raise ZmapError("names in a remote store must be UTF-8", where, "rename it")
        length = len(path.encode())
        if length > LONGEST:
            raise ZmapError(
                f"with the store's own prefix the key has {length} bytes, and S3 allows {LONGEST}",
                where,
                "use shorter names, or a shorter prefix",
            )
        with self._lock:
            if self._above[key]:
                raise ZmapError("other keys are below this key", location=where)
            if hash(key) not in self._put:
                refuse_object_above(key, lambda above: hash(above) in self._put, where)
                self._put.add(hash(key))
                self._above.update(ancestors(key))
        return path

    def _forget(self, key: str) -> None:
        with self._lock:
            if hash(key) in self._put:
                self._put.discard(hash(key))
                self._above.subtract(ancestors(key))

    def delete_everything(self, but: str) -> None:
        """Delete all objects below the store's URL, with any names, except one key."""
        self._requests.refuse_closed()
        paths = (self._place(key) for key, _, _ in self._listing.everything() if key != but)

        def delete(batch: Sequence[str]) -> None:
            self._requests.attempt("delete", "", lambda: self._objects.delete(batch))

        for _ in self._requests.in_order(delete, batches(paths, self._objects.most_deleted)):
            pass

    def everything(self) -> Iterator[tuple[str, int, float | None]]:
        """Yield each object with its key, size and time; see `Listing.everything`."""
        return self._listing.everything()

    def level(self, prefix: str) -> tuple[set[str], set[str]]:
        """Return the names of objects and folders below a prefix; see `Listing.level`."""
        return self._listing.level(prefix)

    def modification_time(self) -> float | None:
        """Return the time of the last change of the object at the store's own URL, since 1970."""
        version = self._requests.attempt("read", "", lambda: self._objects.version(self._root))
        return None if version is None else seconds_of(version.modified)

    def store_above(self) -> str | None:
        """Return the URL of the store that has this group or array; None if none exists.

        Objects without permission to read do not count.
        """
        for above in ancestors(self._root):
            for name in (".zgroup", ".zarray", ZARR_JSON):
                path = f"{above}/{name}"
                if path.count("/") and self._exists(path):
                    return self._objects.address(above)
        return None

    def _exists(self, path: str) -> bool:
        try:
            version = self._requests.attempt("read", path, lambda: self._objects.version(path))
        except ZmapError as error:
            if error.__cause__ is not None and is_denied(error.__cause__):
                return False
            raise
        return version is not None

    def put_file(self, value: bytes) -> None:
        """Create or replace the object at the store's own URL."""
        self._requests.refuse_closed()
        self._send("", self._root, value)

    def delete_file(self) -> None:
        """Delete the object at the store's own URL."""
        self._requests.refuse_closed()
        self._requests.attempt("delete", "", lambda: self._objects.delete([self._root]))

    def _send(self, key: str, path: str, value: bytes) -> None:
        self._requests.attempt("write", key, lambda: self._objects.put(path, value))


def batches(keys: Iterable[str], most: int) -> Iterator[list[str]]:
    """Split keys into lists of at most `most`."""
    rest = iter(keys)
    while batch := list(islice(rest, most)):
        yield batch
