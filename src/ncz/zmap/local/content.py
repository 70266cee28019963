"""The content of an open file, of which only the parts that are asked for are read."""

from __future__ import annotations

import os
from io import RawIOBase
from typing import overload

from ncz.zmap.local.positioned import HAS_PREAD, read_at

_HEAD = 256  # bytes that are read at once from the start, where headers are


class FileContent:
    """The bytes of an unbuffered file, whose position does not move.

    Attributes
    ----------
    whole
        All bytes, if they were read at once; otherwise None.
    """

    def __init__(self, file: RawIOBase) -> None:
        self._file = file
        self._number = file.fileno()
        self._size = os.fstat(self._number).st_size
        self._head: bytes | None = None
        self.whole: bytes | None = None

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, part: int) -> int: ...
    @overload
    def __getitem__(self, part: slice) -> bytes: ...
    def __getitem__(self, part: int | slice) -> int | bytes:
        if isinstance(part, int):
            return self[part : part + 1 or None][0]
        first, last, _ = part.indices(self._size)
        if last <= _HEAD:
            if self._head is None:
                self._head = self._read(0, min(_HEAD, self._size))
            return self._head[first:last]
        value = self._read(first, last - first)
        if len(value) == self._size:
            self.whole = value
        return value

    def _read(self, start: int, count: int) -> bytes:
        if HAS_PREAD:
            return read_at(self._number, start, count)
        self._file.seek(start)
        parts = []
        while count > 0 and (part := self._file.read(count)):
            parts.append(part)
            count -= len(part)
        self._file.seek(0)
        return b"".join(parts)
