"""A single file on a server, read by ranges."""

from __future__ import annotations

import contextlib

from ncz.errors import StoreMissing
from ncz.zmap.byte_range import check_range, whole
from ncz.zmap.location import Location
from ncz.zmap.remote.opening import connect, policy_of
from ncz.zmap.remote.requests import RetryPolicy
from ncz.zmap.remote.store import RemoteZmap


def read_start(location: Location, count: int) -> bytes:
    """Return the first bytes of the object at a remote location, with one request."""
    policy = policy_of(location)
    with contextlib.closing(RemoteZmap(*connect(location, policy), policy)) as zmap:
        return zmap.first_bytes(count)


_FIRST = 1 << 16
"""Bytes that are read when a file is opened; the headers of many files are not longer."""


class ServerFile:
    """The object at a remote location; see `ncz.zmap.byte_range.RangeFile`."""

    path = None

    def __init__(self, location: Location, retry_policy: RetryPolicy | None = None) -> None:
        policy = retry_policy or policy_of(location)
        self._zmap = RemoteZmap(*connect(location, policy), policy)
        self.url = self._zmap.url
        self.address = self._zmap.file_address
        try:
            found = self._zmap.file_start(_FIRST)
            if found is None:
                raise StoreMissing("no file exists at this URL", self.url, "check the URL")
        except BaseException:
            self._zmap.close()
            raise
        self._start, self.size = found

    def read(self, start: int, count: int) -> bytes:
        """Return a part of the file, with one request at most; see `RangeFile.read`."""
        check_range(self.url, self.size, start, count)
        if start + count <= len(self._start):
            return self._start[start : start + count]
        return whole(self._zmap.file_range(start, count), self.url, count) if count else b""

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the object has changed since it was opened."""
        self._zmap.file_size()

    def close(self) -> None:
        """Release the connections."""
        self._zmap.close()
