"""Remote object stores, one request at a time: S3, http(s), and any file system of fsspec.

A path here is the whole name of an object on its server; keys are `ncz.zmap.remote.store`'s
business, and
so are retries. An absent object is None. What goes wrong comes out as the library under it has it;
`is_transient` says whether the same request may succeed when it is sent again, and an object
store's `refusal` puts the error in words. fsspec, s3fs and aiohttp are imported when a store is
made, and not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from ncz.errors import ZmapError
from ncz.record import record

_T = TypeVar("_T")


@record
class RetryPolicy:
    """How long to wait, how often to try, and how many requests to have under way at once.

    Times are in seconds; an upload slower than `slowest` bytes a second is given up. The wait
    before a request is sent again doubles each time, from `first_wait` to `longest_wait`, and is
    cut by chance by up to a half.
    """

    connect: float = 10.0
    read: float = 30.0
    attempts: int = 5
    first_wait: float = 0.25
    longest_wait: float = 10.0
    slowest: float = 8000.0
    parallel: int = 32


@record
class Page:
    """A part of a listing, as paths; `token` asks for the next part, and None is the end.

    `sizes` has the bytes of each object, in the same order, if the listing tells them.
    """

    objects: Sequence[str]
    folders: Sequence[str] = ()
    token: str | None = None
    sizes: Sequence[int] = ()


class ObjectStore(Protocol):
    """What a server can be asked for."""

    most_deleted: int
    """How many objects one request can delete; 0 if the store is read-only and has no listing."""

    serves_ranges: bool
    """False once a part of an object was asked for and the whole of it came."""

    def get(self, path: str) -> bytes | None:
        """The whole object."""
        ...

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """`count` > 0 bytes from `start`, fewer at the end; a negative `start` is from the end."""
        ...

    def size(self, path: str) -> int | None:
        """The object's size in bytes."""
        ...

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """The objects and folders in a folder ("" or with a slash at its end), or all below it."""
        ...

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""
        ...

    def delete(self, paths: Sequence[str]) -> None:
        """Remove up to `most_deleted` objects; those that are absent are no error."""
        ...

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """The error that says what `error` means when `action` ("read", "write", ...) failed."""
        ...

    def close(self) -> None:
        """Give back the connections."""
        ...
