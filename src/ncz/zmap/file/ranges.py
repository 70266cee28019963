"""The protocol of a file that is read by ranges."""

from __future__ import annotations

from typing import Protocol

from ncz.errors import ZmapError


class RangeFile(Protocol):
    """A file that can be read at any offset, by many threads at once."""

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
        """The absolute path or the URL by which other programs find the file."""
        ...

    def read(self, start: int, count: int) -> bytes:
        """Return `count` bytes from the offset `start`.

        Raises `ZmapError` if the file ends before, or cannot be read.
        """
        ...

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the file is no longer what it was when it was opened."""
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
    """Return `data`; raise `ZmapError` if it has fewer bytes than were asked for."""
    if len(data) != count:
        raise ZmapError("the file became shorter while it was read", url, "read it again")
    return data
