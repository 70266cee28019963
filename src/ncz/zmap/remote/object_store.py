"""The interface of an object store, which every kind of server has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.remote.request_errors import read_only
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.versions import Version, Versions


@record
class ListingPage:
    """A part of a listing, as paths.

    Attributes
    ----------
    objects, folders
        The paths of objects, and of folders with a slash at the end.
    token
        Requests the next part; None at the end of the listing.
    sizes
        The size of each object in bytes, in the same order; empty if the listing has no sizes.
    modified
        When each object changed, in seconds since 1970; empty if the listing does not say.
    """

    objects: Sequence[str]
    folders: Sequence[str] = ()
    token: str | None = None
    sizes: Sequence[int] = ()
    modified: Sequence[float] = ()


class ObjectStore(ABC):
    """A transport: the requests that a server answers. A new one overrides the methods of its
    abilities.

    Attributes
    ----------
    versions
        The versions of documents, and of objects that are read in parts.
    retry_policy
        How requests are made.
    can_write, can_list
        Whether objects can be put and deleted, and listed.
    most_deleted
        The number of objects that one request can delete.
    serves_ranges
        False once the server answered a range request with the whole object.
    """

    versions: Versions
    retry_policy: RetryPolicy
    can_write = True
    can_list = True
    most_deleted = 1
    serves_ranges = True

    @abstractmethod
    def get(self, path: str, limit: int) -> bytes | None:
        """Read a whole object; None if it does not exist.

        No more than ``limit + 1`` bytes are read, so that a longer result means a larger object.
        """

    @abstractmethod
    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Read `count` > 0 bytes from `start`, or fewer at the end of the object.

        A negative `start` counts from the end. None if the object does not exist.
        """

    @abstractmethod
    def version(self, path: str) -> Version | None:
        """Return the version of an object, with its size; None if it does not exist."""

    def size(self, path: str) -> int | None:
        """Return the size of an object in bytes; None if it does not exist."""
        version = self.version(path)
        return None if version is None else version.size

    @abstractmethod
    def address(self, path: str) -> str:
        """Return the URL of an object for other programs."""

    @abstractmethod
    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> ListingPage:
        """List up to `most` objects and folders.

        `folder` is "" or has a slash at its end. With `deep`, list all objects below it, and no
        folders.
        """

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""
        raise read_only(self.address(""))

    def put_new(self, path: str, value: bytes) -> bool:
        """Create an object; return False if it exists.

        A server that cannot do so only if nothing exists replaces the object and returns True.
        """
        self.put(path, value)
        return True

    def delete(self, paths: Sequence[str]) -> None:
        """Delete up to `most_deleted` objects; missing ones are ignored."""
        raise read_only(self.address(""))

    @abstractmethod
    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """Return the `ZmapError` for an `error` of the library; `action` is "read", "write", ..."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections."""
