"""Downloads that make no real progress."""

from __future__ import annotations

import pytest

from ncz.zmap.remote import pace
from ncz.zmap.remote.pace import Pace, SlowServerError
from ncz.zmap.remote.retry_policy import RetryPolicy

POLICY = RetryPolicy(timeout=60, read=20, slowest_read=100)


class Clock:
    """A clock that a test moves."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    return clock


def test_few_bytes_are_an_error_once_a_timeout_has_passed(clock: Clock):
    rate = Pace(POLICY)
    clock.now += 39
    rate.count_bytes(1)
    clock.now += 1
    with pytest.raises(SlowServerError):
        rate.count_bytes(1)


def test_enough_bytes_begin_another_measurement(clock: Clock):
    rate = Pace(POLICY)
    for _ in range(3):
        clock.now += 40
        rate.count_bytes(4000)
    clock.now += 40
    with pytest.raises(SlowServerError):
        rate.count_bytes(3999)


def test_a_fast_start_does_not_excuse_a_later_standstill(clock: Clock):
    rate = Pace(POLICY)
    clock.now += 40
    rate.count_bytes(1 << 30)
    clock.now += 40
    with pytest.raises(SlowServerError):
        rate.count_bytes(10)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SlowServerError(), "the server sent fewer than 100 bytes per second"),
        (
            SlowServerError("sent headers that do not end"),
            "the server sent headers that do not end",
        ),
    ],
)
def test_the_message_has_the_limit_or_the_reason(error: SlowServerError, text: str):
    assert error.reason("the server", POLICY) == text
    assert error.is_late
