"""Waits in the main thread end with an interrupt, even if the signal woke nobody."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from ncz.zmap.remote.requests.waiting import result_of, wait_for_change


def wait_for_future() -> None:
    future: Future[None] = Future()
    late = threading.Timer(20, future.set_result, (None,))  # a wait that is not ended fails
    late.daemon = True
    late.start()
    try:
        result_of(future)
    finally:
        late.cancel()


def wait_for_condition() -> None:
    changed = threading.Condition()
    with changed:
        for _ in range(40):
            wait_for_change(changed)


@pytest.mark.parametrize("wait", [wait_for_future, wait_for_condition])
def test_an_interrupt_that_wakes_nobody_ends_a_wait(wait: Callable[[], None]):
    """`interrupt_main` leaves a signal to be handled, and does not end a wait for a lock."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt = threading.Timer(0.05, _thread.interrupt_main)
    interrupt.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            wait()
    finally:
        interrupt.join()
        signal.signal(signal.SIGINT, before)


def test_results_and_errors_are_those_of_the_future():
    future: Future[int] = Future()
    future.set_result(3)
    assert result_of(future) == 3
    failed: Future[int] = Future()
    failed.set_exception(TimeoutError("of the function"))
    with pytest.raises(TimeoutError, match="of the function"):
        result_of(failed)
