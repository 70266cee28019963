"""Objects that are sent in the background while the caller continues."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

from ncz.zmap.remote.requests import Requests
from ncz.zmap.remote.waits import wait_for_change

UNDER_WAY = 64 << 20
"""The limit in bytes of objects that wait to be sent."""


class Uploads:
    """Uploads of one store. An error of an upload is raised by a later call."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._most = 4 * requests.retry_policy.parallel
        self._is_full = False
        self._pending: dict[str, Future[None]] = {}
        self.pending_bytes = 0
        """The size of the objects that are not sent yet."""
        self._changed = threading.Condition()
        self._error: BaseException | None = None

    def start(self, key: str, length: int, send: Callable[[], None]) -> None:
        """Start to send an object of `length` bytes, when memory is free and `key` is not pending.

        Raises the error of an earlier upload.
        """
        with self._changed:
            self._is_full |= len(self._pending) >= self._most
            self._wait_while(
                lambda: (
                    self._is_full
                    or key in self._pending
                    or bool(self._pending and self.pending_bytes + length > UNDER_WAY)
                )
            )
            self.pending_bytes += length
            future = self._requests.submit(send)
            self._pending[key] = future
        future.add_done_callback(lambda done: self._finish(key, length, done))

    def wait_for(self, key: str) -> None:
        """Wait until an object is sent; raise the error of an upload."""
        with self._changed:
            self._wait_while(lambda: key in self._pending)

    def wait(self) -> None:
        """Wait until all objects are sent; raise the error of an upload as soon as it occurs."""
        with self._changed:
            self._wait_while(lambda: bool(self._pending))

    def cancel(self) -> None:
        """Cancel the uploads that have not started, and wait for the others."""
        with self._changed:
            for future in list(self._pending.values()):
                future.cancel()
            while self._pending:
                wait_for_change(self._changed)

    def _finish(self, key: str, length: int, future: Future[None]) -> None:
        with self._changed:
            if self._pending.get(key) is future:
                del self._pending[key]
            self.pending_bytes -= length
            if not future.cancelled() and self._error is None:
                self._error = future.exception()
            # A caller that waits for memory is woken once for many small uploads, not for each.
            self._is_full &= self._error is None and 2 * len(self._pending) > self._most
            if not self._is_full:
                self._changed.notify_all()

    def _wait_while(self, is_so: Callable[[], bool]) -> None:
        """Wait while a condition holds; raise the error of an upload."""
        while self._error is None and is_so():
            wait_for_change(self._changed)
        if self._error is not None:
            raise self._error
