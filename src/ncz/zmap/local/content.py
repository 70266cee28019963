"""The content of a file, which is checked, sent or copied as a whole."""

from __future__ import annotations

import errno
import os
from typing import overload

from ncz.errors import ZmapError
from ncz.system_errors import changed_file, storage_error
from ncz.zmap.local.offset_reads import read_at

_SMALL = 1 << 16  # bytes of a file that is read in one call
_HEAD = 256  # bytes that are read first from a larger file, because headers are at its start
_BLOCK = 1 << 30  # bytes that the system copies with one call
_PIECE = 1 << 20  # bytes that are read and written in one call


class FileContent:
    """The bytes of an open file.

    Attributes
    ----------
    number
        The file's descriptor, which the caller closes.
    whole
        All bytes, if one call read them; otherwise None.

    Parameters
    ----------
    number
        The descriptor.
    size
        The file's size when it was opened.
    """

    __slots__ = ("_head", "_size", "number", "whole")

    def __init__(self, number: int, size: int) -> None:
        self.number = number
        self._size = size
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
        if self.whole is not None:
            return self.whole[first:last]
        if self._size <= _SMALL:
            return self._read(0, self._size)[first:last]
        if last <= _HEAD:
            if self._head is None:
                self._head = self._read(0, _HEAD)
            return self._head[first:last]
        return self._read(first, last - first)

    def copy_to(self, target: int, location: str) -> None:
        """Write all bytes to an open file, within the operating system if it can.

        Raises `OSError` if the target cannot be written, and `ZmapError` with `location` if this
        file cannot be read.
        """
        if self.whole is not None:
            write_all(target, self.whole)
            return
        copied = self._copied_by_system(target)
        while copied < self._size or not copied:
            try:
                block = read_at(self.number, copied, _PIECE)
            except OSError as error:
                raise storage_error(error, location, "read") from error
            if not block and copied < self._size:
                raise ZmapError("the file became shorter while it was read", location, "try again")
            if not block:
                return
            write_all(target, block)
            copied += len(block)

    def _copied_by_system(self, target: int) -> int:
        """Let the system copy, which may share the blocks on the disk; return the copied bytes."""
        copied = 0
        copy = getattr(os, "copy_file_range", None)
        try:
            while copy is not None and copied < self._size:
                count = copy(self.number, target, _BLOCK, copied)
                if not count:
                    break
                copied += count
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            # Two file systems that do not support it, or an error of either file, which then
            # occurs again: the rest is copied here.
        return copied

    def _read(self, start: int, count: int) -> bytes:
        value = read_at(self.number, start, count)
        if len(value) < count:  # checks would take the part for the whole
            raise changed_file("")
        if len(value) == self._size:
            self.whole = value
        return value


def write_all(number: int, value: bytes) -> None:
    """Write all bytes; one call of the system may write only some of them."""
    count = os.write(number, value)
    if count < len(value):
        rest = memoryview(value)[count:]
        while rest:
            rest = rest[os.write(number, rest) :]
