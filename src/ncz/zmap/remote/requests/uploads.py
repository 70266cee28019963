"""Objects that are sent in the background while the caller continues."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

from ncz.zmap.remote.requests.retries import Requests
from ncz.zmap.remote.requests.waiting import wait_for_change

UNDER_WAY = 64 << 20
"""The limit in bytes of objects that wait to be sent."""


class Uploads:
    """Uploads of one store. An error of an upload is raised by a later call."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._pending: dict[str, Future[None]] = {}
        self.pending_bytes = 0
        """The size of the objects that are not sent yet."""
        self._changed = threading.Condition()
        self._error: BaseException | None = None

    def start(self, key: str, length: int, send: Callable[[], None]) -> None:
        """Start to send an object of `length` bytes, when there is room and `key` is not pending.

        Raises what an earlier upload raised.
        """
        most = 4 * self._requests.retry_policy.parallel
        with self._changed:
            while self._error is None and (
                key in self._pending
                or (
                    self._pending
                    and (self.pending_bytes + length > UNDER_WAY or len(self._pending) >= most)
                )
            ):
                wait_for_change(self._changed)
            self._raise_error()
            self.pending_bytes += length
            future = self._requests.submit(send)
            self._pending[key] = future
        future.add_done_callback(lambda done: self._done(key, length, done))

    def wait_for(self, key: str) -> None:
        """Wait until an object is sent; raise what an upload raised."""
        with self._changed:
            while key in self._pending and self._error is None:
                wait_for_change(self._changed)
            self._raise_error()

    def wait(self) -> None:
        """Wait until all objects are sent; raise what an upload raised as soon as it does."""
        with self._changed:
            while self._pending and self._error is None:
                wait_for_change(self._changed)
            self._raise_error()

    def cancel(self) -> None:
        """Cancel the uploads that have not started, and wait for the others."""
        with self._changed:
            for future in list(self._pending.values()):
                future.cancel()
            while self._pending:
                wait_for_change(self._changed)

    def _done(self, key: str, length: int, future: Future[None]) -> None:
        with self._changed:
            if self._pending.get(key) is future:
                del self._pending[key]
            self.pending_bytes -= length
            if not future.cancelled() and self._error is None:
                self._error = future.exception()
            self._changed.notify_all()

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error
