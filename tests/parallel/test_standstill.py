"""A process that neither works nor answers is given up."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator

import pytest

from ncz.parallel import standstill
from ncz.parallel.standstill import Standstill, wait_readable, work_of

pytestmark = pytest.mark.skipif(not hasattr(select, "poll"), reason="this system has no poll")


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


class Clock:
    """A poll that is readable after some waits of a second, which take no time."""

    def __init__(self, waits: int) -> None:
        self.waits = waits

    def register(self, *_: int) -> None:
        pass

    def poll(self, _: int) -> list[tuple[int, int]]:
        self.waits -= 1
        return [(0, 0)] if self.waits < 0 else []


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let a descriptor become readable after a number of seconds."""
    monkeypatch.setattr(standstill, "SECONDS", 5)
    return lambda count: monkeypatch.setattr(select, "poll", lambda: Clock(count))


def test_readable_data_are_not_waited_for(pipe: tuple[int, int]):
    os.write(pipe[1], b"x")
    wait_readable(pipe[0], lambda: pytest.fail("nobody waits"))


def test_a_process_without_work_is_given_up(waits):
    waits(6)
    with pytest.raises(Standstill):
        wait_readable(0, lambda: 1.0)
    waits(5)
    wait_readable(0, lambda: 1.0)


def test_work_of_a_process_and_a_wait_for_a_disk_are_no_standstill(waits):
    waits(50)
    work = iter(range(1000))
    wait_readable(0, lambda: float(next(work)))
    waits(50)
    wait_readable(0, lambda: None)


def test_a_process_that_stops_after_some_work_is_given_up(waits):
    waits(50)
    work = iter([1.0, 2.0, None, 2.0])
    calls: list[int] = []

    def worked() -> float | None:
        calls.append(1)
        return next(work, 2.0)

    with pytest.raises(Standstill):
        wait_readable(0, worked)
    assert len(calls) == 8  # the wait for a disk begins the five seconds again


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="this system has no /proc")
def test_the_work_of_a_process_is_its_processor_time():
    before = work_of(os.getpid())
    assert before is not None
    assert before > 0
    assert work_of(2**30) == 0  # such a process does not exist
