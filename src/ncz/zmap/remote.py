"""A zmap over a remote object store: S3, http(s), and any file system that fsspec knows.

A request that fails for a passing reason (500, 503, a broken connection, no answer) is sent again,
after a wait that grows; when the attempts are used up the error names the key. Nothing is cached:
what another process writes is seen. Requests may come from many threads.

Remote stores cannot rename, so a new store is written in place, and made whole or nothing by order:

1. a mark (``.ncz-partial``) is put, and the documents of an old store's root are deleted;
2. objects are put, many at a time; the documents of the new root are held back;
3. what is left of the old store is deleted, the root's documents are put, and the mark deleted.

Before 3 nothing opens as a dataset; an error or an interrupt deletes what was put, and a killed
process leaves the mark, by which the rest is known and may be overwritten. An old store lives until
the first object of the new one is sent.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import tempfile
import threading
import time
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from ncz.errors import NczError, StoreExists, StoreMissing, ZmapError
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.claim import Claim
from ncz.zmap.key import (
    LONGEST,
    ROOT_DOCUMENTS,
    SortedKeys,
    ancestors,
    check_inside,
    check_key,
    clamp,
    display,
    order,
)
from ncz.zmap.location import Location
from ncz.zmap.objectstore import (
    FilesystemObjects,
    HttpObjects,
    ObjectStore,
    Page,
    Patience,
    S3Objects,
    is_denied,
    is_transient,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from ncz.zmap.zip import ZipZmap

_T = TypeVar("_T")
_A = TypeVar("_A")

MARK = ".ncz-partial"
"""The key of the mark of a store that is being written."""

_LARGEST_OBJECT = 5 << 30  # bytes that S3 takes in one request
_PAGE = 1000  # objects in a page of a listing
_UNDER_WAY = 64 << 20  # bytes of objects that wait to be sent
_LAST = (".zarray", ".zgroup", ".nczgroup", ".nczarr", "zarr.json")  # of the root's documents


class RemoteZmap:
    """A remote store, for reading. `root` is the path of its root, without a slash at its end."""

    def __init__(
        self, objects: ObjectStore, root: str, url: str, patience: Patience | None = None
    ) -> None:
        self._objects = objects
        self._root = root
        self._url = url
        self._patience = patience or Patience()
        self._pool: ThreadPoolExecutor | None = None
        self._closed = False
        self.can_list = bool(objects.most_deleted)
        """Whether keys can be listed, as far as is known."""
        self.denied_is_absent = False
        """Whether "denied" for a metadata document means that there is none."""

    @property
    def url(self) -> str:
        """Where the store is, as messages show it, without secrets."""
        return self._url

    def get(self, key: str) -> bytes | None:
        """The object's bytes, or None if there is no such object."""
        path = self._path(check_inside(key))
        if path is None:
            return None
        return self._read(key, lambda: self._objects.get(path))

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Part of an object; see `Zmap.get_range`."""
        path = self._path(check_inside(key))
        clamp(0, start, count)  # refuses a negative count
        if path is None:
            return None
        if count == 0:
            return None if self.size(key) is None else b""
        value = self._read(key, lambda: self._objects.get_range(path, start, count))
        if value is not None and start < 0 and len(value) < min(count, -start):
            # Servers differ on a range that begins before the object: look how long it is.
            first, count = clamp(self.size(key) or 0, start, count)
            if len(value) != count:
                value = (self.get(key) or b"")[first : first + count]
        return value

    def get_many(self, keys: Iterable[str]) -> Iterator[bytes | None]:
        """The objects of `keys`, in their order, with many requests under way at once."""
        return self._in_order(self.get, keys)

    def size(self, key: str) -> int | None:
        """The object's size in bytes, or None if there is no such object."""
        path = self._path(check_inside(key))
        return None if path is None else self._read(key, lambda: self._objects.size(path))

    def search(self, prefix: str) -> list[str]:
        """The names directly below `prefix`; see `Zmap.search`. One request for 1,000 names."""
        folder = self._folder(check_inside(prefix))
        names = set()
        for page in self._pages(prefix, folder, deep=False):
            for path in (*page.objects, *page.folders):
                name = path[len(folder) :].partition("/")[0]
                if name and not (prefix == "" and name == MARK):
                    names.add(name)
        return sorted(names, key=order)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """The keys at or below `prefix`; see `Zmap.walk`. All are listed before the first."""
        folder = self._folder(check_inside(prefix))
        if prefix and self.size(prefix) is not None:
            return iter((prefix,))
        return SortedKeys(self._listed(prefix, folder)).walk("")

    def holds_something(self) -> bool:
        """Whether there is any object; what stands for the folder itself is none."""
        folder = self._folder("")
        for page in self._pages("", folder, deep=False, most=10):
            if page.folders or any(path != folder for path in page.objects):
                return True
        return False

    def file_size(self) -> int | None:
        """The size of the object at the store's own URL, or None if there is none."""
        self._refuse_closed()
        if not self._root and self._objects.most_deleted:
            return None  # a bucket
        return self._attempt("read", "", lambda: self._objects.size(self._root))

    def file_range(self, start: int, count: int) -> bytes:
        """A part of the object at the store's own URL."""
        self._refuse_closed()
        value = self._attempt("read", "", lambda: self._objects.get_range(self._root, start, count))
        if not self._objects.serves_ranges:
            raise ZmapError(
                "this server cannot send a part of a file", self._url, "download the zip first"
            )
        return value or b""

    def close(self) -> None:
        """Give back threads and connections. Reading afterwards is an error."""
        if self._closed:
            return
        self._closed = True
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)
        with contextlib.suppress(Exception):  # the server may have gone first
            self._objects.close()

    def _where(self, key: str) -> str:
        return f"{self._url}: {display(key)}" if key else self._url

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ZmapError("the store is closed", where=self._url)

    def _path(self, key: str) -> str | None:
        """The object's path, or None if no remote object can have such a name."""
        self._refuse_closed()
        if key == "":
            return None
        try:
            key.encode()
        except UnicodeEncodeError:
            return None
        return self._place(key)

    def _place(self, key: str) -> str:
        return f"{self._root}/{key}" if self._root else key

    def _folder(self, prefix: str) -> str:
        self._refuse_closed()
        parts = [part for part in (self._root, prefix) if part]
        folder = "".join(f"{part}/" for part in parts)
        return folder.encode("utf-8", "replace").decode()

    def _listed(self, prefix: str, folder: str) -> Iterator[str]:
        for page in self._pages(prefix, folder, deep=True):
            for path in page.objects:
                key = path[len(self._root) + 1 if self._root else 0 :]
                # An object whose name ends in a slash stands for a folder.
                if key and not key.endswith("/") and key != MARK:
                    yield key

    def _pages(self, prefix: str, folder: str, *, deep: bool, most: int = _PAGE) -> Iterator[Page]:
        token = None
        while True:
            page = self._attempt(
                "list",
                prefix,
                lambda: self._objects.page(folder, deep=deep, token=token, most=most),  # noqa: B023
            )
            yield page
            token = page.token
            if token is None:
                return

    def _read(self, key: str, call: Callable[[], _T | None]) -> _T | None:
        try:
            return self._attempt("read", key, call)
        except ZmapError as error:
            cause = error.__cause__
            document = key.rpartition("/")[2] in ROOT_DOCUMENTS
            if document and self.denied_is_absent and cause is not None and is_denied(cause):
                return None
            raise

    def _attempt(self, deed: str, key: str, call: Callable[[], _T]) -> _T:
        """Make a request, again if it may help; `ZmapError` if not, or when that is used up."""
        wait = self._patience.first_wait
        for left in reversed(range(self._patience.attempts)):
            try:
                return call()
            except NczError:
                raise
            except Exception as error:
                again = is_transient(error)
                if left and again:
                    time.sleep(wait * random.uniform(0.5, 1))
                    wait = min(2 * wait, self._patience.longest_wait)
                    continue
                refusal = self._objects.refusal(error, self._where(key), deed)
                if again:
                    refusal.what += f" ({self._patience.attempts} attempts)"
                raise refusal from error
        raise AssertionError("there is at least one attempt")

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._patience.parallel, "ncz-remote")
        return self._pool

    def _in_order(self, call: Callable[[_A], _T], arguments: Iterable[_A]) -> Iterator[_T]:
        """`call` of each argument, many at a time, and the answers in the arguments' order."""
        rest = iter(arguments)
        ahead: deque[Future[_T]] = deque()
        try:
            for argument in islice(rest, 2 * self._patience.parallel):
                ahead.append(self._threads().submit(call, argument))
            while ahead:
                answer = ahead.popleft().result()
                for argument in islice(rest, 1):
                    ahead.append(self._threads().submit(call, argument))
                yield answer
        finally:
            for future in ahead:
                future.cancel()


class WritableRemoteZmap(RemoteZmap):
    """A remote store, for reading and changing in place; an object is there when `put` returns.

    S3 lets an object stand where others lie below it, but no other storage does: it is refused for
    keys that this zmap put.
    """

    def __init__(
        self, objects: ObjectStore, root: str, url: str, patience: Patience | None = None
    ) -> None:
        super().__init__(objects, root, url, patience)
        self._put: set[int] = set()  # hashes: a store may have millions of keys
        self._above: Counter[str] = Counter()
        self._lock = threading.RLock()

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object."""
        path = self._admit(key)
        self._send(key, path, bytes(value))

    def delete(self, key: str) -> bool:
        """Remove an object; False if there was none."""
        path = self._path(check_inside(key))
        if path is None or self.size(key) is None:
            return False
        self._attempt("delete", key, lambda: self._objects.delete([path]))
        self._forget(key)
        return True

    def delete_many(self, keys: Iterable[str]) -> None:
        """Remove objects, many in one request where the storage can; absent ones are no error."""
        self._refuse_closed()
        for _ in self._in_order(self._delete_batch, _batches(keys, self._objects.most_deleted)):
            pass

    def _delete_batch(self, batch: Sequence[str]) -> None:
        paths = [path for key in batch if (path := self._path(check_inside(key)))]
        self._attempt("delete", batch[0], lambda: self._objects.delete(paths))
        for key in batch:
            self._forget(key)

    def _admit(self, key: str) -> str:
        """The path for a new object, or the error that says why it cannot be one."""
        self._refuse_closed()
        if check_key(key) == "":
            raise ZmapError("other keys lie below this one", where=self._where(key))
        path = self._path(key)
        if path is None:
            raise ZmapError("names in a remote store must be UTF-8", self._where(key), "rename it")
        length = len(path.encode())
        if length > LONGEST:
            raise ZmapError(
                f"with the store's own prefix the key has {length} bytes, and S3 allows {LONGEST}",
                self._where(key),
                "use shorter names, or a shorter prefix",
            )
        with self._lock:
            if self._above[key]:
                raise ZmapError("other keys lie below this one", where=self._where(key))
            if hash(key) not in self._put:
                blocked = next((a for a in ancestors(key) if hash(a) in self._put), None)
                if blocked is not None:
                    raise ZmapError(
                        f"{display(blocked)} is an object, so no key can lie below it",
                        where=self._where(key),
                    )
                self._put.add(hash(key))
                self._above.update(ancestors(key))
        return path

    def _forget(self, key: str) -> None:
        with self._lock:
            if hash(key) in self._put:
                self._put.discard(hash(key))
                self._above.subtract(ancestors(key))

    def put_file(self, value: bytes) -> None:
        """Create or replace the object at the store's own URL."""
        self._refuse_closed()
        self._send("", self._root, value)

    def _send(self, key: str, path: str, value: bytes) -> None:
        self._attempt("write", key, lambda: self._objects.put(path, value))


def _batches(keys: Iterable[str], most: int) -> Iterator[list[str]]:
    rest = iter(keys)
    while batch := list(islice(rest, most)):
        yield batch


class RemoteCreation(WritableRemoteZmap):
    """A remote store that is being made; `finish` makes it whole, `abandon` deletes it."""

    def __init__(
        self,
        objects: ObjectStore,
        root: str,
        url: str,
        patience: Patience | None = None,
        claim: Claim | None = None,
    ) -> None:
        super().__init__(objects, root, url, patience)
        self._claim = claim
        self._old: set[str] = set()
        self._held: dict[str, bytes] = {}
        self._begun = False
        self._sent = array("q")  # hashes of all keys that were sent
        self._pending: dict[str, Future[None]] = {}
        self._bytes = 0  # of the pending objects
        self._changed = threading.Condition(self._lock)
        self._error: BaseException | None = None

    def put(self, key: str, value: bytes) -> None:
        """Take an object; it is sent while the caller goes on. An error comes out of a later call.

        A document of the root is held until `finish`.
        """
        path = self._admit(key)
        value = bytes(value)
        if "/" not in key and (key.startswith(".") or key in ROOT_DOCUMENTS):
            with self._lock:
                self._held[key] = value
            return
        self._begin()
        self._await(key)
        with self._changed:
            while self._pending and (
                self._bytes + len(value) > _UNDER_WAY
                or len(self._pending) >= 4 * self._patience.parallel
            ):
                self._changed.wait()
            self._raise_error()
            self._old.discard(key)
            self._sent.append(hash(key))
            self._bytes += len(value)
            future = self._threads().submit(self._send, key, path, value)
            self._pending[key] = future
        future.add_done_callback(lambda done: self._done(key, len(value), done))

    def _done(self, key: str, length: int, future: Future[None]) -> None:
        with self._changed:
            if self._pending.get(key) is future:
                del self._pending[key]
            self._bytes -= length
            if not future.cancelled() and self._error is None:
                self._error = future.exception()
            self._changed.notify_all()

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def replace_old(self, *, overwrite: bool) -> None:
        """Note what there is to replace; `StoreExists` if it must not be."""
        holds_something = self.holds_something()
        if self.file_size() is not None:
            raise StoreExists("is an object there already", self._url, "use another name")
        if not holds_something or (self._claim and self._claim.resume and self._take_over()):
            return
        if not overwrite:
            raise StoreExists("is there already", self._url, "use --overwrite to replace it")
        self._old.update(self._listed("", self._folder("")))
        if self._old.isdisjoint(ROOT_DOCUMENTS) and RemoteZmap.size(self, MARK) is None:
            raise StoreExists(
                "will not be overwritten: it holds other things than a store",
                self._url,
                "delete them yourself, or use another name",
            )

    def _take_over(self) -> bool:
        """Take over what an earlier run of the same claim put; False if there is none.

        What it put over an old store cannot be told from that store.
        """
        assert self._claim is not None
        mark = RemoteZmap.get(self, MARK)
        if mark is None:
            return False
        if mark != self._claim.fingerprint.encode():
            raise ZmapError(
                "what was begun here is of another source or other options, or replaces a store",
                self._url,
                "begin anew with --overwrite, without --resume",
            )
        self._old.update(self._listed("", self._folder("")))
        self._begun = True
        return True

    def keep(self, key: str) -> bool:
        """Whether an earlier run put the object, which then stays."""
        with self._lock:
            if key not in self._old:
                return False
            self._old.discard(key)
            self._sent.append(hash(key))
        self._admit(key)
        return True

    def adopt(self, keys: Iterable[str]) -> None:
        """Take objects that another process put for part of this store."""
        self._begin()
        for key in keys:
            self._admit(key)
            with self._lock:
                self._old.discard(key)
                self._sent.append(hash(key))

    def _begin(self) -> None:
        """Mark the store as unfinished, and take the old one's root away, before anything else."""
        with self._lock:
            if self._begun:
                return
            is_claimed = self._claim is not None and not self._old
            mark = self._claim.fingerprint.encode() if self._claim and is_claimed else b""
            self._send(MARK, self._place(MARK), mark)
            self._begun = True
            roots = [key for key in self._old if key in ROOT_DOCUMENTS]
            for batch in _batches(roots, self._objects.most_deleted):
                self._delete_batch(batch)  # here: another thread would wait for our lock
            self._old.difference_update(roots)

    def _await(self, key: str) -> None:
        with self._changed:
            while key in self._pending:
                self._changed.wait()
            self._raise_error()

    def _await_all(self) -> None:
        with self._changed:
            while self._pending:
                self._changed.wait()
            self._raise_error()

    def _is_ours(self, key: str) -> bool:
        return hash(key) in self._put

    def get(self, key: str) -> bytes | None:
        """The object's bytes, or None if it was not put."""
        self._refuse_closed()
        if check_inside(key) in self._held:
            return self._held[key]
        self._await(key)
        return super().get(key) if self._is_ours(key) else None

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Part of an object; see `Zmap.get_range`."""
        held = self._held.get(check_inside(key))
        if held is not None:
            first, count = clamp(len(held), start, count)
            return held[first : first + count]
        self._await(key)
        clamp(0, start, count)
        return super().get_range(key, start, count) if self._is_ours(key) else None

    def size(self, key: str) -> int | None:
        """The object's size in bytes, or None if it was not put."""
        self._refuse_closed()
        if check_inside(key) in self._held:
            return len(self._held[key])
        self._await(key)
        return super().size(key) if self._is_ours(key) else None

    def search(self, prefix: str) -> list[str]:
        """The names directly below `prefix`; see `Zmap.search`."""
        return self._own(prefix).search(prefix)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """The keys at or below `prefix`; see `Zmap.walk`."""
        return self._own(prefix).walk(prefix)

    def _own(self, prefix: str) -> SortedKeys:
        folder = self._folder(check_inside(prefix))
        self._await_all()
        sent = self._listed(prefix, folder) if self._begun else ()
        keys = {key for key in sent if self._is_ours(key)}
        if prefix and self._is_ours(prefix):
            keys.add(prefix)
        return SortedKeys(keys.union(self._held))

    def delete(self, key: str) -> bool:
        """Remove an object; False if it was not put."""
        with self._lock:
            if self._held.pop(check_inside(key), None) is not None:
                self._forget(key)
                return True
        return super().delete(key)

    def finish(self) -> None:
        """Wait for all objects, delete what is left of an old store, put the root's documents."""
        self._begin()
        self._await_all()
        self.delete_many(key for key in sorted(self._old) if key not in self._held)
        for key in sorted(self._held, key=lambda key: (key in _LAST, key)):
            self._sent.append(hash(key))
            self._send(key, self._place(key), self._held[key])
        self.delete_many([MARK])

    def abandon(self) -> None:
        """Delete all that was put, and what was left of an old store once it was touched."""
        with self._changed:
            for future in list(self._pending.values()):
                future.cancel()
            while self._pending:
                self._changed.wait()
        if not self._begun or (self._claim and self._claim.resume):
            return
        # A root's document that was sent goes first.
        self.delete_many(self._held)
        sent = set(self._sent)
        folder = self._folder("")
        self.delete_many(
            [key for key in self._listed("", folder) if hash(key) in sent or key in self._old]
        )
        self.delete_many([MARK])


# --- opening and creating -------------------------------------------------------------------------


def _connect(location: Location, patience: Patience) -> tuple[ObjectStore, str, str]:
    """The object store of a location, the path of the store's root there, and the URL to show."""
    shown = location.display.partition("#")[0].partition("?")[0]  # secrets may follow
    protocol, _, rest = location.path.partition("://")
    if {"s3", "gs3"} & location.modes:
        from ncz.zmap.credentials import find_settings

        settings = find_settings(location)
        return S3Objects(settings, patience), settings.prefix, shown
    if protocol in ("http", "https"):
        return HttpObjects(location.path, patience), "", shown
    options = {
        key.removeprefix("fsspec."): {"true": True, "false": False}.get(value.lower(), value)
        for key, value in location.options.items()
        if key.startswith("fsspec.")
    }
    url = f"{protocol.removeprefix('fsspec+')}://{rest}"
    files = FilesystemObjects(url, options, patience)
    return files, files.root, shown


def open_remote(location: Location, *, patience: Patience | None = None) -> Zmap:
    """Open the store at a remote location; one zip file is read where it is.

    Raises `StoreMissing` if nothing is there, `UrlError`, or `ZmapError` if the server refuses or a
    package that the protocol needs is not installed.
    """
    patience = patience or Patience()
    zmap = RemoteZmap(*_connect(location, patience), patience)
    try:
        return _open_zip(zmap) if _is_zip(zmap, location) else zmap
    except BaseException:
        zmap.close()
        raise


def open_remote_to_write(location: Location, *, patience: Patience | None = None) -> WritableZmap:
    """Open the store at a remote location for changing it in place; errors as of `open_remote`."""
    patience = patience or Patience()
    objects, root, url = _connect(location, patience)
    zmap = WritableRemoteZmap(objects, root, url, patience)
    try:
        if not objects.most_deleted:
            raise _read_only(url)
        if _is_zip(zmap, location):
            raise ZmapError("a zip cannot be changed in place", url, "write a new one from it")
    except BaseException:
        zmap.close()
        raise
    return zmap


def _is_zip(zmap: RemoteZmap, location: Location) -> bool:
    """Whether one file is at the location, rather than a store; `StoreMissing` if neither is."""
    path = location.path.partition("?")[0].lower()
    if "zip" in location.modes or path.endswith(".zip"):
        return True
    if not zmap.can_list:
        _find_root(zmap, _missing(zmap.url))
        return False
    try:
        if zmap.holds_something():
            return False
    except ZmapError as error:
        if error.__cause__ is None or not is_denied(error.__cause__):
            raise
        _find_root(zmap, error)  # what may be read may often not be listed
        return False
    if zmap.file_size() is None:
        raise _missing(zmap.url)
    return True


def _read_only(url: str) -> ZmapError:
    return ZmapError("a web server can only be read", url, "for S3 add #mode=s3")


def _missing(url: str) -> StoreMissing:
    return StoreMissing("there is no such store", where=url, do="check the URL")


def _find_root(zmap: RemoteZmap, otherwise: ZmapError) -> None:
    """Find a document of the root where nothing can be listed; raise `otherwise` if none is there.

    S3 says "denied" of an absent object to those who may not list, so that is no answer here.
    """
    denied: ZmapError | None = None
    for key in ROOT_DOCUMENTS:
        try:
            if zmap.size(key) is not None:
                zmap.can_list = False
                zmap.denied_is_absent = True
                return
        except ZmapError as error:
            if error.__cause__ is None or not is_denied(error.__cause__):
                raise
            denied = error
    raise denied if denied and isinstance(otherwise, StoreMissing) else otherwise


class RemoteFile(io.RawIOBase):
    """The one object at a store's own URL, as a file to seek in and read."""

    def __init__(self, zmap: RemoteZmap, size: int) -> None:
        super().__init__()
        self._zmap = zmap
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place; see `io.IOBase.seek`."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if self._at < 0:
            raise ValueError("a place before the file's beginning")
        return self._at

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read with one request; see `io.RawIOBase.readinto`."""
        view = memoryview(buffer).cast("B")
        count = min(len(view), max(0, self._size - self._at))
        value = self._zmap.file_range(self._at, count) if count else b""
        view[: len(value)] = value
        self._at += len(value)
        return len(value)

    def close(self) -> None:
        """Give back the connections."""
        if not self.closed:
            self._zmap.close()
        super().close()


_ZIP_BUFFER = 1 << 18  # bytes of a request within a zip


def _open_zip(zmap: RemoteZmap) -> ZipZmap:
    from ncz.zmap.zip import ZipZmap

    size = zmap.file_size()
    if size is None:
        raise _missing(zmap.url)
    if zmap.file_range(0, min(4, size))[:2] != b"PK":
        raise ZmapError("this is one object, and no zip file", zmap.url, "give the store's URL")
    file = io.BufferedReader(RemoteFile(zmap, size), _ZIP_BUFFER)
    return ZipZmap(zmap.url, file=file)


@contextlib.contextmanager
def create_remote(
    location: Location,
    *,
    overwrite: bool = False,
    claim: Claim | None = None,
    patience: Patience | None = None,
) -> Iterator[WritableZmap]:
    """Give a zmap to write a new store into; it is at `location` when the block ends well.

    Raises `StoreExists` if something is there and `overwrite` is not set, or if what is there does
    not look like a store.
    """
    patience = patience or Patience()
    objects, root, url = _connect(location, patience)
    if not objects.most_deleted:
        objects.close()
        raise _read_only(url)
    if "zip" in location.modes or location.path.partition("?")[0].lower().endswith(".zip"):
        remote = WritableRemoteZmap(objects, root, url, patience)
        with contextlib.closing(remote), _zip_to_send(remote, location, overwrite) as writer:
            yield writer
        return
    zmap = RemoteCreation(objects, root, url, patience, claim)
    try:
        zmap.replace_old(overwrite=overwrite)
        try:
            yield zmap
            zmap.finish()
        except BaseException:
            with contextlib.suppress(ZmapError):  # the error that is under way is the one to tell
                zmap.abandon()
            raise
    finally:
        zmap.close()


@contextlib.contextmanager
def _zip_to_send(
    remote: WritableRemoteZmap, location: Location, overwrite: bool
) -> Iterator[WritableZmap]:
    """Give a zip in a temporary folder; it is sent whole, as one object, when the block ends well.

    Raises `ZmapError` if it has more than one request can send.
    """
    from ncz.zmap.zip import ZipWriter, layout_prefix

    size = remote.file_size()
    if size is not None and not overwrite:
        raise StoreExists("is there already", remote.url, "use --overwrite to replace it")
    if size is not None and size > 0 and remote.file_range(0, 2) != b"PK":
        raise StoreExists(
            "will not be overwritten: it is an object of another kind, not a zip",
            remote.url,
            "delete it yourself, or use another name",
        )
    if size is None and remote.holds_something():
        raise StoreExists("a store that is no zip is there", remote.url, "use another name")
    with tempfile.TemporaryDirectory(prefix="ncz-zip-") as folder:
        path = os.path.join(folder, "store.zip")
        writer = ZipWriter(path, remote.url, prefix=layout_prefix(location))
        try:
            yield writer
            writer.close()
        except BaseException:
            writer.discard()
            raise
        if os.path.getsize(path) > _LARGEST_OBJECT:
            raise ZmapError(
                f"a zip of {os.path.getsize(path)} bytes is more than one request can send",
                remote.url,
                "write it here and upload it with the store's own tools, or leave .zip out",
            )
        with open(path, "rb") as file:
            remote.put_file(file.read())
