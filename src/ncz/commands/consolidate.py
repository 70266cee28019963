"""consolidate: write consolidated metadata into an existing store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.errors import NO_PROGRESS, Progress, note_if_interrupted

if TYPE_CHECKING:
    from ncz.zmap.location import Location


def consolidate(location: Location, progress: Progress = NO_PROGRESS) -> int:
    """Write consolidated metadata into the store at `location`.

    Annotations of pure Zarr are renewed: what does not fit what is stored now is left out.

    Returns
    -------
    int
        Number of documents that were consolidated.

    Raises
    ------
    ZmapError
        For a zip file, which cannot be changed in place.
    """
    from ncz.commands.changes import open_to_change
    from ncz.formats.opening import maintenance
    from ncz.zmap.local.opening import refuse_zip_change

    with (
        note_if_interrupted("nothing was changed"),
        open_to_change(location) as store,
    ):
        if store.target is None:
            raise refuse_zip_change(store.zmap.url)
        count, changes = maintenance().consolidate(store.zmap, progress)
        store.apply(changes, pure=True)
        return count
