"""A file on the disk that a store can continue to read after a fork."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any, BinaryIO

from ncz.zmap.local.positioned import HAS_PREAD, UnchangedFile
from ncz.zmap.os_errors import storage_error


def read_part_of(path: str, start: int, count: int) -> bytes:
    """Read bytes of a file at an offset, on a system that cannot do it with an open file."""
    with open(path, "rb") as file:
        file.seek(start)
        return file.read(count)


class PositionedFile(io.RawIOBase):
    """A file whose position is not shared with a forked process, unlike the system's own.

    Reading raises `OSError` if the file has changed since it was opened.
    """

    def __init__(self, file: UnchangedFile) -> None:
        self._file = file
        self._at = 0

    def part(self, start: int, count: int) -> bytes:
        """Read bytes at an offset, while other threads may read too."""
        return self._file.read(start, count)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._file.number

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Change the position; see `io.IOBase.seek`."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at}.get(whence)
        self._at = (self._file.size if start is None else start) + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read at the position; see `io.RawIOBase.readinto`."""
        data = self._file.read(self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._file.close()
        super().close()


def open_file(path: str, url: str) -> tuple[BinaryIO, Callable[[int, int], bytes]]:
    """Open a file for reading; `url` is its name in messages.

    Returns the file, and a function that reads bytes at an offset without its position.
    """
    try:
        if HAS_PREAD and not os.path.isdir(path):
            file = PositionedFile(UnchangedFile(path))
            return io.BufferedReader(file), file.part
        return open(path, "rb"), lambda start, count: read_part_of(path, start, count)
    except (OSError, ValueError) as error:
        raise storage_error(error, url, "read") from error
