"""Requests with retries, many at a time."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from time import sleep
from typing import TypeVar

from ncz.errors import NczError, ZmapError
from ncz.system_errors import changed_object_error
from ncz.zmap import report_answer
from ncz.zmap.key import display
from ncz.zmap.remote.object_store import ObjectStore
from ncz.zmap.remote.request_errors import is_timeout, is_transient
from ncz.zmap.remote.versions import ObjectChangedError
from ncz.zmap.remote.waits import result_of

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
        """Return the name of an object for messages, or of the store for the empty key."""
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
                report_answer(key)
                return result
            except NczError:
                raise
            except ObjectChangedError as error:
                raise changed_object_error(self.where(key)) from error
            except Exception as error:
                again = is_transient(error)
                is_late = is_timeout(error)
                if is_late:
                    unanswered += time.monotonic() - start
                can_wait = unanswered + policy.connect + policy.read <= policy.timeout
                is_last = number == policy.attempts or (is_late and not can_wait)
                if again and not is_last and not self._closed and not (is_late and self.gave_up):
                    sleep(wait * random.uniform(0.5, 1))
                    wait = min(2 * wait, policy.longest_wait)
                    continue
                self.gave_up |= is_late
                storage_error = self._objects.storage_error(error, self.where(key), action)
                storage_error.may_pass = again
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
