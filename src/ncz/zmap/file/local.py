"""A single file on the disk, read by ranges."""

from __future__ import annotations

import os

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.file.ranges import check_range, whole
from ncz.zmap.local.positioned import HAS_PREAD, read_at
from ncz.zmap.local.zip.file import read_part_of
from ncz.zmap.os_errors import storage_error


class LocalFile:
    """A file on the disk. Forked processes can continue to read it."""

    def __init__(self, path: str) -> None:
        self.url = path
        self.path = path
        self.address = os.path.abspath(path)
        try:
            self._number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
            self.size = os.fstat(self._number).st_size
        except FileNotFoundError as error:
            raise StoreMissing("no file exists at this path", path, "check the path") from error
        except (OSError, ValueError) as error:
            raise storage_error(error, path, "read") from error
        self._is_open = True

    def read(self, start: int, count: int) -> bytes:
        """Return a part of the file; see `RangeFile.read`."""
        if not self._is_open:
            raise ZmapError("the file is closed", self.url)
        check_range(self.url, self.size, start, count)
        try:
            if HAS_PREAD:
                data = read_at(self._number, start, count)
            else:
                data = read_part_of(self.path, start, count)
        except OSError as error:
            raise storage_error(error, self.url, "read") from error
        return whole(data, self.url, count)

    def close(self) -> None:
        """Close the file."""
        if self._is_open:
            self._is_open = False
            os.close(self._number)
