"""consolidate: a store that is there gets consolidated metadata, in place."""

from __future__ import annotations

import contextlib


def consolidate(location: str) -> int:
    """Write consolidated metadata to the store at `location`; the number of documents in it.

    Raises `ZmapError` for a zip, which cannot be changed in place.
    """
    from ncz.errors import ZmapError
    from ncz.formats.zarr.document.consolidated import consolidate_store
    from ncz.zmap.local.zip import ZipZmap
    from ncz.zmap.location import parse_location
    from ncz.zmap.opening import open_zmap

    store = parse_location(location)
    with contextlib.closing(open_zmap(store)) as found:
        if isinstance(found, ZipZmap):
            raise ZmapError(
                "a zip cannot be changed in place",
                store.display,
                "make a new one with 'ncz copy --consolidated'",
            )
    with contextlib.closing(open_zmap(store, write=True)) as zmap:
        return consolidate_store(zmap)
