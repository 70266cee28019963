"""The versions of objects, which a server states when it sends one.

An object that is read in parts must have the same version each time. The metadata documents that
described a store must still have it at the end of a copy.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Mapping, Sequence

from ncz.record import record

_MOST_PARTS = 1 << 16
"""The number of objects read in parts whose versions are remembered."""


@record
class Version:
    """The server's description of an object; None for properties that it does not have.

    Attributes
    ----------
    tag
        An identifier of the content, such as an ETag.
    modified
        The time of the last change, as text.
    size
        The number of bytes.
    """

    tag: str | None = None
    modified: str | None = None
    size: int | None = None

    def differs(self, other: Version) -> bool:
        """Return whether the two versions certainly have different contents.

        The identifier decides, if both have one.
        """
        if self.tag is not None and other.tag is not None:
            return self.tag != other.tag
        pairs = ((self.modified, other.modified), (self.size, other.size))
        return any(a is not None and b is not None and a != b for a, b in pairs)


class ObjectChangedError(Exception):
    """An object has changed since it was first read."""


class Versions:
    """The versions that objects had when they were first read, by path.

    `is_used` is false for a server whose answers cannot be compared.
    """

    def __init__(self, *, is_used: bool = True) -> None:
        self._is_used = is_used
        self._documents: dict[str, Version] = {}
        self._parts: dict[str, Version] = {}
        self._lock = threading.Lock()

    def note(self, path: str, version: Version) -> None:
        """Remember the version of a document."""
        with self._lock:
            self._documents.setdefault(path, version)

    def require(self, path: str, version: Version) -> None:
        """Remember the version of an object that is read in part.

        Raises `ObjectChangedError` if the version differs from an earlier one.
        """
        with self._lock:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            known = self._parts.setdefault(path, version)
        if self._is_used and known.differs(version):
            raise ObjectChangedError

    def size_of(self, path: str) -> int | None:
        """Return the size of an object that was read in part; None if it is not known."""
        with self._lock:
            known = self._parts.get(path)
        return None if known is None else known.size

    def of_part(self, path: str) -> Version | None:
        """Return the version of an object that was read in part, if it can be compared."""
        with self._lock:
            return self._parts.get(path) if self._is_used else None

    def documents(self) -> Mapping[str, Version]:
        """Return the versions of documents that can be compared."""
        with self._lock:
            return dict(self._documents) if self._is_used else {}

    def forget(self, path: str) -> None:
        """Forget an object, which this process changes."""
        with self._lock:
            self._documents.pop(path, None)
            self._parts.pop(path, None)


def version_of(headers: Mapping[str, str], size: int | None) -> Version:
    """Return the version that the headers of a response state; their names are in lower case."""
    return Version(headers.get("etag"), headers.get("last-modified"), size)


def seconds_of(time: object) -> float | None:
    """Return a time that a server or a library states, in seconds since 1970; None if unknown."""
    from datetime import datetime
    from email.utils import parsedate_to_datetime

    if isinstance(time, datetime):
        return time.timestamp()
    if isinstance(time, (int, float)):
        return float(time)
    for parse in (parsedate_to_datetime, datetime.fromisoformat):
        with contextlib.suppress(ValueError):
            return parse(str(time)).timestamp()
    return None


def all_seconds(times: Iterable[object]) -> Sequence[float]:
    """Return times in seconds since 1970; none if one of them is unknown."""
    found = [seconds_of(time) for time in times]
    return [] if None in found else [each for each in found if each is not None]
