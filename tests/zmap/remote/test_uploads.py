"""Objects that are sent in the background."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ncz.zmap.remote import uploads
from ncz.zmap.remote.requests import Requests
from ncz.zmap.remote.uploads import Uploads


class Server:
    """A server that sends an object when a test, or a waiting caller, permits it."""

    retry_policy = SimpleNamespace(parallel=1)

    def __init__(self) -> None:
        self.pending: list[tuple[Future[None], Callable[[], None]]] = []

    def submit(self, send: Callable[[], None]) -> Future[None]:
        future: Future[None] = Future()
        self.pending.append((future, send))
        return future

    def work(self) -> None:
        """Send the oldest object."""
        future, send = self.pending.pop(0)
        if not future.set_running_or_notify_cancel():
            return
        try:
            send()
        except OSError as error:
            future.set_exception(error)
        else:
            future.set_result(None)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()

    def wait(condition: Any) -> None:
        condition.release()  # a condition of a lock that the same thread can take again
        server.work()
        condition.acquire()

    monkeypatch.setattr(uploads, "wait_for_change", wait)
    return server


@pytest.fixture
def sent(server: Server) -> Uploads:
    return Uploads(cast("Requests", server))


def fail() -> None:
    raise OSError("disk full")


def test_nothing_is_waited_for_before_it_must_be(server: Server, sent: Uploads):
    done: list[str] = []
    for key in "abc":
        sent.start(key, 10, lambda key=key: done.append(key))  # type: ignore[misc]
    assert (done, sent.pending_bytes) == ([], 30)
    sent.wait_for("b")
    assert done == ["a", "b"]
    sent.wait()
    assert (done, sent.pending_bytes) == (["a", "b", "c"], 0)


def test_a_key_is_not_sent_twice_at_a_time(server: Server, sent: Uploads):
    done: list[int] = []
    sent.start("a", 1, lambda: done.append(1))
    sent.start("a", 1, lambda: done.append(2))
    assert done == [1]


def test_objects_wait_for_room(server: Server, sent: Uploads):
    sent.start("a", uploads.UNDER_WAY, lambda: None)
    sent.start("b", 1, lambda: None)
    assert sent.pending_bytes == 1
    for number in range(4):
        sent.start(str(number), 1, lambda: None)
    assert len(server.pending) <= 4


def test_a_large_object_is_sent_alone(server: Server, sent: Uploads):
    sent.start("a", 2 * uploads.UNDER_WAY, lambda: None)
    assert len(server.pending) == 1


def test_an_error_is_raised_by_each_later_call(server: Server, sent: Uploads):
    sent.start("a", 1, fail)
    sent.start("b", 1, lambda: None)
    server.work()
    for call in (sent.wait, lambda: sent.wait_for("b"), lambda: sent.start("c", 1, fail)):
        with pytest.raises(OSError, match="disk full"):
            call()


def test_uploads_that_have_not_started_are_cancelled(server: Server, sent: Uploads):
    done: list[str] = []
    sent.start("a", 1, lambda: done.append("a"))
    sent.cancel()
    assert done == []
    assert sent.pending_bytes == 0
