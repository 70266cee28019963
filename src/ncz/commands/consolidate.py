"""consolidate: a store that is there gets consolidated metadata, in place."""

from __future__ import annotations

import contextlib


def consolidate(location: str) -> int:
    """Write consolidated metadata to the store at `location`; the number of documents in it.

    Raises `ZmapError` for a zip file, which cannot be changed in place.
    """
    from ncz.formats.zarr.document.consolidated import consolidate_store
    from ncz.zmap.location import parse_location
    from ncz.zmap.opening import open_zmap

    with contextlib.closing(open_zmap(parse_location(location), write=True)) as zmap:
        return consolidate_store(zmap)
