"""Files that are read by ranges."""

from __future__ import annotations

import errno
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from ncz.errors import ZmapError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class RangeFile(Protocol):
    """A file that many threads can read at any offset."""

    @property
    def url(self) -> str:
        """The file's path or URL, as messages show it."""
        ...

    @property
    def size(self) -> int:
        """The number of its bytes."""
        ...

    @property
    def path(self) -> str | None:
        """The path of a local file; None for a file on a server."""
        ...

    @property
    def address(self) -> str:
        """The absolute path or the URL of the file for other programs."""
        ...

    def read(self, start: int, count: int) -> bytes:
        """Return `count` bytes from the offset `start`.

        Raises `ZmapError` if the file ends before, or cannot be read.
        """
        ...

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the file has changed since it was opened."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


def check_range(url: str, size: int, start: int, count: int) -> None:
    """Raise `ZmapError` for a range that is not within the file."""
    if start < 0 or count < 0 or start + count > size:
        raise ZmapError(
            f"the file is truncated or damaged: bytes {start} to {start + count} are not within its"
            f" {size} bytes",
            url,
            "download or create it again",
        )


def closed_file(url: str) -> ZmapError:
    """Return the error for reading a file after its end, or at its end in another thread."""
    return ZmapError("the file is closed", url, "open it again")


def whole(data: bytes, url: str, count: int) -> bytes:
    """Return `data`; raise `ZmapError` if it has fewer bytes than requested."""
    if len(data) != count:
        raise ZmapError("the file became shorter while it was read", url, "read it again")
    return data


class PositionedFile(io.RawIOBase):
    """A file with a separate position, for libraries that read files.

    It is not shared with a forked process, unlike the system's own.

    Parameters
    ----------
    size
        The number of bytes.
    part
        Reads bytes, given the offset of the first one and their number. Other threads may call it.
    release
        Called when the file is closed.
    """

    def __init__(
        self,
        size: int,
        part: Callable[[int, int], bytes],
        release: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__()
        self._size = size
        self.part = part
        self._release = release
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Change the position; see `io.IOBase.seek`."""
        at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if at < 0:  # zipfile looks for a record before the start of a short file
            raise OSError(errno.EINVAL, "the position is before the start of the file")
        self._at = at
        return at

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read at the position with one call of `part`; see `io.RawIOBase.readinto`."""
        view = memoryview(buffer).cast("B")
        count = min(len(view), max(0, self._size - self._at))
        value = self.part(self._at, count) if count else b""
        view[: len(value)] = value
        self._at += len(value)
        return len(value)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._release()
        super().close()
