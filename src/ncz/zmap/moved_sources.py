"""Files that a store refers to, and that were moved to another folder, bucket or server."""

from __future__ import annotations

import os

from ncz.record import record


@record(kw_only=True)
class Move:
    """A prefix of paths or URLs, and the new one. Neither ends in a slash."""

    old: str
    new: str

    @staticmethod
    def of(old: str, new: str) -> Move:
        """Return a move from the names that a user gives; paths are from the working folder."""
        return Move(old=_absolute(old), new=_absolute(new))

    def new_name(self, name: str) -> str | None:
        """Return the new name of a file by its absolute path or URL; None if it does not move."""
        if name == self.old:
            return self.new
        rest = name.removeprefix(self.old + "/")
        return None if rest == name else f"{self.new}/{rest}"


def _absolute(name: str) -> str:
    if "://" in name and not name.startswith("file://"):
        return name.rstrip("/")
    path = os.path.abspath(name.removeprefix("file://"))
    return path.replace(os.sep, "/").rstrip("/")


Moved = tuple[str, str]
"""The old and the new name of a file or of a folder, as a store writes them."""
