"""A zmap over a remote object store: S3, http(s), and any file system that fsspec knows.

A request that fails for a passing reason (500, 503, a broken connection, no answer) is sent again,
after a wait that grows; when the attempts are used up the error names the key. Nothing is
cached but what `expect` named: what another process writes is seen. Requests may come from many
threads.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from ncz.errors import NczError, ZmapError
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
    part,
)
from ncz.zmap.remote.errors import is_denied, is_transient
from ncz.zmap.remote.objects import ObjectStore, Page, RetryPolicy
from ncz.zmap.remote.prefetch import ReadAhead

_T = TypeVar("_T")
_A = TypeVar("_A")

MARK = ".ncz-partial"
"""The key of the mark of a store that is being written."""

_PAGE = 1000  # objects in a page of a listing


class RemoteZmap:
    """A remote store, for reading. `root` is the path of its root, without a slash at its end."""

    _learns = True
    _waits = False
    """Whether what is under way must come to its end; what was only to be read need not."""

    def __init__(
        self, objects: ObjectStore, root: str, url: str, retry_policy: RetryPolicy | None = None
    ) -> None:
        self._objects = objects
        self._root = root
        self._url = url
        self._retry_policy = retry_policy or RetryPolicy()
        self._pool: ThreadPoolExecutor | None = None
        self._ahead: ReadAhead | None = None
        self._closed = False
        self.can_list = bool(objects.most_deleted)
        """Whether keys can be listed, as far as is known."""
        self._sizes: dict[str, int | None] = {}
        """Bytes of objects, and None for keys that are none, as listings told."""
        self._is_listed = False
        """Whether all keys were listed, so that those without a size are none."""
        self.denied_is_absent = False
        """Whether "denied" for a metadata document means that there is none."""

    @property
    def url(self) -> str:
        """Where the store is, as messages show it, without secrets."""
        return self._url

    def get(self, key: str) -> bytes | None:
        """The object's bytes, or None if there is no such object."""
        self._refuse_closed()
        expected = self._ahead and self._ahead.take(check_inside(key))
        return expected[0] if expected else self._fetched(key)

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Begin to fetch objects that will be asked for, in that order; see `DistantZmap`."""
        self._refuse_closed()
        if self._ahead is None:
            self._ahead = ReadAhead(lambda key: self._threads().submit(self._fetched, key))
        self._ahead.expect(wanted)

    def _fetched(self, key: str) -> bytes | None:
        path = self._path(check_inside(key))
        return None if path is None else self._read(key, lambda: self._objects.get(path))

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Part of an object; see `Zmap.get_range`."""
        path = self._path(check_inside(key))
        clamp(0, start, count)  # refuses a negative count
        if path is None:
            return None
        expected = self._ahead and self._ahead.take(key)
        if expected:
            return None if expected[0] is None else part(expected[0], start, count)
        if count == 0:
            return None if self.size(key) is None else b""
        value = self._read(key, lambda: self._objects.get_range(path, start, count))
        if value is not None and start < 0 and len(value) < min(count, -start):
            # Servers differ on a range that begins before the object: look how long it is.
            first, count = clamp(self.size(key) or 0, start, count)
            if len(value) != count:
                value = (self.get(key) or b"")[first : first + count]
        return value

    def size(self, key: str) -> int | None:
        """The object's size in bytes, or None if there is no such object."""
        path = self._path(check_inside(key))
        if path is None:
            return None
        if self._is_listed or key in self._sizes:
            return self._sizes.get(key)
        return self._read(key, lambda: self._objects.size(path))

    def search(self, prefix: str) -> list[str]:
        """The names directly below `prefix`; see `Zmap.search`. One request for 1,000 names."""
        folder = self._folder(check_inside(prefix))
        names = set()
        for page in self._pages(prefix, folder, deep=False):
            self._learn(page)
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
        keys = SortedKeys(self._listed(prefix, folder))
        self._is_listed |= self._learns and not prefix and bool(self._sizes)
        return keys.walk("")

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
            self._pool.shutdown(wait=self._waits, cancel_futures=True)
        with contextlib.suppress(Exception):  # the server may have gone first
            self._objects.close()

    def _where(self, key: str) -> str:
        return f"{self._url}: {display(key)}" if key else self._url

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ZmapError("the store is closed", location=self._url)

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
            self._learn(page)
            for path in page.objects:
                key = path[len(self._root) + 1 if self._root else 0 :]
                # An object whose name ends in a slash stands for a folder.
                if key and not key.endswith("/") and key != MARK:
                    yield key

    def _learn(self, page: Page) -> None:
        """Remember what a listing tells of sizes, if nobody changes them meanwhile."""
        if not self._learns or len(page.sizes) != len(page.objects):
            return
        start = len(self._root) + 1 if self._root else 0
        for path in page.folders:
            self._sizes.setdefault(path[start:].rstrip("/"), None)
        for path, size in zip(page.objects, page.sizes, strict=True):
            self._sizes[path[start:]] = size

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

    def _attempt(self, action: str, key: str, call: Callable[[], _T]) -> _T:
        """Make a request, again if it may help; `ZmapError` if not, or when that is used up."""
        wait = self._retry_policy.first_wait
        for left in reversed(range(self._retry_policy.attempts)):
            try:
                return call()
            except NczError:
                raise
            except Exception as error:
                again = is_transient(error)
                if left and again and not self._closed:
                    time.sleep(wait * random.uniform(0.5, 1))
                    wait = min(2 * wait, self._retry_policy.longest_wait)
                    continue
                storage_error = self._objects.storage_error(error, self._where(key), action)
                if again:
                    storage_error.message += f" ({self._retry_policy.attempts} attempts)"
                raise storage_error from error
        raise AssertionError("there is at least one attempt")

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._retry_policy.parallel, "ncz-remote")
        return self._pool

    def _in_order(self, call: Callable[[_A], _T], arguments: Iterable[_A]) -> Iterator[_T]:
        """`call` of each argument, many at a time, and the answers in the arguments' order."""
        rest = iter(arguments)
        ahead: deque[Future[_T]] = deque()
        try:
            for argument in islice(rest, 2 * self._retry_policy.parallel):
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

    _learns = False
    _waits = True

    def __init__(
        self, objects: ObjectStore, root: str, url: str, retry_policy: RetryPolicy | None = None
    ) -> None:
        super().__init__(objects, root, url, retry_policy)
        self._put: set[int] = set()  # hashes: a store may have millions of keys
        self._above: Counter[str] = Counter()
        self._lock = threading.RLock()

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Do nothing: what is fetched now may be changed before it is asked for."""

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
        for _ in self._in_order(self._delete_batch, batches(keys, self._objects.most_deleted)):
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
            raise ZmapError("other keys lie below this one", location=self._where(key))
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
                raise ZmapError("other keys lie below this one", location=self._where(key))
            if hash(key) not in self._put:
                blocked = next((a for a in ancestors(key) if hash(a) in self._put), None)
                if blocked is not None:
                    raise ZmapError(
                        f"{display(blocked)} is an object, so no key can lie below it",
                        location=self._where(key),
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


def batches(keys: Iterable[str], most: int) -> Iterator[list[str]]:
    rest = iter(keys)
    while batch := list(islice(rest, most)):
        yield batch
