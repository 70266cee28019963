"""The files below a folder, by keys that are relative to it.

`anchored` opens one folder after the other and follows no link, whatever others change meanwhile;
`by_path` uses whole paths, where links are to be followed or the system cannot do better.
`portable` knows the names that other systems take for others, or refuse. `copying` copies a file
from one tree to another.

May import: errors, and the modules of zmap that know no store. Entry point: `anchored.open_tree`.
"""

from __future__ import annotations

import errno
import os
from operator import attrgetter
from typing import Literal, NamedTuple, Protocol

NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
"""The flag with which opening a symbolic link fails; 0 on systems without it."""

READ: int = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
READ |= getattr(os, "O_NONBLOCK", 0)
"""The flags with which a file is read; opening a pipe does not block."""

MAY_BE_LINK = (errno.ELOOP, errno.ENOTDIR, getattr(errno, "EMLINK", errno.ELOOP))
"""What systems raise if a link is met where none is followed."""


class Entry(NamedTuple):
    """Something in a folder; `kind` is that of what a link leads to, and "" for anything else."""

    name: str
    kind: Literal["file", "folder", ""]
    is_link: bool


_NAME = attrgetter("name")


class Tree(Protocol):
    """The files below a folder. Every method raises `OSError`, as the system does.

    A method that meets a link raises the error of `MAY_BE_LINK`, unless the tree follows links.
    """

    def open(self, key: str, flags: int) -> int:
        """Open a file; return its descriptor."""
        ...

    def status(self, key: str) -> os.stat_result:
        """Return the status of a file, a folder or a link itself."""
        ...

    def scan(self, key: str) -> list[Entry]:
        """List a folder, sorted by the bytes of the names."""
        ...

    def check_root(self) -> None:
        """Raise `OSError` if another folder has taken the place of the root."""
        ...

    def make_folder(self, key: str) -> None:
        """Create a folder and those above it, unless they exist."""
        ...

    def create(self, key: str) -> int:
        """Create a file that does not exist, and open it for writing."""
        ...

    def link(self, path: str, key: str) -> None:
        """Give a file a second name, which does not exist."""
        ...

    def replace(self, key: str, to: str) -> None:
        """Rename a file, which replaces what has the new name; both are in the same folder."""
        ...

    def unlink(self, key: str) -> None:
        """Remove a file or a link."""
        ...

    def rmdir(self, key: str) -> None:
        """Remove an empty folder."""
        ...

    def close(self) -> None:
        """Close the folders."""
        ...


def listed(folder: str | int) -> list[Entry]:
    """Return what is in a folder, by its path or its descriptor, sorted by the bytes of names."""
    with os.scandir(folder) as entries:
        found = list(map(_entry, entries))
    if "".join(map(_NAME, found)).isascii():  # the order of their bytes is that of the names
        return sorted(found, key=_NAME)
    return sorted(found, key=lambda entry: os.fsencode(entry.name))


def _entry(entry: os.DirEntry[str]) -> Entry:
    """Return what an entry is; only links need another call of the system."""
    if entry.is_file(follow_symlinks=False):
        return Entry(entry.name, "file", False)
    is_link = entry.is_symlink()
    try:
        if entry.is_file():
            return Entry(entry.name, "file", is_link)
        return Entry(entry.name, "folder" if entry.is_dir() else "", is_link)
    except OSError:
        if is_link:  # it is broken or circular
            return Entry(entry.name, "", True)
        raise
