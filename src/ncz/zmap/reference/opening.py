"""Open reference sets, and create them: a JSON text, or a folder in the Parquet layout."""

from __future__ import annotations

from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.beside import Beside
from ncz.zmap.fragment import SEALS
from ncz.zmap.location import Location
from ncz.zmap.moved_sources import Move, Moved
from ncz.zmap.opening import Opener
from ncz.zmap.reference.creation import create_references
from ncz.zmap.reference.reader import ReferenceZmap
from ncz.zmap.reference.stored_set import open_set
from ncz.zmap.reference.targets import Targets


def open_references(location: Location) -> Zmap:
    """Open the reference set at a location: a JSON text, or a folder in the Parquet layout.

    Raises
    ------
    StoreMissing
        If nothing exists at the location.
    FormatError
        If it is not a reference set.
    ZmapError
        If it cannot be read.
    """
    references = open_set(location)
    try:
        is_sealed = location.options.get(SEALS) != "off"
        url = location.address
        seals = references.seals if is_sealed else {}
        targets = Targets(location, url, seals=seals, has_folder=True)
        return ReferenceZmap(references, targets, url)
    except BaseException:
        references.close()
        raise


def _open_to_write(location: Location) -> WritableZmap:
    """Open a set to change it; new objects appear when it is committed."""
    from ncz.zmap.reference.revision import ReferenceRevision

    return ReferenceRevision(location)


def _move_sources(location: Location, move: Move, dry_run: bool) -> list[Moved]:
    from ncz.zmap.reference.relocation import move_targets

    return move_targets(location, move, dry_run)


def _beside(location: Location) -> Beside | None:
    from ncz.zmap.reference.chunk_folder import beside_set

    return beside_set(location)


REFERENCE = Opener(
    open=open_references,
    open_to_write=_open_to_write,
    create=create_references,
    move_sources=_move_sources,
    beside=_beside,
)
"""The functions of reference sets."""
