"""Changes of an existing store: one process at a time, and each of them completely or not at all.

No store can change several objects in one step. Before the first one is changed, an object
(`JOURNAL`) records all steps, and it is deleted after the last one. Each step can be repeated. A
process that is killed leaves the journal, and `complete` finishes its work.

On a server, the same object is the lock of a change: `only_change` creates it before anything is
read. On the local disk the lock is one of the system; see `ncz.zmap.local.claims.only_writer`.

A server cannot rename. Chunks are copied to their new keys first, while the store stays unchanged.
Then the journal is written; the documents of the root are deleted, so that nothing opens as a
dataset; the other documents are changed; the documents of the new root are put; and the old chunks
are deleted. Chunks that replace others are put elsewhere first (`ncz.zmap.staged_chunks`), and
moved after the documents of the root are deleted.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from ncz.errors import NczError, ZmapError, note_on_interrupt, option
from ncz.record import record, replace
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.claim import Leftover
from ncz.zmap.key import (
    JOURNAL,
    LARGEST_SET,
    MARK,
    ROOT_DOCUMENTS,
    STAGED,
    ZARR_JSON,
    ancestors,
    display,
    join_key,
)
from ncz.zmap.whole_numbers import whole_number

CAN_LOOK = sys.platform != "win32"
"""Whether signal 0 shows that a process runs; on Windows it would end it."""

_IDENTITIES = (".zarray", ".zgroup", ZARR_JSON)
"""The documents that make a root; deleted first and put last."""

_DOCUMENTS = (".zgroup", ".zarray", ".zattrs", ZARR_JSON)
_NONE: Mapping[str, bytes] = {}
_NOWHERE: Mapping[str, str | None] = {}


@record(kw_only=True)
class NewObjects:
    """Objects that a change adds, which readers ignore until the documents name them.

    Attributes
    ----------
    keys
        Their keys; a store that is written again does not keep the old objects of these keys.
    write
        Writes them to a store.
    """

    keys: frozenset[str]
    write: Callable[[WritableZmap], None]


@record
class StagedChunks:
    """Chunks that were put below `prefix`; `missing` are keys that have no chunk any more."""

    prefix: str
    missing: tuple[str, ...]


@record(kw_only=True)
class Changes:
    """The plan of a change of a store.

    Attributes
    ----------
    documents
        The new and the changed documents by their new keys.
    places
        The new keys of groups and arrays by the old ones; None for removed ones. Their members move
        with them.
    deleted
        The keys of documents that are deleted.
    is_structural
        Whether names change, so that old and new documents must never be read together.
    new
        Chunks to write before the documents.
    late
        Returns the documents again when the chunks are written, if some depend on them.
    description
        The change, in a sentence, for stores that keep a history.
    """

    documents: Mapping[str, bytes] = _NONE
    places: Mapping[str, str | None] = _NOWHERE
    deleted: frozenset[str] = frozenset()
    is_structural: bool = False
    new: NewObjects | None = None
    late: Callable[[], Mapping[str, bytes]] | None = None
    description: str = ""

    def settle(self) -> Changes:
        """Return the changes with the documents that are known once the chunks are written."""
        return self if self.late is None else replace(self, documents=self.late(), late=None)

    def key_of(self, key: str) -> str | None:
        """Return the new key of an object, or of a group or array; None if it is removed."""
        if key in self.deleted:
            return None
        for place in (key, *ancestors(key)):
            if place in self.places:
                new = self.places[place]
                return None if new is None else join_key(new, key[len(place) :])
        return key


@record(kw_only=True)
class Journal:
    """The steps. Documents are texts by their keys.

    Attributes
    ----------
    put
        New or changed documents.
    deleted
        The keys of documents to delete.
    swept
        The prefixes of keys that are deleted at the end.
    staged
        The prefix of the keys of replacing chunks, before the final keys; empty without such
        chunks.
    """

    put: Mapping[str, str]
    deleted: tuple[str, ...] = ()
    swept: tuple[str, ...] = ()
    staged: str = ""

    def to_bytes(self) -> bytes:
        """Return the object that contains the journal."""
        members = {
            "by": mark_of("").decode(),
            "id": os.urandom(8).hex(),
            "put": dict(self.put),
            "deleted": self.deleted,
            "swept": self.swept,
            "staged": self.staged,
        }
        return json.dumps(members).encode()


_running: set[str] = set()
"""The journals of changes that this process is making."""


def refuse_interrupted(zmap: Zmap) -> bytes | None:
    """Raise `ZmapError` if a change of the store was interrupted, or is under way.

    A change whose process ended before it began to replace documents has left nothing to do. Its
    journal is returned.
    """
    data = zmap.get(JOURNAL, LARGEST_SET)
    members = _members(data)
    if members is None:
        return data
    if members.get("id") in _running:
        raise locked_store_error(zmap.url)
    if members["put"] or members["swept"]:
        raise ZmapError(
            "another change of this store was interrupted, or is under way",
            zmap.url,
            "run 'ncz clean', which completes it if it was interrupted",
        )
    refuse_running(members["by"].encode(), zmap.url, force=False)
    return data


def is_interrupted(zmap: Zmap) -> bool:
    """Return whether a change of the store began to replace documents, and did not end."""
    return journal_of(zmap) is not None


def journal_of(zmap: Zmap) -> Journal | None:
    """Return the journal of a change that began to replace documents, and did not end."""
    members = _members(zmap.get(JOURNAL, LARGEST_SET))
    if members is None or not (members["put"] or members["swept"]):
        return None
    return _journal_from(members)


def _journal_from(members: Mapping[str, Any], *more: str) -> Journal:
    """Return a journal from its members, which sweeps more prefixes."""
    return Journal(
        put=members["put"],
        deleted=tuple(members["deleted"]),
        swept=(*members["swept"], *more),
        staged=members.get("staged", ""),
    )


def forget_change(zmap: WritableZmap, data: bytes | None) -> None:
    """Delete the journal `data` that a change of a store left, because the store is replaced.

    Raises `ZmapError` if the change is under way, or may be.
    """
    members = _members(data)
    if members is not None:
        if members.get("id") in _running:
            raise locked_store_error(zmap.url)
        refuse_running(members["by"].encode(), zmap.url, force=False)
    if data is not None:
        zmap.delete(JOURNAL)


def _members(data: bytes | None) -> dict[str, Any] | None:
    """Return the members of a journal; None if its process was killed while it created it."""
    try:
        members: dict[str, Any] = json.loads(data or b"")
    except ValueError:
        return None
    return members


def locked_store_error(url: str) -> ZmapError:
    """Return the error for a store that is locked."""
    return ZmapError("another process is changing this store", url, "wait until it has finished")


@contextlib.contextmanager
def only_change(zmap: WritableZmap) -> Iterator[Callable[[], None]]:
    """Refuse other changes of a store during the block, which may write a separate journal.

    Yields
    ------
    callable
        Raises `ZmapError` if another process changes the store too. On a server that cannot create
        an object exclusively, that is found out only afterwards.

    Raises
    ------
    ZmapError
        If another process changes the store.
    """
    left = refuse_interrupted(zmap)
    if left is not None and zmap.get(JOURNAL, LARGEST_SET) == left:
        zmap.delete(JOURNAL)
    mine = Journal(put={}).to_bytes()

    def check() -> None:
        if zmap.get(JOURNAL, LARGEST_SET) != mine:
            raise locked_store_error(zmap.url)

    name = json.loads(mine)["id"]
    _running.add(name)
    try:
        zmap.put_new(JOURNAL, mine)  # False also if an answer was lost, and it was repeated
        check()
        _refuse_creation(zmap)  # after the journal, as a creation looks for it after its mark
        yield check
    finally:
        _running.discard(name)
        with contextlib.suppress(NczError):
            if zmap.get(JOURNAL, LARGEST_SET) == mine:
                zmap.delete(JOURNAL)


_LONGEST_WAIT = 5.0
"""Seconds that a change waits for a creation that began at the same moment."""
_STEP = 0.02


def _refuse_creation(zmap: Zmap) -> None:
    """Raise `ZmapError` if another process replaces the store.

    A creation that begins at the same moment either finds the journal of the change, and withdraws
    its mark, or does not, and deletes the root's documents. The change waits for one of them:
    otherwise both might be refused.
    """
    end = time.monotonic() + _LONGEST_WAIT
    while (mark := zmap.get(MARK)) is not None:
        try:
            return refuse_running(mark, zmap.url, force=False)
        except ZmapError:
            has_root = any(zmap.size(key) is not None for key in ROOT_DOCUMENTS)
            if not has_root or time.monotonic() > end:
                raise
        time.sleep(_STEP)
    return None


def commit_changes(zmap: WritableZmap, changes: Changes) -> None:
    """Change a store that is atomic.

    Raises `ZmapError` if names would change: such a store has no way to copy chunks to new keys.
    """
    moved = [place for place, new in changes.places.items() if new is not None]
    if moved:
        raise ZmapError(
            "names in this kind of store cannot be changed", zmap.where(moved[0]),
            "write a changed copy, or use the program that made it",
        )  # fmt: skip
    for place in changes.places:
        zmap.delete_many([*zmap.walk(place)])
    for key, document in changes.documents.items():  # before chunks, which must be within arrays
        zmap.put(key, document)
    if changes.new is not None:
        changes.new.write(zmap)
    for key, document in changes.settle().documents.items():
        if changes.documents.get(key) != document:
            zmap.put(key, document)
    zmap.commit(changes.description or "Change documents")


def apply_changes(zmap: WritableZmap, changes: Changes, staged: StagedChunks | None = None) -> None:
    """Change a store in place: completely or, after an error, not at all.

    Each document is replaced as a whole. If the process is killed, or an error cannot be undone,
    as on a full disk, or after chunks began to be replaced, `complete` does the rest.

    Parameters
    ----------
    zmap
        The store.
    changes
        The changes.
    staged
        The chunks that replace others.

    Raises
    ------
    ZmapError
        If the store cannot be changed, or a new name is in use.
    """
    put = {key: data.decode("utf-8", "surrogateescape") for key, data in changes.documents.items()}
    if not changes.is_structural:
        _replace(zmap, Journal(put=put), {})
        return
    for new in changes.places.values():
        if new is not None and zmap.search(new):
            raise ZmapError(
                f"objects exist below {display(new)}, so it cannot be a new name in the same edit",
                zmap.url,
                "remove or rename it in a separate edit",
            )
    new_keys = {key: changes.key_of(key) for place in changes.places for key in zmap.walk(place)}
    is_document = {old: old.rpartition("/")[2] in _DOCUMENTS for old in new_keys}
    copies = {old: new for old, new in new_keys.items() if new is not None and new != old}
    root = {key: text for key in ROOT_DOCUMENTS if (text := _text(zmap, key)) is not None}
    carried = {new: _text(zmap, old) or "" for old, new in copies.items() if is_document[old]}
    journal = Journal(
        put={**{k: t for k, t in root.items() if k not in changes.deleted}, **carried, **put},
        deleted=(
            *changes.deleted,
            *(old for old in new_keys if is_document[old]),
            *(() if staged is None else staged.missing),
        ),
        swept=(*changes.places, *(() if staged is None else (staged.prefix,))),
        staged="" if staged is None else staged.prefix,
    )
    chunks = {old: new for old, new in copies.items() if not is_document[old]}
    _replace(zmap, journal, chunks, hidden=root)
    if journal.swept:
        with _add_advice(
            f"the change was made, but old objects remain; run 'ncz clean {zmap.url}'"
        ):
            _sweep(zmap, journal.swept)


_TO_COMPLETE = "a part of the change was made: run 'ncz clean' to complete it"


def _replace(
    zmap: WritableZmap, journal: Journal, chunks: Mapping[str, str], hidden: Collection[str] = ()
) -> None:
    """Copy chunks, and delete and put the documents of a journal; undo that after an error.

    The documents `hidden` of the root are deleted first, so that nothing opens meanwhile. Chunks
    that were replaced are not brought back: the change is then left to be completed.
    """
    undone = (*(() if journal.staged else journal.deleted), *journal.put)
    before = {key: _text(zmap, key) for key in undone}
    # One document is replaced as a whole anyway.
    has_journal = bool(hidden) or len(journal.put) + len(journal.deleted) > 1
    is_begun = is_final = False
    try:
        zmap.copy_many(chunks)
        if has_journal:
            zmap.put(JOURNAL, journal.to_bytes())
        is_begun = True
        for key in sorted(hidden, key=_order, reverse=True):
            zmap.delete(key)
        is_final = bool(journal.staged)
        with _add_advice(_TO_COMPLETE) if is_final else contextlib.nullcontext():
            _change_objects(zmap, journal)
        if has_journal and not journal.swept:
            zmap.delete(JOURNAL)
    except BaseException as error:
        if is_final:
            raise
        try:
            if is_begun:
                zmap.delete_many([key for key, text in before.items() if text is None])
                for key, text in before.items():
                    if text is not None:
                        _put(zmap, key, text)
            zmap.delete(JOURNAL)  # a server may have it although it answered with an error
            zmap.delete_many(chunks.values())  # not before the journal, which needs them
        except NczError:
            if has_journal and isinstance(error, NczError):
                advice = _TO_COMPLETE
                error.hint = f"{error.hint}; {advice}" if error.hint else advice
        raise


@contextlib.contextmanager
def _add_advice(advice: str) -> Iterator[None]:
    """Add what to do to an error of the block, or to an interrupt."""
    with note_on_interrupt(advice):
        try:
            yield
        except NczError as error:
            error.hint = f"{error.hint}; {advice}" if error.hint else advice
            raise


def _text(zmap: Zmap, key: str) -> str | None:
    data = zmap.get(key, LARGEST_SET)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _put(zmap: WritableZmap, key: str, text: str) -> None:
    zmap.put(key, text.encode("utf-8", "surrogateescape"))


def _change_objects(zmap: WritableZmap, journal: Journal) -> None:
    """Move chunks, and delete and put documents; the document that marks the root comes last."""
    if journal.staged:
        start = len(journal.staged) + 1
        zmap.copy_many({key: key[start:] for key in zmap.walk(journal.staged)})
    zmap.delete_many(journal.deleted)
    for key in sorted(journal.put, key=_order):
        _put(zmap, key, journal.put[key])


def _order(key: str) -> tuple[bool, bool, int, str]:
    return key in ROOT_DOCUMENTS, key in _IDENTITIES, -key.count("/"), key


def _sweep(zmap: WritableZmap, prefixes: tuple[str, ...]) -> int:
    """Delete everything below prefixes, and the journal; return the number of objects."""
    # The journal must not replace documents that change from now on.
    zmap.put(JOURNAL, Journal(put={}, swept=prefixes).to_bytes())
    keys = [key for prefix in prefixes for key in zmap.walk(prefix)]
    zmap.delete_many(keys)
    zmap.delete(JOURNAL)
    return len(keys)


def complete(zmap: WritableZmap, *, dry_run: bool, force: bool) -> list[Leftover]:
    """Finish a change that a process left.

    Returns
    -------
    list of Leftover
        The change, with the number of objects that it writes and deletes; none if none exists.

    Raises
    ------
    ZmapError
        If the process still runs, or may run elsewhere and `force` is not set.
    """
    data = zmap.get(JOURNAL, LARGEST_SET)
    if data is None:
        return []
    members = _members(data)
    if members is None:
        if not dry_run:
            zmap.delete(JOURNAL)
        return [Leftover(zmap.url, "remove", 1, len(data))]
    refuse_running(members["by"].encode(), zmap.url, force)
    journal = _journal_from(members, STAGED)
    count = 1 + len(journal.put)
    if dry_run:
        count += sum(1 for prefix in journal.swept for _ in zmap.walk(prefix))
    else:
        _change_objects(zmap, journal)
        count += _sweep(zmap, journal.swept)
    return [Leftover(zmap.url, "complete", count, 0)]


def mark_of(fingerprint: str) -> bytes:
    """Return the content of the mark for a creation by this process."""
    import platform

    return f"{fingerprint}\n{platform.node()} {os.getpid()}\n{time.time_ns()}".encode()


def begun_at(mark: bytes) -> int:
    """Return when the creation with this mark began, in nanoseconds since 1970; 0 if unknown."""
    return whole_number(mark.rpartition(b"\n")[2]) or 0


def refuse_running(mark: bytes, url: str, force: bool) -> None:
    """Raise `ZmapError` if the process that wrote the mark runs, or may run elsewhere."""
    import platform

    process = mark.partition(b"\n")[2].partition(b"\n")[0]
    host, _, number = process.decode("utf-8", "replace").rpartition(" ")
    known = whole_number(number)
    if host == platform.node() and known is not None and CAN_LOOK:
        if _runs(known):
            raise ZmapError(
                f"process {number} is writing this store", url, "wait until it has finished"
            )
    elif not force:
        who = f"process {number} on {host}" if host else "another version of ncz"
        raise ZmapError(
            f"{who} began to write this store, and may still do so",
            url,
            f"use {option('force')} if it has ended",
        )


def _runs(number: int) -> bool:
    if number == os.getpid():
        return False  # an earlier change of this process
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
