"""consolidate: write consolidated metadata into an existing store."""

from __future__ import annotations

import contextlib


def consolidate(location: str) -> int:
    """Write consolidated metadata into the store at `location`.

    Returns
    -------
    int
        Number of documents that were consolidated.

    Raises
    ------
    ZmapError
        For a zip file, which cannot be changed in place.
    """
    from ncz.formats.zarr.document.consolidated import consolidate_store
    from ncz.zmap.location import parse_location
    from ncz.zmap.opening import open_zmap

    with contextlib.closing(open_zmap(parse_location(location), write=True)) as zmap:
        return consolidate_store(zmap)
