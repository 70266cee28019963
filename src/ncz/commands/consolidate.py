"""consolidate: write consolidated metadata into an existing store."""

from __future__ import annotations

import contextlib

from ncz.errors import note_if_interrupted
from ncz.model.progress import NO_PROGRESS, Progress


def consolidate(location: str, progress: Progress = NO_PROGRESS) -> int:
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

    with (
        note_if_interrupted("nothing was changed"),
        contextlib.closing(open_zmap(parse_location(location), write=True)) as zmap,
    ):
        return consolidate_store(zmap, progress)
