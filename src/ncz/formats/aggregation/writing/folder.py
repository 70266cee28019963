"""The folder of new pieces, beside their master.

On a disk, the pieces are written to a folder with another name, which gets its own when they are
complete, directly before the master is written. On a server, they are written to their place, after
an old master is deleted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ncz.errors import NczError, StoreExists
from ncz.formats.aggregation.writing.placement import planned, recover
from ncz.record import replace
from ncz.zmap.fragment import quote
from ncz.zmap.local.locks import held
from ncz.zmap.local.names import unclaimed_name
from ncz.zmap.location import Location
from ncz.zmap.os_errors import storage_error


def is_local(location: Location) -> bool:
    """Return whether a location is a path."""
    return location.kind not in ("remote", "memory")


def folder_name(location: Location) -> str:
    """Return the name of the folder of pieces: that of the master without its suffix."""
    name = location.dataset_name()
    base = location.path.replace(os.sep, "/").rstrip("/").rpartition("/")[2]
    return f"{name}-pieces" if name == base else name


@contextmanager
def new_folder(
    location: Location, overwrite: bool
) -> Iterator[tuple[Location, Callable[[], None]]]:
    """Create the folder of the pieces of a new master.

    Parameters
    ----------
    location
        The master.
    overwrite
        Whether to replace what exists.

    Yields
    ------
    folder : Location
        Where to write the pieces.
    place : callable
        Gives the folder its own name, and moves an old master away; to be called before the master
        is written. If an error follows, all is as before.

    Raises
    ------
    StoreExists
        If the master or the folder exists, and may not be replaced.
    """
    if not is_local(location):
        parent = location.path.rstrip("/").rpartition("/")[0]
        folder = folder_name(location)
        folder = quote(folder) if location.kind == "remote" else folder
        place_of_pieces = replace(location, path=f"{parent}/{folder}" if parent else folder)
        if location.kind != "remote":
            yield place_of_pieces, lambda: None
            return
        from ncz.formats.aggregation.writing.distant import new_distant_folder

        with new_distant_folder(location, place_of_pieces, overwrite):
            yield place_of_pieces, lambda: None
        return
    master = os.path.abspath(location.path)
    own = os.path.join(os.path.dirname(master), folder_name(location))
    recover(master)
    for path in (master, own):
        if os.path.lexists(path) and not overwrite:
            raise StoreExists("already exists", path, "use --overwrite to replace it")
    _refuse_others(own)
    partial = os.path.join(os.path.dirname(master), unclaimed_name(master))
    placement = planned(master, own, partial)
    try:
        os.mkdir(partial)
        with held(partial):
            yield replace(location, path=partial, options={}), placement.begin
    except BaseException as error:
        with suppress(OSError):  # must not hide the first error
            placement.settle()
        if isinstance(error, OSError) and not isinstance(error, NczError):
            raise storage_error(error, location.display, "write") from error
        raise
    placement.finish()


def _refuse_others(folder: str) -> None:
    """Raise `StoreExists` for a folder that holds anything but the pieces of an older master."""
    if not os.path.lexists(folder):
        return
    start = f"{os.path.basename(folder)}."
    names = os.listdir(folder) if os.path.isdir(folder) else [""]
    others = [name for name in names if not name.startswith(start)]
    if others or os.path.islink(folder):
        raise StoreExists(
            "will not be overwritten: it holds other files than pieces", folder,
            "move it away, or use another name",
        )  # fmt: skip
