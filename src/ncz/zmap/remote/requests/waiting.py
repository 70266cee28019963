"""Waits that an interrupt ends.

A signal that arrives just before the main thread begins to wait for a lock does not end that wait,
and Python raises ``KeyboardInterrupt`` only after it. A wait in steps has an end.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")

_STEP = 0.5
"""Seconds after which a wait is begun again."""


def result_of(future: Future[_T]) -> _T:
    """Return the result of a future; see `Future.result`."""
    while True:
        try:
            return future.result(_STEP)
        except TimeoutError:
            if future.done():  # the error may be that of the future
                return future.result()


def wait_for_change(changed: threading.Condition) -> None:
    """Wait for a condition, or for a moment; the caller checks what it waits for again."""
    changed.wait(_STEP)
