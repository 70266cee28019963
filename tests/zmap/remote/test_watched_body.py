"""Bodies of requests, and servers that stop receiving them."""

from __future__ import annotations

import asyncio

import pytest

from ncz.zmap.remote.watched_body import WatchedBody


async def sent(body: WatchedBody, piece: int) -> bytes:
    """Send a body in pieces; return it."""
    received = b""
    while part := body.read(piece):
        received += part
        await asyncio.sleep(0)
    return received


async def _stuck(body: WatchedBody) -> None:
    body.read(1)
    await asyncio.Event().wait()


async def _fails() -> None:
    raise OSError("broken")


def test_the_answer_is_returned():
    body = WatchedBody(b"0123456789")
    assert asyncio.run(body.watch(sent(body, 3), stall=60, slowest=1)) == b"0123456789"
    assert body.reads == 5


def test_a_server_that_takes_nothing_more_is_given_up():
    body = WatchedBody(b"0123456789")
    with pytest.raises(TimeoutError):
        asyncio.run(body.watch(_stuck(body), stall=0.001, slowest=1e-9))


def test_a_server_that_takes_a_byte_now_and_then_is_given_up():
    body = WatchedBody(b"x")

    async def slow() -> None:
        while True:
            body.read(1)
            await asyncio.sleep(0)

    with pytest.raises(TimeoutError):
        asyncio.run(body.watch(slow(), stall=0.002, slowest=1e9))


def test_the_error_of_a_request_is_raised():
    with pytest.raises(OSError, match="broken"):
        asyncio.run(WatchedBody(b"x").watch(_fails(), stall=60, slowest=1))
