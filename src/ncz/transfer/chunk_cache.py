"""Chunks that are made on request: the memory that this takes, and the most recent ones."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future

from ncz.model.grid import Index


class Budget:
    """Memory that threads share: a thread that needs more than is free waits for the others."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._spent = 0
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def spend(self, cost: int) -> Iterator[None]:
        """Wait for memory, and reserve it until the context ends."""
        held = min(cost, self._most)
        with self._changed:
            self._changed.wait_for(lambda: self._spent + held <= self._most)
            self._spent += held
        try:
            yield
        finally:
            with self._changed:
                self._spent -= held
                self._changed.notify_all()


class ChunkCache:
    """The most recent chunks, in at most `most` bytes, and chunks in the making."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._chunks: OrderedDict[tuple[str, Index], bytes | None] = OrderedDict()
        self._making: dict[tuple[str, Index], Future[bytes | None]] = {}
        self._lock = threading.Lock()

    def get(self, key: tuple[str, Index], make: Callable[[], bytes | None]) -> bytes | None:
        """Return a chunk, which is made unless it is kept or another thread makes it."""
        with self._lock:
            if key in self._chunks:
                self._chunks.move_to_end(key)
                return self._chunks[key]
            pending = self._making.get(key)
            ours: Future[bytes | None] = Future()
            if pending is None:
                self._making[key] = ours
        if pending is not None:
            return pending.result()
        try:
            data = make()
        except BaseException as error:
            ours.set_exception(error)
            raise
        else:
            ours.set_result(data)
            self._keep(key, data)
            return data
        finally:
            with self._lock:
                del self._making[key]

    def clear(self) -> None:
        """Forget all chunks."""
        with self._lock:
            self._chunks.clear()
            self._size = 0

    def _keep(self, key: tuple[str, Index], data: bytes | None) -> None:
        with self._lock:
            self._chunks[key] = data
            self._size += _size(data)
            while self._size > self._most:
                _, old = self._chunks.popitem(last=False)
                self._size -= _size(old)


def _size(data: bytes | None) -> int:
    """Return the approximate number of bytes to keep a chunk."""
    return 200 + len(data or b"")
