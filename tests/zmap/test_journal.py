"""Marks of stores that a process has begun to write, and changes that find one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from ncz.errors import ZmapError
from ncz.zmap.journal import begun_at, mark_of, only_change, refuse_running
from ncz.zmap.key import JOURNAL, MARK
from ncz.zmap.memory import MemoryZmap


def test_a_mark_says_who_began_and_when():
    before = time.time_ns()
    mark = mark_of("print")
    assert before <= begun_at(mark) <= time.time_ns()
    refuse_running(mark, "x.zarr", False)  # by this process itself
    other = mark.replace(str(os.getpid()).encode(), str(os.getppid()).encode())
    with pytest.raises(ZmapError, match=f"process {os.getppid()} is writing this store"):
        refuse_running(other, "x.zarr", True)


@pytest.mark.parametrize("end", [b"", b"x", b"9" * 5000, "²".encode(), b"-1"])
def test_a_mark_that_others_wrote_says_nothing(end: bytes):
    assert begun_at(b"print\nhost 1\n" + end) == 0
    mark = b"print\nhost " + end + b"\n1"
    refuse_running(mark, "x.zarr", True)
    with pytest.raises(ZmapError, match="may still do so"):
        refuse_running(mark, "x.zarr", False)


def mark_of_another() -> bytes:
    return mark_of("").replace(str(os.getpid()).encode(), str(os.getppid()).encode())


@pytest.fixture
def store() -> MemoryZmap:
    """A store that another process has begun to replace."""
    return MemoryZmap({".zgroup": b"{}", MARK: mark_of_another()})


@pytest.fixture
def steps(monkeypatch) -> list[Callable[[], object]]:
    """The events while a change waits."""
    steps: list[Callable[[], object]] = []
    monkeypatch.setattr("ncz.zmap.journal.time.sleep", lambda _: steps.pop(0)())
    return steps


def test_a_change_continues_if_the_creation_withdraws(store, steps):
    steps += [lambda: None, lambda: store.delete(MARK)]
    with only_change(store):
        assert store.get(JOURNAL) is not None
    assert (steps, store.get(JOURNAL)) == ([], None)


def test_a_change_is_refused_if_the_creation_continues(store, steps):
    steps += [lambda: None, lambda: store.delete(".zgroup")]
    with pytest.raises(ZmapError, match="is writing this store"), only_change(store):
        pytest.fail("the change began")
    assert (steps, store.get(JOURNAL)) == ([], None)


def test_a_change_does_not_wait_for_longer_than_its_limit(store, steps, monkeypatch):
    times = iter([0.0, 1.0, 2.0, 99.0])
    monkeypatch.setattr("ncz.zmap.journal.time.monotonic", lambda: next(times))
    steps += [lambda: None] * 2
    with pytest.raises(ZmapError, match="is writing this store"), only_change(store):
        pytest.fail("the change began")
    assert (steps, next(times, None)) == ([], None)
