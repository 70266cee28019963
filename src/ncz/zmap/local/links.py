"""Symbolic links in directories that are read: they may not lead out of the store.

A store from someone else may hold a link to any file of its reader, whose content would be printed
or copied as data. Links within the store are followed.
"""

from __future__ import annotations

import os
import stat

from ncz.errors import ZmapError

NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
"""The flag with which opening a symbolic link fails; 0 on systems without it."""


class LinkCheck:
    """Decides which links of a directory may be followed.

    Parameters
    ----------
    root
        The absolute path of the directory, which may itself be a link.
    follow
        Whether all links may be followed.
    """

    def __init__(self, root: str, follow: bool) -> None:
        self._root = root
        self._start = os.path.join(root, "")
        self._inside: str | None = None
        self.follow = follow
        self._checked = {root}

    def check_folder(self, folder: str, location: str) -> None:
        """Raise `ZmapError` if the path of a folder below the root leads out of it."""
        if self.follow or folder in self._checked:
            return
        at = folder
        while at not in self._checked and at.startswith(self._start):
            try:
                is_link = stat.S_ISLNK(os.lstat(at).st_mode)
            except OSError:
                return  # opening it will tell
            if is_link:
                self.check_link(at, location)
            at = os.path.dirname(at)
        self._checked.add(folder)

    def check_link(self, path: str, location: str) -> None:
        """Raise `ZmapError` if a link leads out of the root."""
        if self.follow:
            return
        if self._inside is None:
            self._inside = os.path.join(os.path.realpath(self._root), "")
        target = os.path.realpath(path)
        if not os.path.join(target, "").startswith(self._inside):
            raise ZmapError(
                "a symbolic link leads out of the store",
                location,
                "add #mode=follow-links to the path if you trust the store",
            )
