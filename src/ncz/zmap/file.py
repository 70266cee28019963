"""Open a single file at a location and read it by ranges, in blocks that are kept."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Any

from ncz.errors import StoreMissing, changed, storage_error, storage_errors
from ncz.zmap import watched
from ncz.zmap.byte_range import RangeFile, check_range, closed_file, whole
from ncz.zmap.local.positioned import UnchangedFile
from ncz.zmap.local.tree import Version
from ncz.zmap.location import Location

# A file read in blocks that are kept, for formats with small pieces of metadata in many places.

BLOCK = 1 << 18
"""Bytes of a block, each of which is one request of a remote file."""

_START = 4
"""Number of blocks at the start of the file that are read with one request."""

_MOST_BLOCKS = 256
"""Number of blocks that are kept."""


class BlockCache:
    """The bytes of `source`, which is read in blocks. They may be read by many threads.

    The start of the file, where formats keep most metadata, is read with one request. So are
    blocks that follow each other.
    """

    def __init__(self, source: RangeFile) -> None:
        self._source = source
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.RLock()

    def part(self, start: int, count: int) -> bytes:
        """Return bytes from an offset."""
        if count <= 0:
            return b""
        first, last = start // BLOCK, (start + count - 1) // BLOCK
        if last - first >= _MOST_BLOCKS // 2:
            return self._source.read(start, count)
        with self._lock:
            self._load(first, last)
            data = b"".join(self._blocks[number] for number in range(first, last + 1))
            while len(self._blocks) > _MOST_BLOCKS:
                self._blocks.popitem(last=False)
        return data[start - first * BLOCK :][:count]

    def _load(self, first: int, last: int) -> None:
        """Read the blocks from `first` to `last` that are missing."""
        if first == 0 and not self._blocks:
            last = max(last, _START - 1)
        number = first
        while number <= last:
            if number in self._blocks:
                self._blocks.move_to_end(number)
                number += 1
                continue
            end = number
            while end <= last and end not in self._blocks:
                end += 1
            start = number * BLOCK
            count = min(end * BLOCK, self._source.size) - start
            data = self._source.read(start, max(0, count))
            for block in range(number, end):
                at = (block - number) * BLOCK
                self._blocks[block] = data[at : at + BLOCK]
            number = end


# A single file on the disk, read by ranges.


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
        raise changed(path)
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

        return watched(ServerFile(location), location.address)
    return watched(LocalFile(location.path), location.address)
