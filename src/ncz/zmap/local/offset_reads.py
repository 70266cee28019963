"""Read an open file at an offset, without its position, which other readers may share."""

from __future__ import annotations

import os

from ncz.system_errors import changed_file
from ncz.zmap.local.tree import version_of

_LARGEST_CALL = 1 << 30  # bytes that one call of the system reads

HAS_PREAD = hasattr(os, "pread")
"""Whether the system can read at an offset without moving a file's position."""


def read_at(number: int, start: int, count: int) -> bytes:
    """Read bytes of an open file at an offset, or fewer at its end.

    Its position does not move, except on a system without `os.pread`.
    """
    parts = []
    while count > 0 and (part := _read(number, min(count, _LARGEST_CALL), start)):
        parts.append(part)
        start += len(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _read(number: int, count: int, start: int) -> bytes:
    if HAS_PREAD:
        return os.pread(number, count, start)
    os.lseek(number, start, os.SEEK_SET)
    return os.read(number, count)


class UnchangedFile:
    """An open file that must stay unchanged until it is closed; `path` names it in errors."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        status = os.fstat(self.number)
        self.size = status.st_size
        self.version = version_of(status)

    def read(self, start: int, count: int) -> bytes:
        """Read bytes at an offset; raise `OSError` if the file has changed since it was opened."""
        data = read_at(self.number, start, count) if HAS_PREAD else self._read_again(start, count)
        self.check()
        return data

    def check(self) -> None:
        """Raise `OSError` if the file has changed since it was opened."""
        if version_of(os.fstat(self.number)) != self.version:
            raise changed_file(self.path)

    def check_path(self) -> None:
        """Raise `OSError` if the path leads to another file now, or to a changed one."""
        if version_of(os.stat(self.path)) != self.version:
            raise changed_file(self.path)

    def close(self) -> None:
        """Close the file."""
        os.close(self.number)

    def _read_again(self, start: int, count: int) -> bytes:
        with open(self.path, "rb") as file:
            file.seek(start)
            return file.read(count)
