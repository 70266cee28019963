"""Put the folder of new pieces and their master in place, in one step for readers.

A journal next to the master names the new and the old folders, and contains the old master, from
before the first rename until the old folders are removed. It identifies the remains of a killed
process: the new folder if the master is still the old one, and otherwise the old folders.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from ncz.errors import ZmapError
from ncz.record import record
from ncz.system_errors import storage_error
from ncz.zmap.claim import Leftover
from ncz.zmap.key import LARGEST_DOCUMENT
from ncz.zmap.local.build_names import placement_journal, unclaimed_name
from ncz.zmap.local.claims import refuse_planted, remove
from ncz.zmap.local.leftovers import extent
from ncz.zmap.local.locks import hold_lock
from ncz.zmap.local.tree import NO_FOLLOW

if TYPE_CHECKING:
    from ncz.formats.aggregation.folder_names import WriteMaster


@record
class Placement:
    """The paths of a master, of the folder of its pieces, and of the folder where they are written.

    `before` identifies the replaced master, or is None; `old` are the folders of pieces
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
        return identity(self.master) not in (None, self.before)

    def _unneeded_paths(self) -> list[str]:
        paths = self.old if self.is_complete else (self.partial, self.folder)
        return [path for path in paths if os.path.lexists(path)]

    def settle(self) -> None:
        """Remove the old pieces if the new master exists, otherwise the new ones."""
        for path in self._unneeded_paths():
            remove(path)
        remove(placement_journal(self.master))

    def leftovers(self) -> list[Leftover]:
        """Return the paths that `settle` removes."""
        return [Leftover(path, "remove", *extent(path)) for path in self._unneeded_paths()]


def identity(path: str) -> tuple[int, int] | None:
    """Return the identity of a file or folder, which changes if it is replaced; None if missing."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def recover(path: str, *, dry_run: bool = False) -> list[Leftover]:
    """Complete or undo the placement of a master by a killed process; return its remains.

    Raises `ZmapError` if the process still runs, or the journal belongs to another user.
    """
    master = os.path.abspath(path)
    journal = placement_journal(master)
    if not os.path.lexists(journal):
        return []
    try:
        placement = _read(master, journal)
        with ExitStack() as locks:
            for each in {placement.partial, placement.folder}:
                if os.path.lexists(each) and not locks.enter_context(hold_lock(each)):
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
    return Placement(master, journal, journal, identity(master))


def publish_placement(placement: Placement, write_master: WriteMaster) -> None:
    """Replace an old master and its pieces by new ones, or keep the old ones."""
    placement.begin()
    try:
        write_master(os.path.basename(placement.folder))
    finally:
        placement.settle()


def rename_by_links(placement: Placement, own: str, write_master: WriteMaster) -> None:
    """Give pieces the name that they have in a new dataset, so that it has the same bytes.

    They get another folder of links to the same files, and the master is written again. Where that
    is not possible, the dataset stays unchanged.
    """
    master, folder = placement.master, placement.folder
    partial = os.path.join(os.path.dirname(master), unclaimed_name(master))
    again = Placement(master, own, partial, identity(master), (folder,))
    try:
        _link(folder, partial)
        with hold_lock(partial):
            publish_placement(again, write_master)
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
