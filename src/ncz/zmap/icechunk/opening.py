"""Open and create Icechunk repositories."""

from __future__ import annotations

from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.icechunk.creation import create_icechunk
from ncz.zmap.icechunk.history import history_of
from ncz.zmap.icechunk.library import is_old, load_library
from ncz.zmap.icechunk.reader import IcechunkZmap
from ncz.zmap.icechunk.snapshot import Snapshot
from ncz.zmap.icechunk.targets import VirtualChunks
from ncz.zmap.icechunk.transaction import Transaction
from ncz.zmap.icechunk.writer import writer_of
from ncz.zmap.location import Location
from ncz.zmap.moved_sources import Move, Moved
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
    snapshot = Snapshot(location)
    return IcechunkZmap(snapshot, VirtualChunks(snapshot) if snapshot.containers else None)


def _open_to_write(location: Location) -> WritableZmap:
    """Open a branch of a repository; new objects appear when it is committed."""
    return writer_of(Transaction(location, must_exist=True))


def _holds_uneven(location: Location) -> bool:
    """Return whether the library knows rectilinear grids, which format 2 has."""
    return not is_old(load_library(location.address))


def _move_sources(location: Location, move: Move, dry_run: bool) -> list[Moved]:
    from ncz.zmap.icechunk.relocation import move_containers

    return move_containers(location, move, dry_run)


ICECHUNK = Opener(
    open=open_icechunk,
    open_to_write=_open_to_write,
    create=create_icechunk,
    holds_uneven=_holds_uneven,
    history=history_of,
    move_sources=_move_sources,
)
"""The functions of Icechunk repositories."""
