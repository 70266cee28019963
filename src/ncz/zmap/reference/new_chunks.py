"""New chunks of a reference set, which are written into files of the folder next to it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from typing import IO

from ncz.errors import NczError
from ncz.record import record
from ncz.system_errors import storage_errors
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.location import Location
from ncz.zmap.reference.chunk_folder import ChunkFolder, chunk_folder, names_in_use
from ncz.zmap.reference.seals import HEAD, Seal, head_of

LARGEST_CHUNK_FILE = 64 << 20
"""Size in bytes of a file in the folder next to a set; the chunk after it goes to another file."""

_DIGITS = 32


@record(kw_only=True)
class ChunkFile:
    """A file in the folder of a set: its absolute path or URL, and its state."""

    address: str
    seal: Seal


class NewChunks:
    """Chunks that are added to the folder of the set at a location.

    Each file is put in place when it is complete. The set that refers to it is written next, and
    then files that only the replaced set used are removed.
    """

    def __init__(self, location: Location) -> None:
        self._location = location
        self._folder: ChunkFolder = chunk_folder(location)
        self._writing = contextlib.ExitStack()
        self._path: str | None = None
        self._file: IO[bytes] | None = None
        self._hash = hashlib.sha256()
        self._head = bytearray()
        self._size = 0
        self._count = 0
        self._names: list[str] = []
        self.files: dict[str, ChunkFile] = {}
        """The files that are in their places, by the names that `add` gave them."""

    def add(self, data: bytes) -> ByteRange:
        """Write a chunk; the URL of its place is a name in `files` when the file is complete."""
        if self._size >= LARGEST_CHUNK_FILE:
            self.finish()
        with storage_errors(self._folder.display, "write"):
            if self._path is None:
                self._path = self._writing.enter_context(self._folder.write_access())
            if self._file is None:
                self._file = open(self._path, "xb")  # noqa: SIM115 - closed by `finish`
            self._file.write(data)
        place = ByteRange(f"new:{self._count}", self._size, len(data))
        self._hash.update(data)
        self._head += data[: HEAD - len(self._head)]
        self._size += len(data)
        return place

    def finish(self) -> None:
        """Move the file that is written into its place."""
        if self._file is None or self._path is None:
            return
        with storage_errors(self._folder.display, "write"):
            self._file.close()
        name = self._hash.hexdigest()[:_DIGITS]
        self._names.append(name)  # before it is moved, so that `abandon` removes it
        self._folder.put(name, self._path)
        self.files[f"new:{self._count}"] = ChunkFile(
            address=self._folder.address(name),
            seal=Seal(self._size, None, None, head_of(bytes(self._head))),
        )
        self._file, self._hash, self._size = None, hashlib.sha256(), 0
        self._head.clear()
        self._count += 1

    @contextlib.contextmanager
    def replace_set(self, *, overwrite: bool) -> Iterator[None]:
        """Write the set during the block, and then remove the files that nothing uses any more.

        After an error, files that were added are removed, unless the set uses them.
        """
        before = self._names_in_use() if overwrite and self._folder.files() else set()
        try:
            yield
        except BaseException:
            self.abandon()
            raise
        self._writing.close()
        self._path = None
        if before:
            with contextlib.suppress(NczError):  # the set is whole, and `clean` removes the rest
                unused = before - names_in_use(self._location)
                with self._folder.alone():
                    self._folder.delete(sorted(unused))

    def abandon(self) -> None:
        """Remove the new chunks, unless the set at the location uses them."""
        if self._path is None:
            return
        with contextlib.suppress(NczError, OSError):  # must not hide the first error
            if self._file is not None:
                self._file.close()
                self._file = None
                os.unlink(self._path)
            added = set(self._names)
            self._folder.delete(sorted(added - names_in_use(self._location) if added else ()))
        self._writing.close()
        self._path = None

    def _names_in_use(self) -> set[str]:
        with contextlib.suppress(NczError):  # an unreadable set is replaced, too
            return names_in_use(self._location)
        return set()
