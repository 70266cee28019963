"""Requests with retries, many at a time, and uploads in the background."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from ncz.errors import NczError, ZmapError, changed
from ncz.zmap import answered
from ncz.zmap.key import display
from ncz.zmap.remote.requests import (
    ObjectChangedError,
    ObjectStore,
    is_timeout,
    is_transient,
    result_of,
    wait_for_change,
)

_T = TypeVar("_T")
_A = TypeVar("_A")


class Requests:
    """The requests of one store; `url` is the store's name in messages.

    A request that fails for a transient reason (status 500 or 503, a broken connection, a timeout)
    is repeated after a wait that grows. After the last attempt the error names the key. A server
    that does not answer is given up when the timeout of the policy has passed.

    Attributes
    ----------
    gave_up
        Whether a request ended because the server did not answer.
    """

    def __init__(self, objects: ObjectStore, url: str) -> None:
        self._objects = objects
        self._url = url
        self._pool: ThreadPoolExecutor | None = None
        self._closed = False
        self.retry_policy = objects.retry_policy
        self.gave_up = False

    def where(self, key: str) -> str:
        """Return how messages name an object, or the store for the empty key."""
        return f"{self._url}: {display(key)}" if key else self._url

    def refuse_closed(self) -> None:
        """Raise `ZmapError` if the store is closed."""
        if self._closed:
            raise ZmapError("the store is closed", location=self._url)

    def attempt(self, action: str, key: str, call: Callable[[], _T]) -> _T:
        """Make a request, and repeat it while that may help.

        Parameters
        ----------
        action
            The request as a verb for messages: "read", "write", ...
        key
            The key for messages.
        call
            Makes the request once.

        Returns
        -------
        object
            What `call` returns.

        Raises
        ------
        ZmapError
            If the request fails for a permanent reason, or at the last attempt.
        """
        policy = self.retry_policy
        wait = policy.first_wait
        unanswered = 0.0
        for number in range(1, policy.attempts + 1):
            start = time.monotonic()
            try:
                result = call()
                answered(key)
                return result
            except NczError:
                raise
            except ObjectChangedError as error:
                raise changed(self.where(key)) from error
            except Exception as error:
                again = is_transient(error)
                is_late = is_timeout(error)
                if is_late:
                    unanswered += time.monotonic() - start
                can_wait = unanswered + policy.connect + policy.read <= policy.timeout
                is_last = number == policy.attempts or (is_late and not can_wait)
                if again and not is_last and not self._closed and not (is_late and self.gave_up):
                    time.sleep(wait * random.uniform(0.5, 1))
                    wait = min(2 * wait, policy.longest_wait)
                    continue
                self.gave_up |= is_late
                storage_error = self._objects.storage_error(error, self.where(key), action)
                if again:
                    storage_error.message += f" ({number} attempt{'s' * (number > 1)})"
                raise storage_error from error
        raise AssertionError("a retry policy has at least one attempt")

    def submit(self, call: Callable[..., _T], *arguments: object) -> Future[_T]:
        """Call a function in a thread."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.retry_policy.parallel, "ncz-remote")
        return self._pool.submit(call, *arguments)

    def in_order(self, call: Callable[[_A], _T], arguments: Iterable[_A]) -> Iterator[_T]:
        """Call a function for each argument, many at a time; yield results in order."""
        rest = iter(arguments)
        under_way: deque[Future[_T]] = deque()
        try:
            for argument in islice(rest, 2 * self.retry_policy.parallel):
                under_way.append(self.submit(call, argument))
            while under_way:
                result = result_of(under_way.popleft())
                for argument in islice(rest, 1):
                    under_way.append(self.submit(call, argument))
                yield result
        finally:
            for future in under_way:
                future.cancel()

    def close(self, *, wait: bool) -> bool:
        """Stop the threads, and wait for running requests if asked; return False if closed.

        Requests to a server that does not answer are not waited for.
        """
        if self._closed:
            return False
        self._closed = True
        if self._pool:
            self._pool.shutdown(wait=wait and not self.gave_up, cancel_futures=True)
        return True


# Objects that are sent in the background while the caller continues.

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
        """Start to send an object of `length` bytes, when there is room and `key` is not pending.

        Raises what an earlier upload raised.
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
        """Wait until an object is sent; raise what an upload raised."""
        with self._changed:
            self._wait_while(lambda: key in self._pending)

    def wait(self) -> None:
        """Wait until all objects are sent; raise what an upload raised as soon as it does."""
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
            # A caller that waits for room is woken once for many small uploads, not for each.
            self._is_full &= self._error is None and 2 * len(self._pending) > self._most
            if not self._is_full:
                self._changed.notify_all()

    def _wait_while(self, is_so: Callable[[], bool]) -> None:
        """Wait while something is so; raise what an upload raised."""
        while self._error is None and is_so():
            wait_for_change(self._changed)
        if self._error is not None:
            raise self._error
