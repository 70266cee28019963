"""The folder of new pieces next to their master, on the disk or on a server.

New pieces never take the names of old ones: their folder has another name until the old folder is
removed, which is after the new master exists. So there is a whole dataset at every moment, even if
the process is killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ncz.errors import NczError, StoreExists
from ncz.formats.aggregation.folder_names import (
    USE_OTHER,
    are_pieces,
    folder_name,
    foreign_objects,
    generation_names,
    is_local,
)
from ncz.formats.aggregation.placement import (
    Placement,
    identity,
    publish_placement,
    recover,
    rename_by_links,
)
from ncz.formats.aggregation.remote_folder import new_remote_folder
from ncz.record import replace
from ncz.system_errors import already_exists, storage_error
from ncz.zmap.fragment import quote
from ncz.zmap.local.build_names import unclaimed_name
from ncz.zmap.local.claims import remove
from ncz.zmap.local.locks import hold_lock
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.formats.aggregation.folder_names import Publish, WriteMaster


@contextmanager
def new_folder(location: Location, overwrite: bool) -> Iterator[tuple[Location, Publish]]:
    """Create the folder of the pieces of a new master.

    Parameters
    ----------
    location
        The master.
    overwrite
        Whether to replace an existing master.

    Yields
    ------
    folder : Location
        Where to write the pieces.
    publish : callable
        Gives the folder its own name and has the master written, which may be done twice. If an
        error follows, all is as before.

    Raises
    ------
    StoreExists
        If the master or the folder exists, and must not be replaced.
    """
    if location.kind == "remote":
        with new_remote_folder(location, overwrite) as found:
            yield found
        return
    if not is_local(location):
        parent = location.path.rstrip("/").rpartition("/")[0]
        name = folder_name(location)
        place = replace(location, path=f"{parent}/{name}" if parent else name)
        yield place, lambda write_master: write_master(name)
        return
    master = os.path.abspath(location.path)
    recover(master)
    stem, beside = folder_name(location), os.path.dirname(master)
    own = os.path.join(beside, stem)
    new, *old = generations(own, master, overwrite)
    partial = os.path.join(beside, unclaimed_name(master))
    try:
        os.mkdir(partial)
        try:
            with hold_lock(partial):
                placement = Placement(master, new, partial, identity(master), tuple(old))

                def publish(write_master: WriteMaster) -> None:
                    publish_placement(placement, write_master)
                    if new != own:
                        rename_by_links(placement, own, write_master)

                yield replace(location, path=partial, options={}), publish
        finally:
            if os.path.lexists(partial):
                remove(partial)
    except OSError as error:
        if isinstance(error, NczError):
            raise
        raise storage_error(error, location.display, "write") from error


def generations(own: str, master: str, overwrite: bool) -> list[str]:
    """Return a path for a folder of pieces, and the paths of the folders that have the old ones.

    Raises `StoreExists` if anything exists that must not be replaced. `own` is the path of the
    folder that is named as the master.
    """
    beside, stem = os.path.split(own)
    free, old = [], []
    if os.path.lexists(master) and not overwrite:
        raise already_exists(master)
    for name in generation_names(stem):
        path = os.path.join(beside, name)
        if not os.path.lexists(path):
            free.append(path)
            continue
        if name == stem and not overwrite:
            raise already_exists(path)
        is_folder = os.path.isdir(path) and not os.path.islink(path)
        if is_folder and are_pieces(os.listdir(path), stem):
            if not overwrite:
                raise already_exists(path)
            old.append(path)
        elif name == stem:
            raise foreign_objects(path, "files", "move it away")
    if not free:
        raise StoreExists("already exists, as do all other names", own, USE_OTHER)
    return [free[0], *old]


def is_made(path: str) -> bool:
    """Create a folder; return False if it exists."""
    try:
        os.mkdir(path)
    except FileExistsError:
        return False
    return True


def beside(master: Location, folder: str) -> str:
    """Return the path of a folder that a master names from its own."""
    if is_local(master):
        return os.path.join(os.path.dirname(os.path.abspath(master.path)), *folder.split("/"))
    above = master.path.rstrip("/").rpartition("/")[0]
    return f"{above}/{quote(folder)}" if above else quote(folder)


def join_path(folder: Location, name: str) -> str:
    """Return the path or the URL of an object in a folder."""
    if is_local(folder):
        return os.path.join(folder.path, name)
    return f"{folder.path}/{quote(name)}"
