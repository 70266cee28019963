"""Remove a store so that no part stays.

A directory gets another name before anything in it is deleted, and a store on a server its mark of
unfinished stores, so that nothing opens the rest if the process is killed. Files next to a store
that belong to it are removed after it. The same call removes the rest. Links in a store are
removed, and their targets stay.
"""

from __future__ import annotations

import contextlib
import os

from ncz.errors import note_on_interrupt
from ncz.zmap.local.creation import remove_local
from ncz.zmap.local.leftovers import clean_local
from ncz.zmap.opening import beside
from ncz.zmap.remote.creation import remove_remote
from ncz.zmap.remote.opening import connect_to_write
from ncz.zmap.removable import Removable


def remove(found: Removable, *, force: bool = False) -> None:
    """Delete a store.

    Parameters
    ----------
    found
        The store, as `examine` returns it.
    force
        Whether to remove data that another computer began to write to a server.

    Raises
    ------
    ZmapError
        If another process writes it, or the storage refuses. The same call removes the rest.
    """
    location = found.location
    other = beside(location) if found.kind in ("reference set", "rest") else None
    _remove(found, force=force)
    if other is not None:
        with note_on_interrupt(
            f"{location.display} was removed, but not {other.place}; run the same command again"
        ):
            other.remove(False)


def _remove(found: Removable, *, force: bool) -> None:
    location = found.location
    if location.kind == "remote":
        with contextlib.closing(connect_to_write(location)) as zmap:
            if found.kind == "rest" and not zmap.holds_something():
                return
            if found.kind in ("store", "rest") or zmap.file_size() is None:
                remove_remote(zmap, force=force)
            else:
                zmap.delete_file()
    elif found.kind == "rest" and not os.path.lexists(location.path):
        clean_local(location.path, dry_run=False)
    else:
        remove_local(location.path)
