"""A single file on the disk, read by ranges."""

from __future__ import annotations

import os

from ncz.errors import StoreMissing
from ncz.zmap.file.ranges import check_range, closed_file, whole
from ncz.zmap.local.positioned import UnchangedFile
from ncz.zmap.os_errors import storage_error


class LocalFile:
    """A file on the disk. Forked processes can continue to read it."""

    def __init__(self, path: str) -> None:
        self.url = path
        self.path = path
        self.address = os.path.abspath(path)
        try:
            self._file = UnchangedFile(path)
        except FileNotFoundError as error:
            raise StoreMissing("no file exists at this path", path, "check the path") from error
        except (OSError, ValueError) as error:
            raise storage_error(error, path, "read") from error
        self.size = self._file.size
        self._is_open = True

    def read(self, start: int, count: int) -> bytes:
        """Return a part of the file; see `RangeFile.read`."""
        self._refuse_closed()
        check_range(self.url, self.size, start, count)
        try:
            data = self._file.read(start, count)
        except OSError as error:
            self._refuse_closed()  # by another thread while this one reads
            raise storage_error(error, self.url, "read") from error
        return whole(data, self.url, count)

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the path leads to another file now, or to a changed one."""
        try:
            self._file.check_path()
        except OSError as error:
            raise storage_error(error, self.url, "read") from error

    def close(self) -> None:
        """Close the file."""
        if self._is_open:
            self._is_open = False
            self._file.close()

    def _refuse_closed(self) -> None:
        if not self._is_open:
            raise closed_file(self.url)
