"""Functions that check, repair, consolidate and edit Zarr stores.

Each module is imported when it is used: an edit needs none of the checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ncz.errors import Notify, Progress, ignore_notice
from ncz.formats.maintenance import Maintenance
from ncz.zmap import Zmap
from ncz.zmap.journal import Changes
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.formats.findings import CheckReport, CheckRequest
    from ncz.formats.key_roles import KeyRoles
    from ncz.formats.store_draft import StoreDraft


def check(location: Location, request: CheckRequest, progress: Progress) -> CheckReport:
    """Return the findings in the store at a location."""
    from ncz.formats.zarr.check.store import check_store

    return check_store(location, request, progress)


def readers() -> Iterable[str]:
    """Return the names of the programs that read Zarr."""
    from ncz.formats.zarr.readers.programs import READERS

    return READERS


def check_readers(names: Sequence[str]) -> None:
    """Raise `OptionError` if a name is not a program that reads Zarr."""
    from ncz.formats.zarr.readers.audience import readers_named

    readers_named(names)


def is_pure(zmap: Zmap, location: Location) -> bool:
    """Return whether a store is pure Zarr, and not NCZarr."""
    from ncz.formats.zarr.documents.versions import find_root

    root = find_root(zmap, location.modes, None, ignore_notice)
    return root is None or not root.superblock


def consolidate(zmap: Zmap, progress: Progress) -> tuple[int, Changes]:
    """Return the number of documents in a store, and the change that consolidates them.

    Annotations are renewed, without parts that contradict the store.
    """
    from ncz.formats.zarr.documents.consolidated_metadata import consolidate_store
    from ncz.formats.zarr.json import print_document
    from ncz.formats.zarr.opening.annotation_merge import renewed_document

    count, key, document = consolidate_store(zmap, progress)
    return count, Changes(documents={key: print_document(renewed_document(key, document))})


def draft(zmap: Zmap, location: Location, renames: bool) -> StoreDraft:
    """Return a store with no edits yet."""
    from ncz.formats.zarr.edit.zarr_draft import ZarrDraft

    return ZarrDraft(zmap, location, renames)


def migrate(zmap: Zmap, location: Location, notify: Notify) -> Changes | None:
    """Return the change that turns a store of Zarr V2 into one of V3; None for one of V3."""
    from ncz.formats.zarr.edit import migration

    return migration.migrate(zmap, location, notify)


def roles(zmap: Zmap) -> KeyRoles:
    """Return the kinds of the keys of a store."""
    from ncz.formats.zarr.opening.key_roles import StoreRoles

    return StoreRoles(zmap)


def describes_storage(name: str) -> bool:
    """Return whether an attribute describes how data are stored."""
    from ncz.formats.zarr.edit import storage_attributes

    return storage_attributes.describes_storage(name)


MAINTENANCE = Maintenance(
    check=check,
    readers=readers,
    check_readers=check_readers,
    is_pure=is_pure,
    consolidate=consolidate,
    draft=draft,
    migrate=migrate,
    roles=roles,
    describes_storage=describes_storage,
)
