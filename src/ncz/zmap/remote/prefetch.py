"""Fetch the objects of a remote store before they are read.

Requests have a high latency, but many can run in parallel. A caller announces the keys that it will
read; requests start in that order, and about `HELD` bytes are kept for later reads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import chain

from ncz.zmap.remote.waits import result_of

HELD = 128 << 20
"""The limit in bytes of announced objects that are being fetched or kept, by announced size."""

KEPT = 64 << 20
"""The limit in bytes of objects kept after a read, as a shard or a chunk may be read again."""

_ENTRY = 200
"""The overhead of an object in bytes."""


class Prefetch:
    """The objects that will be read; `submit` starts to fetch an object.

    `submit` takes the key, and the most bytes to read; `most` is the limit of bytes that are
    being fetched or kept.
    """

    def __init__(
        self, submit: Callable[[str, int], Future[bytes | None]], most: int = HELD
    ) -> None:
        self._most = most
        self._submit = submit
        self._rest: Iterator[tuple[str, int]] = iter(())
        self._coming: dict[str, tuple[Future[bytes | None], int]] = {}
        self._held = 0
        self._kept: OrderedDict[str, bytes | None] = OrderedDict()
        self._kept_bytes = 0
        self._lock = threading.Lock()

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Announce the objects to read next, in order, with the largest size of each in bytes."""
        with self._lock:
            self._rest = chain(wanted, self._rest)
            self._fetch()

    def take(self, key: str) -> tuple[bytes | None] | None:
        """Wait for an announced object and return it in a tuple; None if it was not announced.

        Raises the error of the fetch.
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return (self._kept[key],)
            future, size = self._coming.pop(key, (None, 0))
        if future is None:
            return None
        try:
            value = result_of(future)
        finally:
            with self._lock:
                self._held -= size
        is_whole = value is None or len(value) <= _most(size - _ENTRY)
        with self._lock:
            if is_whole:
                self._keep(key, value)
            self._fetch()
        if not is_whole:
            return None  # the caller reads it, and knows its limit
        return (value,)

    def _fetch(self) -> None:
        """Start to fetch the next objects, up to the limit."""
        while self._held < self._most:
            key, size = next(self._rest, ("", 0))
            if not key:
                return
            most = _most(size)
            if key not in self._coming and key not in self._kept:
                self._coming[key] = self._submit(key, most), size + _ENTRY
                self._held += size + _ENTRY

    def _keep(self, key: str, value: bytes | None) -> None:
        self._kept[key] = value
        self._kept_bytes += _size(value)
        while self._kept_bytes > KEPT:
            self._kept_bytes -= _size(self._kept.popitem(last=False)[1])


def _most(size: int) -> int:
    """Return the bytes to fetch of an announced object: encoded bytes may be a few more."""
    return 2 * size + (1 << 20)


def _size(value: bytes | None) -> int:
    return len(value or b"") + _ENTRY
