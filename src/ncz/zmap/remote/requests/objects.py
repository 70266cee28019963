"""The protocol of remote object stores, which make one request at a time.

A path is the complete name of an object on its server; `ncz.zmap.remote.store` turns keys into
paths. A missing object is None. Errors are those of the underlying library:
`ncz.zmap.remote.requests.errors.is_transient` decides whether to retry, and
`ObjectStore.storage_error` turns an error into a message. fsspec, s3fs and obstore are imported
when a store is created.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.remote.requests.versions import Version, Versions

TIMEOUT = 60.0
"""The default timeout, in seconds."""


@record
class RetryPolicy:
    """Timeouts, retries and the number of parallel requests.

    Attributes
    ----------
    timeout
        The time in seconds after which a server that does not answer is given up, in all attempts
        of a request.
    connect, read
        The time in seconds that one attempt waits for a connection, and for the next bytes.
    attempts
        The most attempts for each request.
    first_wait, longest_wait
        The wait before a retry, in seconds. It doubles each time up to the longest wait, and is
        reduced at random by up to a half.
    slowest
        The rate in bytes per second below which an upload fails.
    slowest_read
        The rate in bytes per second below which a download fails, over the whole timeout.
    parallel
        The number of requests that run at once.
    ahead
        The bytes that are fetched before they are read; None is `ncz.zmap.remote.prefetch.HELD`.
    """

    timeout: float = TIMEOUT
    connect: float = TIMEOUT / 8
    read: float = 0.35 * TIMEOUT
    attempts: int = 5
    first_wait: float = 0.25
    longest_wait: float = 10.0
    slowest: float = 8000.0
    slowest_read: float = 100.0
    parallel: int = 32
    ahead: int | None = None

    @staticmethod
    def within(timeout: float) -> RetryPolicy:
        """Return the policy for a timeout in seconds; two attempts at a request fit into it."""
        return RetryPolicy(timeout, min(10.0, timeout / 8), 0.35 * timeout)


@record
class Page:
    """A part of a listing, as paths.

    Attributes
    ----------
    objects, folders
        The paths of objects, and of folders with a slash at the end.
    token
        Requests the next part; None at the end of the listing.
    sizes
        The size of each object in bytes, in the same order; empty if the listing has no sizes.
    """

    objects: Sequence[str]
    folders: Sequence[str] = ()
    token: str | None = None
    sizes: Sequence[int] = ()


class ObjectStore(Protocol):
    """The requests that a server answers."""

    versions: Versions
    """The versions of documents, and of objects that are read in parts."""

    most_deleted: int
    """The number of objects that one request can delete; 0 if the store is read-only and cannot be
    listed."""

    serves_ranges: bool
    """False once the server answered a range request with the whole object."""

    def get(self, path: str, limit: int) -> bytes | None:
        """Read a whole object; None if it does not exist.

        No more than ``limit + 1`` bytes are read, so that a longer result means a larger object.
        """
        ...

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Read `count` > 0 bytes from `start`, or fewer at the end of the object.

        A negative `start` counts from the end. None if the object does not exist.
        """
        ...

    def size(self, path: str) -> int | None:
        """Return the size of an object in bytes; None if it does not exist."""
        ...

    def version(self, path: str) -> Version | None:
        """Return the version of an object; None if it does not exist."""
        ...

    def address(self, path: str) -> str:
        """Return the URL by which other programs find an object."""
        ...

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """List up to `most` objects and folders.

        `folder` is "" or has a slash at its end. With `deep`, list all objects below it, and no
        folders.
        """
        ...

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""
        ...

    def put_new(self, path: str, value: bytes) -> bool:
        """Create an object; return False if it exists.

        A server that cannot do so only if nothing exists replaces the object and returns True.
        """
        ...

    def delete(self, paths: Sequence[str]) -> None:
        """Delete up to `most_deleted` objects; missing ones are ignored."""
        ...

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """Return the `ZmapError` for an `error` of the library; `action` is "read", "write", ..."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
