"""A single file on the disk, read by ranges."""

from __future__ import annotations

import os
from typing import Any

from ncz.errors import StoreMissing
from ncz.system_errors import changed_object_error, storage_error, storage_errors
from ncz.zmap import announce_store
from ncz.zmap.local.offset_reads import UnchangedFile
from ncz.zmap.local.tree import Version
from ncz.zmap.location import Location
from ncz.zmap.range_file import RangeFile, check_range, closed_file, whole


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

    def __reduce__(self) -> tuple[Any, ...]:
        return _open_again, (self.path, self._file.version)

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
        with storage_errors(self.url, "read"):
            self._file.check_path()

    def close(self) -> None:
        """Close the file."""
        if self._is_open:
            self._is_open = False
            self._file.close()

    def _refuse_closed(self) -> None:
        if not self._is_open:
            raise closed_file(self.url)


def _open_again(path: str, version: Version) -> LocalFile:
    """Open a file that was pickled; raise `ZmapError` if it has changed since."""
    file = LocalFile(path)
    if file._file.version != version:
        file.close()
        raise changed_object_error(path)
    return file


def open_file(location: Location) -> RangeFile:
    """Open the file at a location.

    Raises
    ------
    StoreMissing
        If no file exists there.
    ZmapError
        If the storage refuses access, or cannot read parts of a file.
    """
    if location.kind == "remote":
        from ncz.zmap.remote.opening import ServerFile

        return announce_store(ServerFile(location), location.address)
    return announce_store(LocalFile(location.path), location.address)
