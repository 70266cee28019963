"""The folder of new pieces beside their master, on the disk or on a server.

On a disk, the pieces are written to a folder with another name, which gets its own when they are
complete, directly before the master is written. On a server, they are written to their place, after
an old master is deleted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress

from ncz.errors import NczError, StoreExists, ZmapError, option
from ncz.formats.netcdf.names import CLASSIC, HDF5
from ncz.record import record, replace
from ncz.zmap.claim import Leftover
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.limits import LARGEST_DOCUMENT
from ncz.zmap.local.creation import extent, refuse_planted, remove
from ncz.zmap.local.locks import ASIDE, held, placement_journal, unclaimed_name
from ncz.zmap.local.tree import NO_FOLLOW
from ncz.zmap.location import Location, quote
from ncz.zmap.os_errors import storage_error
from ncz.zmap.remote.opening import connect_to_write
from ncz.zmap.remote.store import WritableRemoteZmap

# The folder of new pieces on a server, where nothing can be renamed.
#
# The pieces are written to their place. An old master is deleted before, so that none ever leads to
# pieces of which some are new.

_USE_OVERWRITE = f"use {option('overwrite', True)} to replace it"


@contextmanager
def new_distant_folder(master: Location, folder: Location, overwrite: bool) -> Iterator[None]:
    """Make room for a master and the folder of its pieces; an error deletes what was written.

    Raises `StoreExists` if something exists that may not be replaced.
    """
    with closing(connect_to_write(master)) as old, closing(connect_to_write(folder)) as pieces:
        start = f"{folder.path.rstrip('/').rpartition('/')[2]}."
        others = [key for key in pieces.walk() if not key.startswith(start)]
        if others or pieces.file_size() is not None:
            raise StoreExists(
                "will not be overwritten: it holds other objects than pieces", pieces.url,
                "delete them, or use another name",
            )  # fmt: skip
        if pieces.holds_something() and not overwrite:
            raise StoreExists("already exists", pieces.url, _USE_OVERWRITE)
        _delete_master(old, overwrite)
        pieces.delete_many(list(pieces.walk()))
        try:
            yield
        except BaseException:
            with suppress(NczError):  # must not hide the first error
                pieces.delete_many(list(pieces.walk()))
            raise


def _delete_master(old: WritableRemoteZmap, overwrite: bool) -> None:
    """Delete a master, its root documents first; raise `StoreExists` if that is not permitted."""
    size = old.file_size()
    if size is None and not old.holds_something():
        return
    if not overwrite:
        raise StoreExists("already exists", old.url, _USE_OVERWRITE)
    keys = list(old.walk()) if size is None else []
    roots = [key for key in keys if key in ROOT_DOCUMENTS]
    if not (roots or (size and old.first_bytes(len(HDF5)).startswith((HDF5, *CLASSIC)))):
        raise StoreExists(
            "will not be overwritten: it is not a dataset", old.url,
            "delete it, or use another name",
        )  # fmt: skip
    if size is not None:
        old.delete_file()
    old.delete_many(roots)
    old.delete_many(keys)


# The moment in which the folder of new pieces and their master get their names.
#
# Several renames cannot be one. A journal beside the master says which they are, from before the
# first one until the master exists, so that what a killed process left between them is undone, or
# completed if the master exists.


@record
class Placement:
    """The paths of a master, of the folder of its pieces, and of the folder where they are written.

    `aside` has the paths to which an old master and an old folder are moved.
    """

    master: str
    folder: str
    partial: str
    aside: Mapping[str, str]

    def begin(self) -> None:
        """Write the journal, move what is old away, and give the folder its name."""
        paths = {"folder": self.folder, "partial": self.partial}
        members = {name: os.path.basename(path) for name, path in paths.items()}
        aside = {os.path.basename(path): os.path.basename(to) for path, to in self.aside.items()}
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW
        number = os.open(placement_journal(self.master), flags, 0o600)
        with open(number, "w", encoding="utf-8") as file:
            json.dump({**members, "aside": aside}, file)
        for path, to in self.aside.items():
            os.rename(path, to)
        os.rename(self.partial, self.folder)

    @property
    def is_complete(self) -> bool:
        """Whether the new master exists."""
        return not os.path.lexists(self.partial) and os.path.lexists(self.master)

    def finish(self) -> None:
        """Remove what was moved away, and the journal."""
        for path in self.aside.values():
            remove(path)
        remove(placement_journal(self.master))

    def undo(self) -> None:
        """Give everything the names that it had, and remove the new pieces and the journal."""
        old = self.aside.get(self.folder)
        is_new = not os.path.lexists(self.partial) and (old is None or os.path.lexists(old))
        if is_new and os.path.lexists(self.folder):
            os.rename(self.folder, self.partial)
        for path, to in self.aside.items():
            if os.path.lexists(to):
                os.rename(to, path)
        remove(self.partial)
        remove(placement_journal(self.master))

    def settle(self) -> None:
        """Complete the placement if the new master exists, and undo it otherwise."""
        if self.is_complete:
            self.finish()
        else:
            self.undo()

    def leftovers(self) -> list[Leftover]:
        """Return what `recover` removes and restores."""
        aside = [path for path in self.aside.values() if os.path.lexists(path)]
        if self.is_complete:
            return [Leftover(path, "remove", *extent(path)) for path in aside]
        new = self.partial if os.path.lexists(self.partial) else self.folder
        found = [Leftover(new, "remove", *extent(new))] if os.path.lexists(new) else []
        return found + [Leftover(path, "restore", *extent(path)) for path in aside]


def planned(master: str, folder: str, partial: str) -> Placement:
    """Return the placement of a new master, which moves away what exists."""
    old = (path for path in (master, folder) if os.path.lexists(path))
    return Placement(
        master,
        folder,
        partial,
        {path: os.path.join(os.path.dirname(path), unclaimed_name(path, ASIDE)) for path in old},
    )


def recover(path: str, *, dry_run: bool = False) -> list[Leftover]:
    """Complete or undo the placement of a master that a killed process left; return what it left.

    Raises `ZmapError` if the process still runs, or the journal is not one of this user.
    """
    master = os.path.abspath(path)
    journal = placement_journal(master)
    if not os.path.lexists(journal):
        return []
    try:
        placement = _read(master, journal)
        with ExitStack() as locks:
            for each in {placement.partial, placement.folder}:
                if os.path.lexists(each) and not locks.enter_context(held(each)):
                    raise ZmapError(
                        "another process is writing this aggregation",
                        path,
                        "wait until it has finished",
                    )
            found = placement.leftovers()
            if not dry_run:
                placement.settle()
            return found
    except ZmapError:
        raise
    except OSError as error:
        raise storage_error(error, path, "remove") from error


def _read(master: str, journal: str) -> Placement:
    """Read the journal. A file that is cut off was killed before anything was moved."""
    status = os.lstat(journal)
    refuse_planted(status, journal, master, is_file=True)
    parent = os.path.dirname(master)
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        number = os.open(journal, os.O_RDONLY | NO_FOLLOW)
        with open(number, encoding="utf-8") as file:
            members = json.loads(file.read(LARGEST_DOCUMENT))
        folder, partial, aside = members["folder"], members["partial"], members["aside"]
        names = [folder, partial, *aside, *aside.values()]
        if all(name == os.path.basename(name) and name for name in names):
            path = {name: os.path.join(parent, name) for name in names}
            moved = {path[name]: path[to] for name, to in aside.items()}
            return Placement(master, path[folder], path[partial], moved)
    return Placement(master, journal, journal, {})


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

        with new_distant_folder(location, place_of_pieces, overwrite):
            yield place_of_pieces, lambda: None
        return
    master = os.path.abspath(location.path)
    own = os.path.join(os.path.dirname(master), folder_name(location))
    recover(master)
    for path in (master, own):
        if os.path.lexists(path) and not overwrite:
            raise StoreExists(
                "already exists", path, f"use {option('overwrite', True)} to replace it"
            )
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
