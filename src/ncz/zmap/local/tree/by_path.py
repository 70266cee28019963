"""Files that are opened by their whole paths.

This is for stores whose links the user wants to be followed, and for systems that cannot open a
file from the descriptor of its folder. There links are looked for before a path is used, so that
they are not followed unless someone plants one at that moment.
"""

from __future__ import annotations

import errno
import os
import stat

from ncz.zmap.local.tree import NO_FOLLOW, Entry, listed

_CREATE = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL
    | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | NO_FOLLOW
)  # fmt: skip


class PathTree:
    """The files below the folder at `root`; `follow` says whether links in it are followed."""

    def __init__(self, root: str, *, follow: bool = False) -> None:
        self._start = os.path.join(root, "")
        self._follow = follow
        self._checked = {""}

    def open(self, key: str, flags: int) -> int:
        """Open a file; see `Tree.open`."""
        self._refuse_link(key)
        return os.open(self._start + key, flags)

    def status(self, key: str) -> os.stat_result:
        """Return the status of a file, a folder or a link itself."""
        self._refuse_folder(key.rpartition("/")[0])
        path = self._start + key
        return os.stat(path) if self._follow else os.lstat(path)

    def scan(self, key: str) -> list[Entry]:
        """List a folder; see `Tree.scan`."""
        self._refuse_folder(key)
        return listed(self._start + key)

    def check_root(self) -> None:
        """Do nothing: a path leads to whatever folder has it now."""

    def make_folder(self, key: str) -> None:
        """Create a folder and those above it, unless they exist."""
        self._refuse_folder(key)
        os.makedirs(self._start + key, exist_ok=True)

    def create(self, key: str) -> int:
        """Create a file; see `Tree.create`."""
        self._refuse_folder(key.rpartition("/")[0])
        return os.open(self._start + key, _CREATE, 0o666)

    def link(self, path: str, key: str) -> None:
        """Give a file a second name, which does not exist."""
        self._refuse_folder(key.rpartition("/")[0])
        os.link(path, self._start + key)

    def replace(self, key: str, to: str) -> None:
        """Rename a file; see `Tree.replace`."""
        os.replace(self._start + key, self._start + to)

    def unlink(self, key: str) -> None:
        """Remove a file or a link."""
        self._refuse_folder(key.rpartition("/")[0])
        os.unlink(self._start + key)

    def rmdir(self, key: str) -> None:
        """Remove an empty folder."""
        self._checked.discard(key)
        os.rmdir(self._start + key)

    def close(self) -> None:
        """Do nothing: no folder is open."""

    def _refuse_folder(self, key: str) -> None:
        """Raise `OSError` if a folder or one above it is a link."""
        if key in self._checked or self._follow:
            return
        self._refuse_folder(key.rpartition("/")[0])
        self._refuse_link(key)
        self._checked.add(key)

    def _refuse_link(self, key: str) -> None:
        if self._follow:
            return
        if "/" in key:
            self._refuse_folder(key.rpartition("/")[0])
        try:
            is_link = stat.S_ISLNK(os.lstat(self._start + key).st_mode)
        except OSError:
            return  # using it will tell
        if is_link and key:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), self._start + key)
