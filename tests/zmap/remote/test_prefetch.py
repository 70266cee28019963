"""Objects that are prefetched, and objects that are kept."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from ncz.zmap.remote import prefetch as ahead
from ncz.zmap.remote.prefetch import Prefetch

SIZE = 1 << 20


class Objects:
    """Objects that come when they are sent."""

    def __init__(self):
        self.begun = {}
        self.ahead = Prefetch(self.begin)

    def begin(self, key, limit):
        assert key not in self.begun, "asked for twice"
        self.begun[key] = Future()
        return self.begun[key]

    def send(self, *keys):
        for key in keys:
            self.begun[key].set_result(key.encode() * 10)


@pytest.fixture
def objects():
    return Objects()


def test_requests_begin_immediately_and_each_is_made_once(objects):
    objects.ahead.expect([("a", 1), ("b", 1), ("a", 1)])
    assert list(objects.begun) == ["a", "b"]
    objects.send("a", "b")
    assert objects.ahead.take("b") == (b"b" * 10,)
    assert objects.ahead.take("a") == (b"a" * 10,)
    objects.ahead.expect([("a", 1)])
    assert objects.ahead.take("a") == (b"a" * 10,)


def test_unexpected_objects_are_not_known(objects):
    assert objects.ahead.take("a") is None


def test_an_object_that_is_absent_is_an_answer(objects):
    objects.ahead.expect([("a", 1)])
    objects.begun["a"].set_result(None)
    assert objects.ahead.take("a") == (None,)


def test_an_error_comes_when_the_object_is_read(objects):
    objects.ahead.expect([("a", 1), ("b", 1)])
    objects.begun["a"].set_exception(OSError("gone"))
    objects.send("b")
    with pytest.raises(OSError, match="gone"):
        objects.ahead.take("a")
    assert objects.ahead.take("b") == (b"b" * 10,)


def test_a_failed_request_releases_its_memory(objects):
    objects.ahead.expect([("a", ahead.HELD), ("b", ahead.HELD), ("c", 1)])
    objects.begun["a"].set_exception(OSError("gone"))
    with pytest.raises(OSError, match="gone"):
        objects.ahead.take("a")
    objects.ahead.expect([("x", 1)])
    assert list(objects.begun) == ["a", "x", "b"]


def test_no_more_is_begun_than_there_is_room_for(objects):
    count = 2 * ahead.HELD // SIZE
    objects.ahead.expect((str(n), SIZE) for n in range(count))
    assert count / 2 - 2 < len(objects.begun) <= count / 2
    for n in range(count):
        objects.send(str(n))
        assert objects.ahead.take(str(n)) is not None
        assert len(objects.begun) <= min(count, n + 2 + count / 2)
    assert len(objects.begun) == count


def test_one_object_is_begun_however_large_it_is(objects):
    objects.ahead.expect([("a", 10 * ahead.HELD), ("b", 1)])
    assert list(objects.begun) == ["a"]
    objects.send("a")
    objects.ahead.take("a")
    assert list(objects.begun) == ["a", "b"]


def test_objects_expected_last_come_first(objects):
    objects.ahead.expect([("a", 2 * ahead.HELD), ("b", 2 * ahead.HELD), ("c", 1)])
    objects.ahead.expect([("x", 2 * ahead.HELD)])
    objects.send("a")
    objects.ahead.take("a")
    assert list(objects.begun) == ["a", "x"]


def test_objects_are_kept_as_long_as_there_is_room(objects, monkeypatch):
    monkeypatch.setattr(ahead, "KEPT", 1000)
    objects.ahead.expect([("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)])
    objects.send("a", "b", "c", "d", "e")
    for key in "abcade":
        assert objects.ahead.take(key) is not None
    assert objects.ahead.take("a") is not None
    assert objects.ahead.take("b") is None
