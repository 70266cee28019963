"""Checks of the sources that a server reads."""

import pytest

from ncz.errors import NczError

site = pytest.importorskip("ncz.commands.serve.site")


class Clock:
    """A clock that advances only when a test sets it."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(site, "time", clock)
    return clock


def test_checks_take_a_tenth_of_the_time(clock):
    checks = []

    def check() -> None:
        checks.append(clock.now)
        clock.now += 2.0

    guard = site.SourceGuard(check)
    guard()
    for passed in (1.0, 18.0, 1.5, 0.0):
        clock.now += passed
        guard()
    assert checks == [100.0, 122.5]


def test_a_source_that_changed_stays_changed(clock):
    errors = [NczError("it has changed")]

    def check() -> None:
        if errors:
            raise errors.pop()

    guard = site.SourceGuard(check)
    for _ in range(3):
        with pytest.raises(NczError, match="it has changed"):
            guard()
        clock.now += 1000.0
    assert guard.has_changed
    assert not errors
