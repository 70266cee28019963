"""The moment in which the folder of new pieces and their master get their names.

Several renames cannot be one. A journal beside the master says which they are, from before the
first one until the master exists, so that what a killed process left between them is undone, or
completed if the master exists.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress

from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.claim import Leftover
from ncz.zmap.limits import LARGEST_DOCUMENT
from ncz.zmap.local.claim import refuse_planted, remove
from ncz.zmap.local.clean import extent
from ncz.zmap.local.locks import held
from ncz.zmap.local.names import ASIDE, name_start, unclaimed_name
from ncz.zmap.local.tree import NO_FOLLOW
from ncz.zmap.os_errors import storage_error

_JOURNAL = ".pieces"
"""The end of the name of the journal."""


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
        number = os.open(_journal_of(self.master), flags, 0o600)
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
        remove(_journal_of(self.master))

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
        remove(_journal_of(self.master))

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
    journal = _journal_of(master)
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


def _journal_of(master: str) -> str:
    return os.path.join(os.path.dirname(master), name_start(master) + _JOURNAL)


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
