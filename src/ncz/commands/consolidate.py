"""consolidate: write consolidated metadata into an existing store."""

from __future__ import annotations

from ncz.commands.functions import Listener, callbacks_of, speaks_python, warn
from ncz.errors import note_on_interrupt
from ncz.zmap.location import Path, location_of


@speaks_python
def consolidate(store: Path, *, notify: Listener = warn) -> int:
    """Write consolidated metadata to an existing store, in place.

    Annotations of pure Zarr are renewed, without parts that contradict the store.

    Parameters
    ----------
    store
        A path or a URL.
    notify
        Receives notices.

    Returns
    -------
    int
        Number of documents that were consolidated.

    Raises
    ------
    NczError
        If the store cannot be read or changed. It is not changed then.

    Examples
    --------
    >>> ncz.consolidate("weather.zarr")
    14
    """
    from ncz.commands.changes import open_to_change
    from ncz.formats.opening import maintenance
    from ncz.zmap.local.opening import refuse_zip_change

    with (
        note_on_interrupt("nothing was changed"),
        open_to_change(location_of(store)) as opened,
    ):
        if opened.target is None:
            raise refuse_zip_change(opened.zmap.url)
        progress = callbacks_of(notify).progress
        count, changes = maintenance().consolidate(opened.zmap, progress)
        opened.apply(changes, pure=True)
        return count
