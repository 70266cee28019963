"""The object that marks a remote store as unfinished, and removing such a store.

It holds the fingerprint of the creation's claim, if it can be resumed, and on a second line the
computer and the process that writes the store.
"""

from __future__ import annotations

import os

from ncz.errors import ZmapError
from ncz.zmap.claim import Leftover
from ncz.zmap.remote.listing import MARK
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap

_IDENTITIES = (".zgroup", ".zarray", "zarr.json")
"""The documents of a root that are put last, and deleted first."""


def mark_of(fingerprint: str) -> bytes:
    """Return the content of the mark for a creation by this process."""
    import platform

    return f"{fingerprint}\n{platform.node()} {os.getpid()}".encode()


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


def refuse_running(mark: bytes, url: str, force: bool) -> None:
    """Raise `ZmapError` if the process that wrote the mark runs, or may run elsewhere."""
    import platform

    host, _, number = mark.partition(b"\n")[2].decode("utf-8", "replace").rpartition(" ")
    if host == platform.node() and number.isdigit():
        if _runs(int(number)):
            raise ZmapError(
                f"process {number} is writing this store", url, "wait until it has finished"
            )
    elif not force:
        who = f"process {number} on {host}" if host else "another version of ncz"
        raise ZmapError(
            f"{who} began to write this store, and may still do so",
            url,
            "use --force if it has ended",
        )


def _runs(number: int) -> bool:
    if number == os.getpid():
        return False  # what this process left before
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
