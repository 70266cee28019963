"""The branches, the tags and the last snapshots of a repository."""

from __future__ import annotations

import itertools
from typing import Any

from ncz.zmap.history import History, StoredVersion
from ncz.zmap.icechunk.snapshot import Snapshot
from ncz.zmap.location import Location
from ncz.zmap.remote.waits import result_within

_MOST = 20
"""Number of snapshots that are listed."""


def history_of(location: Location) -> History:
    """Return the branches and tags of a repository, and the last snapshots of the chosen one.

    Raises `StoreMissing` or `ZmapError` if it cannot be read.
    """
    snapshot = Snapshot(location)
    try:
        with snapshot.errors(snapshot.url):
            return result_within(snapshot.limit, lambda: _read(snapshot))
    finally:
        snapshot.close()


def _read(snapshot: Snapshot) -> History:
    repository: Any = snapshot.repository
    found = [*itertools.islice(repository.ancestry(snapshot_id=snapshot.name), _MOST + 1)]
    return History(
        branches=tuple(sorted(repository.list_branches())),
        tags=tuple(sorted(repository.list_tags())),
        versions=tuple(
            StoredVersion(
                name=one.id,
                time=one.written_at.isoformat(" ", "seconds"),
                message=one.message,
            )
            for one in found[:_MOST]
        ),
        has_more=len(found) > _MOST,
    )
