"""A file read in blocks that are kept, for formats with small pieces of metadata in many places."""

from __future__ import annotations

import threading
from collections import OrderedDict

from ncz.zmap.range_file import RangeFile

BLOCK = 1 << 18
"""Bytes of a block; a remote file needs one request for each."""

_START = 4
"""Number of blocks at the start of the file that are read with one request."""

_MOST_BLOCKS = 256
"""Number of blocks that are kept."""


class BlockCache:
    """The bytes of `source`, which is read in blocks. They may be read by many threads.

    The start of the file, where formats keep most metadata, is read with one request. The same
    applies to blocks that follow each other.
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
