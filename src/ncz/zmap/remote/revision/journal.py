"""The journal of a change of names in a remote store.

A server cannot rename, and cannot change several objects at once. Chunks are copied to their new
keys first, while the store stays as it is. Then an object (`JOURNAL`) records all that remains to
be done; the documents of the root are deleted, so that nothing opens as a dataset; the other
documents are changed; the documents of the new root are put; and the old chunks are deleted. Each
of these steps can be repeated. A process that is killed leaves the journal, and `complete` finishes
its work.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ncz.record import record
from ncz.zmap.key import JOURNAL, ZARR_JSON
from ncz.zmap.remote.mark import mark_of, refuse_running

if TYPE_CHECKING:
    from ncz.zmap.remote.store import WritableRemoteZmap

_LAST = (".zarray", ".zgroup", ZARR_JSON)
"""The documents that make a root; deleted first and put last."""


@record(kw_only=True)
class Journal:
    """What remains to be done after the chunks are copied.

    Attributes
    ----------
    root
        The documents of the new root by key; all of them.
    put
        The other new or changed documents by key.
    deleted
        The keys of documents to delete.
    swept
        The prefixes below which everything is deleted at the end.
    """

    root: Mapping[str, str]
    put: Mapping[str, str]
    deleted: tuple[str, ...]
    swept: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """Return the object in which the journal is stored."""
        members = {
            "by": mark_of("").decode(),
            "root": dict(self.root),
            "put": dict(self.put),
            "deleted": self.deleted,
            "swept": self.swept,
        }
        return json.dumps(members).encode()


def hide_root(zmap: WritableRemoteZmap, journal: Journal) -> None:
    """Record the journal, and delete the documents of the root."""
    zmap.put(JOURNAL, journal.to_bytes())
    for key in sorted(journal.root, key=lambda key: (key not in _LAST, key)):
        zmap.delete(key)


def change_documents(zmap: WritableRemoteZmap, journal: Journal) -> None:
    """Delete and put the documents below the root."""
    zmap.delete_many(journal.deleted)
    for key, text in journal.put.items():
        zmap.put(key, text.encode("utf-8", "surrogateescape"))


def show_root(zmap: WritableRemoteZmap, root: Mapping[str, str]) -> None:
    """Put the documents of a root, the one that makes it a root last."""
    for key in sorted(root, key=lambda key: (key in _LAST, key)):
        zmap.put(key, root[key].encode("utf-8", "surrogateescape"))


def sweep(zmap: WritableRemoteZmap, prefixes: tuple[str, ...]) -> int:
    """Delete everything below prefixes, and the journal; return the number of objects."""
    # Documents that change from now on must not be replaced by those of the journal.
    zmap.put(JOURNAL, Journal(root={}, put={}, deleted=(), swept=prefixes).to_bytes())
    keys = [key for prefix in prefixes for key in zmap.walk(prefix)]
    zmap.delete_many(keys)
    zmap.delete_many([JOURNAL])
    return len(keys)


def complete(zmap: WritableRemoteZmap, data: bytes, *, dry_run: bool, force: bool) -> int:
    """Finish a change that a process left, from the content of its journal.

    Returns
    -------
    int
        The number of objects that were deleted, or would be.

    Raises
    ------
    ZmapError
        If the process still runs, or may run elsewhere and `force` is not set.
    """
    members = json.loads(data)
    refuse_running(members["by"].encode(), zmap.url, force)
    journal = Journal(
        root=members["root"],
        put=members["put"],
        deleted=tuple(members["deleted"]),
        swept=tuple(members["swept"]),
    )
    if dry_run:
        return 1 + sum(1 for prefix in journal.swept for _ in zmap.walk(prefix))
    change_documents(zmap, journal)
    show_root(zmap, journal.root)
    return 1 + sweep(zmap, journal.swept)
