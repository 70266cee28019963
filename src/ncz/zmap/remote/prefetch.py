"""Objects of a remote store that are fetched before they are asked for.

An answer takes long to come, and many can be waited for at once. Whoever knows what will be read
says so; requests are begun in that order, and about `HELD` bytes are held that were not asked for.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import chain

HELD = 128 << 20
"""Bytes of objects on their way or here, by what is said of their sizes."""

KEPT = 64 << 20
"""Bytes of objects that were asked for, and may be again: a shard, a chunk of two slabs."""

_ENTRY = 200
"""Bytes that an object costs beside its own."""


class ReadAhead:
    """What is expected to be asked for; `submit` begins to fetch the object of a key."""

    def __init__(self, submit: Callable[[str], Future[bytes | None]]) -> None:
        self._submit = submit
        self._rest: Iterator[tuple[str, int]] = iter(())
        self._coming: dict[str, tuple[Future[bytes | None], int]] = {}
        self._held = 0
        self._kept: OrderedDict[str, bytes | None] = OrderedDict()
        self._kept_bytes = 0
        self._lock = threading.Lock()

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Say which objects will be asked for next, in order, and how many bytes each may have."""
        with self._lock:
            self._rest = chain(wanted, self._rest)
            self._fetch()

    def take(self, key: str) -> tuple[bytes | None] | None:
        """The object, when it is here; None if it was not expected. Raises what fetching raised."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return (self._kept[key],)
            future, size = self._coming.pop(key, (None, 0))
        if future is None:
            return None
        try:
            value = future.result()
        finally:
            with self._lock:
                self._held -= size
        with self._lock:
            self._keep(key, value)
            self._fetch()
        return (value,)

    def _fetch(self) -> None:
        """Begin to fetch what comes next, as far as there is room."""
        while self._held < HELD:
            key, size = next(self._rest, ("", 0))
            if not key:
                return
            if key not in self._coming and key not in self._kept:
                self._coming[key] = self._submit(key), size + _ENTRY
                self._held += size + _ENTRY

    def _keep(self, key: str, value: bytes | None) -> None:
        self._kept[key] = value
        self._kept_bytes += _size(value)
        while self._kept_bytes > KEPT:
            self._kept_bytes -= _size(self._kept.popitem(last=False)[1])


def _size(value: bytes | None) -> int:
    return len(value or b"") + _ENTRY
