"""Open Icechunk repositories; they are read, not written."""

from __future__ import annotations

from contextlib import AbstractContextManager

from ncz.errors import ZmapError, command
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.claim import Claim
from ncz.zmap.icechunk.reader import IcechunkZmap
from ncz.zmap.icechunk.snapshot import Snapshot
from ncz.zmap.location import Location
from ncz.zmap.opening import Opener


def open_icechunk(location: Location) -> Zmap:
    """Open the snapshot of a repository that a location names, or the one of its main branch.

    Raises
    ------
    UrlError
        If the location names several snapshots.
    ZmapError
        If the repository or the snapshot does not exist, or cannot be read.
    """
    return IcechunkZmap(Snapshot(location))


def _refuse_change(location: Location) -> WritableZmap:
    raise ZmapError(
        "an Icechunk repository can only be read", location.address,
        f"write a changed copy with {command('copy')}",
    )  # fmt: skip


def _create(location: Location, _: bool, __: Claim | None) -> AbstractContextManager[WritableZmap]:
    raise ZmapError(
        "an Icechunk repository cannot be written", location.address,
        "write a Zarr store, and import it with icechunk and zarr-python",
    )  # fmt: skip


ICECHUNK = Opener(open=open_icechunk, open_to_write=_refuse_change, create=_create)
"""The functions of Icechunk repositories."""
