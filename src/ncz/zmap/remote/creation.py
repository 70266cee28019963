"""A remote store that is being made.

Remote stores cannot rename, so a new store is written in place, and made whole or nothing by order:

1. a mark (``.ncz-partial``) is put, and the documents of an old store's root are deleted;
2. objects are put, many at a time; the documents of the new root are held back;
3. what is left of the old store is deleted, the root's documents are put, and the mark deleted.

Before 3 nothing opens as a dataset; an error or an interrupt deletes what was put, and a killed
process leaves the mark, by which the rest is known and may be overwritten. An old store lives until
the first object of the new one is sent.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Iterator
from concurrent.futures import Future

from ncz.errors import StoreExists, ZmapError
from ncz.zmap.claim import Claim
from ncz.zmap.key import (
    ROOT_DOCUMENTS,
    SortedKeys,
    check_inside,
    clamp,
    part,
)
from ncz.zmap.remote.objects import ObjectStore, RetryPolicy
from ncz.zmap.remote.store import MARK, RemoteZmap, WritableRemoteZmap, batches

_UNDER_WAY = 64 << 20  # bytes of objects that wait to be sent
_LAST = (".zarray", ".zgroup", ".nczgroup", ".nczarr", "zarr.json")  # of the root's documents


class RemoteCreation(WritableRemoteZmap):
    """A remote store that is being made; `finish` makes it whole, `abandon` deletes it."""

    def __init__(
        self,
        objects: ObjectStore,
        root: str,
        url: str,
        retry_policy: RetryPolicy | None = None,
        claim: Claim | None = None,
    ) -> None:
        super().__init__(objects, root, url, retry_policy)
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
                or len(self._pending) >= 4 * self._retry_policy.parallel
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
            for batch in batches(roots, self._objects.most_deleted):
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
            return part(held, start, count)
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
