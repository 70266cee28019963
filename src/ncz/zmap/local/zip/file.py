"""A file on the disk that a store can continue to read after a fork."""

from __future__ import annotations

import io
import os
from typing import Any, BinaryIO

from ncz.zmap.local.positioned import HAS_PREAD
from ncz.zmap.os_errors import storage_error


def read_part_of(path: str, start: int, count: int) -> bytes:
    """Read bytes of a file at an offset, on a system that cannot do it with an open file."""
    with open(path, "rb") as file:
        file.seek(start)
        return file.read(count)


class PositionedFile(io.RawIOBase):
    """A file whose position is not shared with a forked process, unlike the system's own."""

    def __init__(self, path: str) -> None:
        self._number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._number

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Change the position; see `io.IOBase.seek`."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at}.get(whence)
        self._at = (os.fstat(self._number).st_size if start is None else start) + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read at the position; see `io.RawIOBase.readinto`."""
        data = os.pread(self._number, len(buffer), self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            os.close(self._number)
        super().close()


def open_file(path: str, url: str) -> BinaryIO:
    """Open a file for reading; `url` is its name in messages."""
    try:
        if HAS_PREAD and not os.path.isdir(path):
            return io.BufferedReader(PositionedFile(path))
        return open(path, "rb")
    except (OSError, ValueError) as error:
        raise storage_error(error, url, "read") from error
