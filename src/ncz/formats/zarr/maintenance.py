"""How stores of Zarr are checked, mended and consolidated."""

from __future__ import annotations

from ncz.errors import Progress, ignore_notice
from ncz.formats.maintenance import Maintenance
from ncz.formats.zarr.annotation_merge import renewed_document
from ncz.formats.zarr.audience import readers_named
from ncz.formats.zarr.check.store import check_store
from ncz.formats.zarr.consolidated import consolidate_store
from ncz.formats.zarr.json import print_document
from ncz.formats.zarr.versions import find_root
from ncz.zmap import Zmap
from ncz.zmap.journal import Changes
from ncz.zmap.location import Location


def is_pure(zmap: Zmap, location: Location) -> bool:
    """Return whether a store is pure Zarr, and not NCZarr."""
    root = find_root(zmap, location.modes, None, ignore_notice)
    return root is None or not root.superblock


def consolidate(zmap: Zmap, progress: Progress) -> tuple[int, Changes]:
    """Return the number of documents in a store, and the change that consolidates them.

    Annotations are renewed: what does not fit what is stored now is left out.
    """
    count, key, document = consolidate_store(zmap, progress)
    return count, Changes(documents={key: print_document(renewed_document(key, document))})


MAINTENANCE = Maintenance(
    check=check_store, check_readers=readers_named, is_pure=is_pure, consolidate=consolidate
)
