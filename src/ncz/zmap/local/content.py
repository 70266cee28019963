"""The content of open files, read at an offset, checked or copied as a whole."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from typing import overload

from ncz.errors import ZmapError, changed, changed_file, storage_error
from ncz.zmap.byte_range import Accept
from ncz.zmap.key import display
from ncz.zmap.local.tree import READ, Tree, version_of

# Read an open file at an offset, without its position, which other readers may share.

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
    """An open file that must stay as it is until it is closed; `path` names it in errors."""

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


_SMALL = 1 << 16  # bytes of a file that is read at once
_HEAD = 256  # bytes that are read at once from the start of a larger one, where headers are
_BLOCK = 1 << 30  # bytes that the system copies with one call
_PIECE = 1 << 20  # bytes that are read and written at once


class FileContent:
    """The bytes of an open file.

    Attributes
    ----------
    number
        The file's descriptor, which the caller closes.
    whole
        All bytes, if they were read at once; otherwise None.

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
        """Let the system copy, which may share the blocks on the disk; return how much it did."""
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
    """Write all bytes; the system may write only some of them at once."""
    count = os.write(number, value)
    if count < len(value):
        rest = memoryview(value)[count:]
        while rest:
            rest = rest[os.write(number, rest) :]


# Copy a file that needs nothing but to be copied, with few steps, as a store may have millions.


def copy_file(
    source: Tree,
    key: str,
    target: Tree,
    to: str,
    accept: Accept,
    location: Callable[[str], str],
) -> int | None:
    """Copy a file into a folder that exists, unless more than that has to be done.

    Parameters
    ----------
    source, key
        The file.
    target, to
        The tree and the key of the copy.
    accept
        Called with the file's content; returns whether it is to be copied.
    location
        Returns how messages name the file with a key of `source`.

    Returns
    -------
    int or None
        The size of the file in bytes. None means that nothing was done: the file cannot be
        opened, is not a regular file or was not accepted, or the target has a file of this name.

    Raises
    ------
    ZmapError
        If the file cannot be read to its end, or changes meanwhile.
    OSError
        If the copy cannot be written.
    """
    try:
        number = source.open(key, READ)
    except OSError:
        return None
    try:
        try:
            before = os.fstat(number)
            content = FileContent(number, before.st_size)
            if not (stat.S_ISREG(before.st_mode) and accept(content)):
                return None
        except OSError as error:
            raise storage_error(error, location(key), "read") from error
        try:
            descriptor = target.create(to)
        except FileExistsError:
            return None
        try:
            try:
                content.copy_to(descriptor, display(key))
                if version_of(os.fstat(number)) != version_of(before):
                    raise changed(location(key))
            finally:
                os.close(descriptor)
        except BaseException:
            with contextlib.suppress(OSError):  # must not hide the first error
                target.unlink(to)
            raise
        return before.st_size
    finally:
        os.close(number)
