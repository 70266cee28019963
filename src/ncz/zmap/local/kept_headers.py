"""Headers of files that become one target, kept next to it until the target is complete.

The file (``.ncz-....headers``) has the headers that a command has read so far, so that the same
command need not read them again after it was interrupted. It is removed when the target is
complete, and `ncz clean` removes the file of a killed process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import threading
from collections.abc import Iterator
from typing import IO

from ncz.errors import add_note, may_pass, quantity
from ncz.zmap.local.build_names import HEADERS, name_start
from ncz.zmap.local.claims import refuse_planted
from ncz.zmap.local.locks import lock
from ncz.zmap.local.tree import NO_FOLLOW

_HEAD = struct.Struct("<16sII")
"""The hash of a record, and the sizes of its key and of its header."""

_TOGETHER = 32
"""Headers that are written together."""

_LARGEST = 1 << 28
"""Bytes of the largest header that is read back."""


class KeptHeaders:
    """The headers of an earlier run, and a file that receives the headers of this run.

    `count` is the number of headers of the earlier run that were used. All methods may be called
    from many threads.
    """

    def __init__(self, file: IO[bytes], version: str) -> None:
        self._file = file
        self._version = version
        self._places: dict[bytes, tuple[int, int]] = {}
        self._waiting = 0
        self._lock = threading.Lock()
        self.count = 0
        self._end = self._read()

    def _read(self) -> int:
        """Note the places of the headers, up to an incomplete one; return their end."""
        end = 0
        while len(head := self._file.read(_HEAD.size)) == _HEAD.size:
            digest, key_size, size = _HEAD.unpack(head)
            if size > _LARGEST or key_size > _LARGEST:
                break
            key, data = self._file.read(key_size), self._file.read(size)
            if _digest(key, data) != digest:
                break
            self._places[key] = (end + _HEAD.size + key_size, size)
            end += _HEAD.size + key_size + size
        return end

    def _key(self, name: str) -> bytes:
        return f"{self._version}\n{name}".encode("utf-8", "surrogateescape")

    def find(self, name: str) -> bytes | None:
        """Return the header of a file in a certain state; None if it is not kept."""
        place = self._places.get(self._key(name))
        if place is None:
            return None
        with self._lock:
            self._file.seek(place[0])
            return self._file.read(place[1])

    def note_use(self, count: int) -> None:
        """Count headers of the earlier run that are used."""
        with self._lock:
            self.count += count

    def add(self, name: str, data: bytes) -> None:
        """Keep the header of a file in a certain state."""
        with self._lock:
            self._add(self._key(name), data)

    def _add(self, key: bytes, data: bytes) -> None:
        self._file.seek(self._end)
        record = _HEAD.pack(_digest(key, data), len(key), len(data)) + key + data
        self._file.write(record)
        self._end += len(record)
        self._places[key] = (self._end - len(data), len(data))
        self._waiting += 1
        if self._waiting == _TOGETHER:
            self._file.flush()
            self._waiting = 0

    def __len__(self) -> int:
        return len(self._places)


def _digest(key: bytes, data: bytes) -> bytes:
    found = hashlib.blake2b(key, digest_size=16)
    found.update(data)
    return found.digest()


@contextlib.contextmanager
def kept_headers(target: str, version: str) -> Iterator[KeptHeaders | None]:
    """Yield the headers that are kept next to a target until the block ends without an error.

    An interrupt, or a temporary error, leaves them for the next run, with a note. None is yielded
    if no file can be kept, or another process keeps its own.

    Parameters
    ----------
    target
        The path of the target.
    version
        Headers with another version are not used.
    """
    path = _path_of(target)
    file = _open_and_lock(path, target)
    if file is None:
        yield None
        return
    with file:
        headers = KeptHeaders(file, version)
        stays = False
        try:
            yield headers
        except BaseException as error:
            stays = may_pass(error) and len(headers) > 0
            if stays:
                add_note(
                    error,
                    f"the headers of {quantity(len(headers), 'source')} are kept; run the same"
                    " command again to continue",
                )
            raise
        finally:
            if not stays:
                remove_headers(target)


def remove_headers(target: str) -> None:
    """Remove the headers that are kept next to a target, if there are some."""
    with contextlib.suppress(OSError):
        os.unlink(_path_of(target))


def _path_of(target: str) -> str:
    path = os.path.abspath(target)
    return os.path.join(os.path.dirname(path), name_start(path) + HEADERS)


def _open_and_lock(path: str, target: str) -> IO[bytes] | None:
    """Open the file, which must be this user's own, and lock it."""
    flags = os.O_RDWR | os.O_CREAT | NO_FOLLOW
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags, 0o600)
    except OSError:  # this user cannot write to the folder
        return None
    file = open(number, "r+b")  # noqa: SIM115 - closed by the caller
    try:
        refuse_planted(os.fstat(number), path, target, is_file=True)
        if lock(number):
            return file
    except BaseException:
        file.close()
        raise
    file.close()
    return None
