"""Create a remote store, and remove leftovers of a stopped creation."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from ncz.errors import StoreExists, ZmapError, note_on_interrupt, option, quantity
from ncz.system_errors import already_exists
from ncz.zmap.claim import Claim, Leftover
from ncz.zmap.extent import Entry, measure
from ncz.zmap.journal import begun_at, forget_change, mark_of, refuse_running
from ncz.zmap.key import (
    JOURNAL,
    LARGEST_DOCUMENT,
    LARGEST_SET,
    MARK,
    ROOT_DOCUMENTS,
    ZARR_JSON,
    SortedKeys,
    check_inside,
    clamp,
    part,
)
from ncz.zmap.location import Location
from ncz.zmap.remote.listing import is_object
from ncz.zmap.remote.object_store import ObjectStore
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap, batches
from ncz.zmap.remote.uploads import Uploads

_IDENTITIES = (".zgroup", ".zarray", ZARR_JSON)
_LAST = (".zarray", ".zgroup", ".nczgroup", ".nczarr", ZARR_JSON)  # of the root's documents


def overwrite_refusal(url: str, reason: str, hint: str | None = None) -> StoreExists:
    hint = hint or "delete it, or use another name"
    return StoreExists(f"will not be overwritten: {reason}", url, hint)


def holds_records(zmap: WritableRemoteZmap) -> bool:
    """Return whether a reference set in the Parquet layout is at the URL of `zmap`."""
    return b'"record_size"' in (RemoteZmap.get(zmap, ".zmetadata", LARGEST_SET) or b"")


class RemoteCreation(WritableRemoteZmap):
    """A remote store under construction; `finish` completes it, `abandon` deletes it.

    With a `claim`, the creation can be resumed.
    """

    def __init__(
        self, objects: ObjectStore, root: str, url: str, claim: Claim | None = None
    ) -> None:
        super().__init__(objects, root, url)
        self._claim = claim
        self._uploads = Uploads(self._requests)
        self._old: set[str] = set()
        self._held: dict[str, bytes] = {}
        self._begun = False
        self._is_complete = False  # only the mark may still be there
        self._sent = array("q")  # hashes of all keys that were sent

    def replace_old(self, *, overwrite: bool) -> None:
        """Find the store to replace; raise `StoreExists` if it must not be replaced."""
        holds_something = self.holds_something()
        if self.file_size() is not None:
            raise StoreExists("a single object exists here", self.url, "use another name")
        if not holds_something or (
            self._claim and self._claim.resume and self._take_over(overwrite)
        ):
            return
        if not overwrite:
            raise already_exists(self.url)
        whole = self.store_above()
        if whole is not None:
            raise overwrite_refusal(self.url, f"it is part of the store {whole}")
        has_records = holds_records(self)
        extent = measure(self._list_objects(), has_records=has_records)
        if fault := extent.fault:
            raise overwrite_refusal(self.url, fault.reason, fault.hint)

    def _list_objects(self) -> Iterator[Entry]:
        """Yield all objects at the URL, and record the keys of replaced ones."""
        for entry in self._listing.everything():
            if is_object(entry[0]):
                self._old.add(entry[0])
            yield entry

    def _take_over(self, overwrite: bool) -> bool:
        """Take over the objects of an earlier run of the same claim; return False without any.

        This does not work for a run that replaced a store, whose objects cannot be distinguished.
        """
        claim = self._claim
        assert claim is not None
        mark = RemoteZmap.get(self, MARK)
        if mark is None:
            return False
        is_same = mark.partition(b"\n")[0] == claim.fingerprint.encode()
        if not claim.is_asked:
            if overwrite and not is_same:
                return False
            refuse_running(mark, self.url, False)
            if not is_same or not claim.is_unchanged(begun_at(mark)):
                raise ZmapError(
                    "an unfinished copy is here, of another source or with other options",
                    self.url,
                    f"run ncz clean, or use {option('overwrite', True)}",
                )
        if mark.partition(b"\n")[0] != claim.fingerprint.encode():
            raise ZmapError(
                "the unfinished store cannot be resumed: it has another source or other options,"
                " or replaces a store",
                self.url,
                f"start again with {option('overwrite', True)}"
                f" and without {option('resume', True)}",
            )
        self._old.update(self._listing.keys(""))
        self._begun = self.has_earlier = True
        return True

    def location_for_others(self, location: Location) -> Location:
        """Return `location`, as the store is built in place; see `WritableZmap`."""
        return location

    def keep(self, key: str, size: int | None = None) -> bool:
        """Keep the object that an earlier run wrote, which is complete; see `WritableZmap.keep`."""
        with self._lock:
            if key not in self._old:
                return False
            self._note(key)
        self._admit(key)
        return True

    def adopt(self, keys: Iterable[str]) -> None:
        """Make objects that another process wrote part of this store; see `WritableZmap`."""
        self._begin()
        for key in keys:
            self._admit(key)
            self._note(key)

    def _note(self, key: str) -> None:
        with self._lock:
            self._old.discard(key)
            self._sent.append(hash(key))

    def _begin(self) -> None:
        """Mark the store as unfinished and delete the old root's documents, before all else."""
        with self._lock:
            if self._begun:
                return
            is_claimed = self._claim is not None and not self._old
            fingerprint = self._claim.fingerprint if self._claim and is_claimed else ""
            self._send(MARK, self._place(MARK), mark_of(fingerprint))
            if self._old:
                try:  # after the mark, as a change looks for it after its journal
                    forget_change(self, RemoteZmap.get(self, JOURNAL, LARGEST_SET))
                except ZmapError:
                    self._delete_batch([MARK])
                    raise
            self._begun = True
            # Without the document that makes it a group or an array, the root is not a store.
            roots = sorted(self._old.intersection(ROOT_DOCUMENTS), key=lambda key: key not in _LAST)
            for batch in batches(roots, self._objects.most_deleted):
                self._delete_batch(batch)  # in this thread: another would wait for the lock
            self._old.difference_update(roots)

    def put(self, key: str, value: bytes) -> None:
        """Send an object in the background; an error is raised by a later call.

        A document of the root is kept until `finish`.
        """
        path = self._admit(key)
        value = bytes(value)
        if "/" not in key and (key.startswith(".") or key in ROOT_DOCUMENTS):
            with self._lock:
                self._held[key] = value
            return
        self._begin()
        self._uploads.wait_for(key)
        self._note(key)  # before it is sent, so that `abandon` deletes it
        self._uploads.start(key, len(value), lambda: self._send(key, path, value))

    def _is_ours(self, key: str) -> bool:
        return hash(key) in self._put

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object that was put; see `Zmap.get`."""
        self._requests.refuse_closed()
        if check_inside(key) in self._held:
            return self._held[key]
        self._uploads.wait_for(key)
        return super().get(key, limit) if self._is_ours(key) else None

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        held = self._held.get(check_inside(key))
        if held is not None:
            return part(held, start, count)
        self._uploads.wait_for(key)
        clamp(0, start, count)
        return super().get_range(key, start, count) if self._is_ours(key) else None

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if it was not put."""
        self._requests.refuse_closed()
        if check_inside(key) in self._held:
            return len(self._held[key])
        self._uploads.wait_for(key)
        return super().size(key) if self._is_ours(key) else None

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        return self._own(prefix).search(prefix)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        return self._own(prefix).walk(prefix)

    def _own(self, prefix: str) -> SortedKeys:
        check_inside(prefix)
        self._requests.refuse_closed()
        self._uploads.wait()
        sent = self._listing.keys(prefix) if self._begun else ()
        keys = {key for key in sent if self._is_ours(key)}
        if prefix and self._is_ours(prefix):
            keys.add(prefix)
        return SortedKeys(keys.union(self._held))

    def delete(self, key: str) -> bool:
        """Delete an object; return False if it was not put."""
        with self._lock:
            if self._held.pop(check_inside(key), None) is not None:
                self._forget(key)
                return True
        return super().delete(key)

    def finish(self) -> None:
        """Wait for all uploads, delete the rest of an old store, and put the root's documents."""
        self._begin()
        self._uploads.wait()
        self._check_complete()
        self.delete_many(key for key in sorted(self._old) if key not in self._held)
        for key in sorted(self._held, key=lambda key: (key in _LAST, key)):
            self._sent.append(hash(key))
            self._send(key, self._place(key), self._held[key])
        self._is_complete = True
        self.delete_many([MARK])

    def _check_complete(self) -> None:
        """Raise `ZmapError` if the server does not list an object that was put."""
        missing = set(self._sent) & self._put
        missing -= {hash(key) for key in self._held}
        count = len(missing)
        for key in self._listing.keys(""):
            missing.discard(hash(key))
        if missing:
            raise ZmapError(
                f"the server lacks {len(missing)} of {quantity(count, 'object')} that were sent",
                self.url,
                "make sure that nothing else changes the store, and start again",
            )

    def abandon(self, error: BaseException) -> None:
        """Delete all that was put, and the rest of an old store if it was already changed.

        If the server does not answer, everything stays unchanged: marked as unfinished. A store
        that is complete except for its mark also stays.
        """
        if self._requests.gave_up and self._claim and self._claim.keeps(error):
            self._claim.tell(error)
        if self._requests.gave_up or self._is_complete:
            return
        self._uploads.cancel()
        if not self._begun:
            return
        if self._claim and self._claim.keeps(error):
            self._claim.tell(error)
            return
        self.delete_many(self._held)  # a document of the root that was sent, first of all
        sent = set(self._sent)
        self.delete_many(
            [key for key in self._listing.keys("") if hash(key) in sent or key in self._old]
        )
        self.delete_many([MARK])


def clean_remote(zmap: WritableRemoteZmap, dry_run: bool, force: bool) -> list[Leftover]:
    """Delete the objects of an unfinished store; see `ncz.zmap.opening.clean`.

    A store that has its root is complete; only the mark is deleted.
    """
    mark = RemoteZmap.get(zmap, MARK)
    if mark is None:
        return []
    refuse_running(mark, zmap.url, force)
    is_complete = any(zmap.size(key) is not None for key in _IDENTITIES)
    keys = [] if is_complete else list(zmap.walk())
    if not dry_run:
        zmap.delete_many(keys)
        zmap.delete_many([MARK])
    return [Leftover(zmap.url, "remove", len(keys) + 1, 0)]


def remove_remote(zmap: WritableRemoteZmap, *, force: bool) -> None:
    """Delete a store: first write the mark of unfinished stores, and delete the root documents.

    With `force`, it does not matter that another computer began to write it. Raises `ZmapError` if
    another process writes or changes it.
    """
    mark = RemoteZmap.get(zmap, MARK)
    if mark is not None:
        refuse_running(mark, zmap.url, force)
    zmap.put(MARK, mark_of(""))
    try:  # after the mark, as a change looks for it after its journal
        forget_change(zmap, RemoteZmap.get(zmap, JOURNAL, LARGEST_SET))
    except ZmapError:
        if mark is None:
            zmap.delete(MARK)
        raise
    with note_on_interrupt(f"a part of {zmap.url} was removed; run the same command again"):
        zmap.delete_many(key for key in ROOT_DOCUMENTS)
        zmap.delete_everything(but=MARK)
        zmap.delete_many([MARK])
