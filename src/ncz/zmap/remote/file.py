"""The single object at a store's own URL, as a file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from ncz.zmap.remote.store import RemoteZmap

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


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
