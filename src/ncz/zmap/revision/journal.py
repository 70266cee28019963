"""The journal of a change of several objects in a store.

No store can change several objects at once. Before the first one is changed, an object (`JOURNAL`)
records all that is to be done, and it is deleted after the last one. Each step can be repeated. A
process that is killed leaves the journal, and `complete` finishes its work.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ncz.errors import NczError, ZmapError
from ncz.record import record
from ncz.zmap import BatchDeletingZmap, WritableZmap, Zmap
from ncz.zmap.claim import ExclusiveZmap, Leftover
from ncz.zmap.key import JOURNAL, ROOT_DOCUMENTS, ZARR_JSON
from ncz.zmap.limits import LARGEST_SET
from ncz.zmap.processes import mark_of, refuse_running

_LAST = (".zarray", ".zgroup", ZARR_JSON)
"""The documents that make a root; deleted first and put last."""


@record(kw_only=True)
class Journal:
    """What is to be done. Documents are texts by their keys.

    Attributes
    ----------
    put
        New or changed documents.
    deleted
        The keys of documents to delete.
    swept
        The prefixes below which everything is deleted at the end.
    """

    put: Mapping[str, str]
    deleted: tuple[str, ...] = ()
    swept: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Return the object in which the journal is stored."""
        members = {
            "by": mark_of("").decode(),
            "id": os.urandom(8).hex(),
            "put": dict(self.put),
            "deleted": self.deleted,
            "swept": self.swept,
        }
        return json.dumps(members).encode()


_running: set[str] = set()
"""The journals of changes that this process is making."""


def refuse_interrupted(zmap: Zmap) -> None:
    """Raise `ZmapError` if a change of the store was interrupted, or is under way.

    A change whose process ended before it began to replace documents has left nothing to do.
    """
    data = zmap.get(JOURNAL, LARGEST_SET)
    members = None if data is None else _parse(data)
    if members is None:
        return
    if members.get("id") in _running:
        raise _changing(zmap)
    if members["put"] or members["swept"]:
        raise ZmapError(
            "another change of this store was interrupted, or is under way",
            zmap.url,
            "run 'ncz clean', which completes it if it was interrupted",
        )
    refuse_running(members["by"].encode(), zmap.url, force=False)


def _parse(data: bytes) -> dict[str, Any] | None:
    """Return the members of a journal; None if its process was killed while it created it."""
    try:
        members: dict[str, Any] = json.loads(data)
    except ValueError:
        return None
    return members


def _changing(zmap: Zmap) -> ZmapError:
    return ZmapError(
        "another process is changing this store", zmap.url, "wait until it has finished"
    )


@contextlib.contextmanager
def only_change(zmap: WritableZmap) -> Iterator[Callable[[], None]]:
    """Refuse other changes of a store during the block, which may put a journal of its own.

    Yields
    ------
    callable
        Raises `ZmapError` if another process changes the store too. On a server, which cannot
        create an object exclusively, that is found out only afterwards.

    Raises
    ------
    ZmapError
        If another process changes the store.
    """
    refuse_interrupted(zmap)
    zmap.delete(JOURNAL)
    mine = Journal(put={}).to_bytes()
    if not isinstance(zmap, ExclusiveZmap):
        zmap.put(JOURNAL, mine)
    elif not zmap.put_new(JOURNAL, mine):
        raise _changing(zmap)

    def check() -> None:
        if zmap.get(JOURNAL, LARGEST_SET) != mine:
            raise _changing(zmap)

    name = json.loads(mine)["id"]
    _running.add(name)
    try:
        check()
        yield check
    finally:
        _running.discard(name)
        with contextlib.suppress(NczError):
            if zmap.get(JOURNAL, LARGEST_SET) == mine:
                zmap.delete(JOURNAL)


def read_text(zmap: Zmap, key: str) -> str | None:
    """Return a document as text; None if there is none."""
    data = zmap.get(key, LARGEST_SET)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def put_text(zmap: WritableZmap, key: str, text: str) -> None:
    """Put a document."""
    zmap.put(key, text.encode("utf-8", "surrogateescape"))


def delete_all(zmap: WritableZmap, keys: Iterable[str]) -> None:
    """Delete objects; missing ones are ignored."""
    if isinstance(zmap, BatchDeletingZmap):
        zmap.delete_many(keys)
    else:
        for key in keys:
            zmap.delete(key)


def change_documents(zmap: WritableZmap, journal: Journal) -> None:
    """Delete and put the documents: those of the root last, and that which makes it a root."""
    delete_all(zmap, journal.deleted)
    for key in sorted(journal.put, key=_order):
        put_text(zmap, key, journal.put[key])


def _order(key: str) -> tuple[bool, bool, int, str]:
    return key in ROOT_DOCUMENTS, key in _LAST, -key.count("/"), key


def hide_root(zmap: WritableZmap, keys: Iterable[str]) -> None:
    """Delete the documents of the root, that which makes it a root first."""
    for key in sorted(keys, key=_order, reverse=True):
        zmap.delete(key)


def sweep(zmap: WritableZmap, prefixes: tuple[str, ...]) -> int:
    """Delete everything below prefixes, and the journal; return the number of objects."""
    # Documents that change from now on must not be replaced by those of the journal.
    zmap.put(JOURNAL, Journal(put={}, swept=prefixes).to_bytes())
    keys = [key for prefix in prefixes for key in zmap.walk(prefix)]
    delete_all(zmap, keys)
    zmap.delete(JOURNAL)
    return len(keys)


def complete(zmap: WritableZmap, *, dry_run: bool, force: bool) -> list[Leftover]:
    """Finish a change that a process left.

    Returns
    -------
    list of Leftover
        The change, with the number of objects that it writes and deletes; none if there is none.

    Raises
    ------
    ZmapError
        If the process still runs, or may run elsewhere and `force` is not set.
    """
    data = zmap.get(JOURNAL, LARGEST_SET)
    if data is None:
        return []
    members = _parse(data)
    if members is None:
        if not dry_run:
            zmap.delete(JOURNAL)
        return [Leftover(zmap.url, "remove", 1, len(data))]
    refuse_running(members["by"].encode(), zmap.url, force)
    journal = Journal(
        put=members["put"], deleted=tuple(members["deleted"]), swept=tuple(members["swept"])
    )
    count = 1 + len(journal.put)
    if dry_run:
        count += sum(1 for prefix in journal.swept for _ in zmap.walk(prefix))
    else:
        change_documents(zmap, journal)
        count += sweep(zmap, journal.swept)
    return [Leftover(zmap.url, "complete", count, 0)]
