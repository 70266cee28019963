"""The object that marks a remote store as unfinished, and removing such a store.

It holds the fingerprint of the creation's claim, if it can be resumed, and on a second line the
computer and the process that writes the store.
"""

from __future__ import annotations

from ncz.zmap.claim import Leftover
from ncz.zmap.processes import refuse_running
from ncz.zmap.remote.listing import MARK
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap

_IDENTITIES = (".zgroup", ".zarray", "zarr.json")
"""The documents of a root that are put last, and deleted first."""


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
