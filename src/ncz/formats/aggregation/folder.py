"""The folder of new pieces beside their master, on the disk or on a server.

New pieces never take the names of old ones: their folder has another name until the old folder is
removed, which is after the new master exists. So there is a whole dataset at every moment, even if
the process is killed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress

from ncz.errors import NczError, StoreExists, ZmapError, already_exists, storage_error
from ncz.formats.signatures import CLASSIC, HDF5
from ncz.record import record, replace
from ncz.zmap.key import LARGEST_DOCUMENT, ROOT_DOCUMENTS
from ncz.zmap.local.creation import extent, refuse_planted, remove
from ncz.zmap.local.locks import held, placement_journal, unclaimed_name
from ncz.zmap.local.tree import NO_FOLLOW
from ncz.zmap.location import Location, quote
from ncz.zmap.opening import Leftover
from ncz.zmap.remote.opening import connect_to_write
from ncz.zmap.remote.store import WritableRemoteZmap

WriteMaster = Callable[[str], None]
"""A function that writes the master of the pieces in the folder of that name."""

Publish = Callable[[WriteMaster], None]
"""A function that gives new pieces their folder, writes the master, and removes old pieces."""

_GENERATIONS = 9
_USE_OTHER = "use another name"


def _names(stem: str) -> Iterator[str]:
    """Yield the names that a folder of pieces can have. All pieces begin with the first and a dot.

    A master whose own folder has one of the other names has pieces that begin otherwise.
    """
    yield stem
    yield from (f"{stem}-{number}" for number in range(2, _GENERATIONS + 1))


def is_own(name: str, master: Location) -> bool:
    """Return whether a piece, as the master names it, lies in the folder of the master's pieces."""
    folder, slash, piece = name.rpartition("/")
    stem = folder_name(master)
    return bool(slash) and folder in _names(stem) and piece.startswith(f"{stem}.")


def _are_pieces(names: Sequence[str], stem: str) -> bool:
    return all(name.startswith(f"{stem}.") for name in names)


def _others(url: str, what: str, cure: str) -> StoreExists:
    message = f"will not be overwritten: it holds other {what} than pieces"
    return StoreExists(message, url, f"{cure}, or use another name")


# The folder of new pieces on a server, where nothing can be renamed.


@contextmanager
def _new_distant_folder(master: Location, overwrite: bool) -> Iterator[tuple[Location, Publish]]:
    """Choose a folder that does not exist; see `new_folder`."""
    above = master.path.rstrip("/").rpartition("/")[0]
    stem = quote(folder_name(master))

    def place(name: str) -> Location:
        return replace(master, path=f"{above}/{name}" if above else name)

    old: list[str] = []
    new = ""
    with closing(connect_to_write(master)) as before:
        _check_master(before, overwrite)
    for name in _names(stem):
        with closing(connect_to_write(place(name))) as pieces:
            keys = list(pieces.walk())
            is_free = not keys and pieces.file_size() is None
            if is_free:
                new = new or name
            elif keys and pieces.file_size() is None and _are_pieces(keys, folder_name(master)):
                if not overwrite:
                    raise already_exists(pieces.url)
                old.append(name)
            elif name == stem:
                raise _others(pieces.url, "objects", "delete them")
        if new and name != stem:
            break
    if not new:
        raise StoreExists("already exists, as do all other names", place(stem).display, _USE_OTHER)

    def publish(write_master: WriteMaster) -> None:
        write_master(folder_name(master) + new.removeprefix(stem))
        for name in old:
            _delete(place(name))

    try:
        yield place(new), publish
    except BaseException:
        with suppress(NczError):  # must not hide the first error
            _delete(place(new))
        raise


def _delete(folder: Location) -> None:
    with closing(connect_to_write(folder)) as pieces:
        pieces.delete_many(list(pieces.walk()))


def _check_master(old: WritableRemoteZmap, overwrite: bool) -> None:
    """Raise `StoreExists` if a master exists that may not be replaced."""
    size = old.file_size()
    if size is None and not old.holds_something():
        return
    if not overwrite:
        raise already_exists(old.url)
    is_store = size is None and any(key in ROOT_DOCUMENTS for key in old.walk())
    if not (is_store or (size and old.first_bytes(len(HDF5)).startswith((HDF5, *CLASSIC)))):
        raise StoreExists(
            "will not be overwritten: it is not a dataset", old.url,
            "delete it, or use another name",
        )  # fmt: skip


# The moment in which the folder of new pieces and their master get their names.
#
# A journal beside the master says which folders are new and which are old, and what the master was,
# from before the first rename until the old folders are removed. So it is known later what a killed
# process left: the new folder if the master is still the old one, and the old folders otherwise.


@record
class Placement:
    """The paths of a master, of the folder of its pieces, and of the folder where they are written.

    `before` identifies the master that is replaced, None for none; `old` are the folders of pieces
    that are removed after that.
    """

    master: str
    folder: str
    partial: str
    before: tuple[int, int] | None
    old: tuple[str, ...] = ()

    def begin(self) -> None:
        """Write the journal, and give the folder its name."""
        paths = {"folder": self.folder, "partial": self.partial}
        members = {name: os.path.basename(path) for name, path in paths.items()}
        old = [os.path.basename(path) for path in self.old]
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW
        journal = placement_journal(self.master)
        number = os.open(journal, flags, 0o600)
        try:
            with open(number, "w", encoding="utf-8") as file:
                json.dump({**members, "before": self.before, "old": old}, file)
            os.rename(self.partial, self.folder)
        except BaseException:
            remove(journal)
            raise

    @property
    def is_complete(self) -> bool:
        """Whether the new master exists."""
        return _identity(self.master) not in (None, self.before)

    def _unneeded(self) -> list[str]:
        paths = self.old if self.is_complete else (self.partial, self.folder)
        return [path for path in paths if os.path.lexists(path)]

    def settle(self) -> None:
        """Remove the old pieces if the new master exists, otherwise the new ones."""
        for path in self._unneeded():
            remove(path)
        remove(placement_journal(self.master))

    def leftovers(self) -> list[Leftover]:
        """Return what `settle` removes."""
        return [Leftover(path, "remove", *extent(path)) for path in self._unneeded()]


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file or folder from the one that replaces it; None if there is none."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


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
        folder, partial = members["folder"], members["partial"]
        before, old = members["before"], members["old"]
        names = [folder, partial, *old]
        if all(name == os.path.basename(name) and name for name in names):
            path = {name: os.path.join(parent, name) for name in names}
            was = None if before is None else (int(before[0]), int(before[1]))
            return Placement(
                master, path[folder], path[partial], was, tuple(path[name] for name in old)
            )
    return Placement(master, journal, journal, _identity(master))


def is_local(location: Location) -> bool:
    """Return whether a location is a path."""
    return location.kind not in ("remote", "memory")


def folder_name(location: Location) -> str:
    """Return the name of the folder of pieces: that of the master without its suffix."""
    name = location.dataset_name()
    base = location.path.replace(os.sep, "/").rstrip("/").rpartition("/")[2]
    return f"{name}-pieces" if name == base else name


@contextmanager
def new_folder(location: Location, overwrite: bool) -> Iterator[tuple[Location, Publish]]:
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
    publish : callable
        Gives the folder its own name and has the master written, which may be done twice. If an
        error follows, all is as before.

    Raises
    ------
    StoreExists
        If the master or the folder exists, and may not be replaced.
    """
    if location.kind == "remote":
        with _new_distant_folder(location, overwrite) as found:
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
    new, *old = _generations(own, master, overwrite)
    partial = os.path.join(beside, unclaimed_name(master))
    try:
        os.mkdir(partial)
        try:
            with held(partial):
                placement = Placement(master, new, partial, _identity(master), tuple(old))

                def publish(write_master: WriteMaster) -> None:
                    _publish(placement, write_master)
                    if new != own:
                        _rename_by_links(placement, own, write_master)

                yield replace(location, path=partial, options={}), publish
        finally:
            if os.path.lexists(partial):
                remove(partial)
    except OSError as error:
        if isinstance(error, NczError):
            raise
        raise storage_error(error, location.display, "write") from error


def _publish(placement: Placement, write_master: WriteMaster) -> None:
    """Let a new master and its pieces take the place of the old ones, or let those be."""
    placement.begin()
    try:
        write_master(os.path.basename(placement.folder))
    finally:
        placement.settle()


def _generations(own: str, master: str, overwrite: bool) -> list[str]:
    """Return a path for a folder of pieces, and those of the folders that have the old ones.

    Raises `StoreExists` if anything exists that may not be replaced. `own` is the path of the
    folder that is named as the master.
    """
    beside, stem = os.path.split(own)
    free, old = [], []
    if os.path.lexists(master) and not overwrite:
        raise already_exists(master)
    for name in _names(stem):
        path = os.path.join(beside, name)
        if not os.path.lexists(path):
            free.append(path)
            continue
        if name == stem and not overwrite:
            raise already_exists(path)
        is_folder = os.path.isdir(path) and not os.path.islink(path)
        if is_folder and _are_pieces(os.listdir(path), stem):
            if not overwrite:
                raise already_exists(path)
            old.append(path)
        elif name == stem:
            raise _others(path, "files", "move it away")
    if not free:
        raise StoreExists("already exists, as do all other names", own, _USE_OTHER)
    return [free[0], *old]


def _rename_by_links(placement: Placement, own: str, write_master: WriteMaster) -> None:
    """Give pieces the name that they have in a new dataset, so that it has the same bytes.

    They get another folder of links to the same files, and the master is written again. Where that
    is not possible, the dataset stays as it is.
    """
    master, folder = placement.master, placement.folder
    partial = os.path.join(os.path.dirname(master), unclaimed_name(master))
    again = Placement(master, own, partial, _identity(master), (folder,))
    try:
        _link(folder, partial)
        with held(partial):
            _publish(again, write_master)
    except OSError:
        pass
    finally:
        if os.path.lexists(partial):
            remove(partial)


def _link(folder: str, target: str) -> None:
    """Make a folder of links to the files of another one."""
    os.mkdir(target)
    with os.scandir(folder) as entries:
        for entry in entries:
            path = os.path.join(target, entry.name)
            if entry.is_dir(follow_symlinks=False):
                _link(entry.path, path)
            else:
                os.link(entry.path, path, follow_symlinks=False)
