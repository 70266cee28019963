"""Forks that inherit no locked lock."""

from __future__ import annotations

import gc
import os
import sys
import threading
import warnings
from collections.abc import Iterator

import pytest

from ncz.parallel import forks
from ncz.parallel.forks import expect_idle_thread, hold_forks, is_alone, settle


@pytest.fixture
def thread() -> Iterator[None]:
    """Another thread that waits."""
    end, begun = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        end.wait()

    other = threading.Thread(target=wait)
    other.start()
    begun.wait()
    yield
    end.set()
    other.join()


def test_a_thread_is_company_unless_it_is_expected(monkeypatch: pytest.MonkeyPatch, thread: None):
    monkeypatch.setattr(forks, "_idle", len(sys._current_frames()) - 2)
    assert not is_alone()
    expect_idle_thread()
    assert is_alone()


def test_one_thread_makes_pipes_at_a_time():
    with hold_forks():
        assert not forks._lock.acquire(blocking=False)
    assert forks._lock.acquire(blocking=False)
    forks._lock.release()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_a_free_lock_and_no_threads(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(forks, "_idle", 7)

    with hold_forks(), warnings.catch_warnings(action="ignore"):
        child = os.fork()
        if not child:
            is_free = forks._lock.acquire(blocking=False)
            settle()
            os._exit(0 if is_free and forks._idle == 0 and gc.get_freeze_count() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert forks._idle == 7
