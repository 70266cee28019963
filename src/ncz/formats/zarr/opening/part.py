"""Find the store of a group or an array that is opened alone.

NCZarr refers to dimensions and types of the groups above, and the root of a store has the version
of NCZarr, or the annotations of pure Zarr.
"""

from __future__ import annotations

import contextlib

from ncz.errors import NczError, ignore_notice
from ncz.formats.zarr.documents.hierarchy import Root
from ncz.formats.zarr.documents.versions import VERSIONS
from ncz.record import record
from ncz.zmap.key import join_key
from ncz.zmap.location import Location
from ncz.zmap.opening import has_object, open_zmap

_MOST_LEVELS = 100
"""Levels of groups above that are searched for the root of a store."""


@record
class StorePart:
    """A group or an array of a store: the location of the store, and the key in it."""

    store: Location
    key: str


def part_of(root: Root, location: Location) -> StorePart | None:
    """Return the store that a root is part of; None if it is a store, or independent of one.

    Parameters
    ----------
    root
        The facts in the root.
    location
        Where it is.
    """
    metadata = root.metadata
    if root.has_superblock or metadata.is_consolidated or metadata.annotations is not None:
        return None
    version = next(each for each in VERSIONS if isinstance(metadata, each))
    key, folder = "", location.split()
    for _ in range(_MOST_LEVELS):
        if folder is None:
            return None
        place, name = folder
        key = join_key(name, key) if key else name
        try:
            if not has_object(place, version.group):
                return None
            with contextlib.closing(open_zmap(place)) as zmap:
                found = version.find_root(zmap, None, ignore_notice)
                if found is None:
                    return None
                if found.has_superblock or found.metadata.annotations is not None:
                    documents = found.metadata.documents_of(key, found.superblock, ignore_notice)
                    is_there = documents.array is not None or documents.group is not None
                    return StorePart(place, key) if is_there else None
        except NczError:  # the folder above need not be a store
            return None
        folder = place.split()
    return None
