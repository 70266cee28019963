"""A zip file or another single object on a server: read in place, and sent as one object."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap import WritableZmap
from ncz.zmap.foreign import LONGEST_SIGNATURE, refuse_foreign
from ncz.zmap.kinds import is_zip
from ncz.zmap.local.zip import ZipWriter, ZipZmap, group_in_zip, layout_prefix
from ncz.zmap.location import Location
from ncz.zmap.remote.creation import refuse_existing, sent_file
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# The single object at a store's own URL, as a file.


class RemoteFile(io.RawIOBase):
    """The object at the URL of `zmap`, of `size` bytes, which can be read at any position."""

    def __init__(self, zmap: RemoteZmap, size: int) -> None:
        super().__init__()
        self._zmap = zmap
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Change the position; see `io.IOBase.seek`."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if self._at < 0:
            raise ValueError("the position is before the start of the file")
        return self._at

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read at the position with one request; see `io.RawIOBase.readinto`."""
        view = memoryview(buffer).cast("B")
        count = min(len(view), max(0, self._size - self._at))
        value = self._zmap.file_range(self._at, count) if count else b""
        view[: len(value)] = value
        self._at += len(value)
        return len(value)

    def close(self) -> None:
        """Release the connections."""
        if not self.closed:
            self._zmap.close()
        super().close()


_BUFFER = 1 << 18  # bytes of a request within a zip file


def is_zip_name(location: Location) -> bool:
    """Return whether the URL or its mode names a zip file."""
    named = location.path.lower().endswith(".zip")
    return named or location.inside is not None or "zip" in location.modes


def missing(url: str) -> StoreMissing:
    """Return the error for a URL at which no store exists."""
    return StoreMissing("no store exists at this URL", location=url, hint="check the URL")


def open_remote_zip(zmap: RemoteZmap, inside: str = "") -> ZipZmap:
    """Open the zip file at the URL of `zmap`, which is closed with it, or a group in it."""
    size = zmap.file_size()
    if size is None:
        raise missing(zmap.url)
    first = zmap.first_bytes(min(LONGEST_SIGNATURE, size))
    refuse_foreign(first, zmap.url)
    if first[:2] != b"PK":
        raise ZmapError(
            "this is a single object, but not a zip file", zmap.url, "give the URL of a store"
        )
    zmap.require_ranges()
    file = io.BufferedReader(RemoteFile(zmap, size), _BUFFER)
    return ZipZmap(
        zmap.url, file=file, inside=inside, read_part=zmap.file_range, address=zmap.file_address
    )


def starts_as(zmap: RemoteZmap, is_known: Callable[[bytes], bool]) -> bool:
    """Return whether the first bytes of a file at the URL itself are known.

    Raises `ForeignFile` for a file of another format that is not a store.
    """
    size = zmap.file_size()
    first = zmap.first_bytes(min(LONGEST_SIGNATURE, size)) if size else b""
    found = is_known(first)
    if not found:
        refuse_foreign(first, zmap.url)
    return found


@contextlib.contextmanager
def create_remote_zip(
    remote: WritableRemoteZmap, location: Location, overwrite: bool
) -> Iterator[WritableZmap]:
    """Create a zip file in a temporary folder, and send it when the block ends without an error.

    Raises `StoreExists` if something else exists at the URL, and `ZmapError` if the file is too
    large for one request.
    """
    if location.inside:
        raise group_in_zip(remote.url)
    refuse_existing(
        remote, overwrite=overwrite, replaces=is_zip, first=LONGEST_SIGNATURE, what="a zip file"
    )
    with sent_file(remote, "the zip file") as path:
        writer = ZipWriter(path, remote.url, prefix=layout_prefix(location))
        try:
            yield writer
            writer.close()
        except BaseException:
            writer.discard()
            raise
