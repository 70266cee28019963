"""Waits that an interrupt ends.

A signal that arrives just before the main thread begins to wait for a lock does not end that wait,
and Python raises ``KeyboardInterrupt`` only after it. A wait in steps has an end.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")

_STEP = 0.5
"""Seconds of one wait, before it is repeated."""


def result_of(future: Future[_T]) -> _T:
    """Return the result of a future; see `Future.result`."""
    while True:
        try:
            return future.result(_STEP)
        except TimeoutError:
            if future.done():  # the error may come from the future
                return future.result()


def result_within(seconds: float, call: Callable[[], _T]) -> _T:
    """Return the result of a call to a library that has no time limit.

    The call runs in another thread, which is left to itself if it is late, and ends with the
    process at the latest.

    Raises
    ------
    TimeoutError
        If the call does not return in time.
    """
    future = Future[_T]()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # for the caller
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    end = time.monotonic() + seconds
    while not future.done() and (left := end - time.monotonic()) > 0:
        with contextlib.suppress(TimeoutError):
            return future.result(min(left, _STEP))
    return future.result(0)


def wait_for_change(changed: threading.Condition) -> None:
    """Wait for a condition, or for a moment; the caller checks the condition again."""
    changed.wait(_STEP)
