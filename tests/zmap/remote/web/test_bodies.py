"""Servers that send more than requested."""

from __future__ import annotations

import contextlib
import gzip

import pytest

from ncz.errors import ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.servers.bodies import MIB, Answer, endless, serving_bodies


@pytest.fixture
def serve(closing):
    """Start a server that has a V2 group and one other object; return its store."""
    with contextlib.ExitStack() as stack:

        def started(answer):
            url = stack.enter_context(serving_bodies(answer, {"x.zarr/.zgroup": b""}))
            return closing(open_zmap(parse_location(f"{url}/x.zarr")))

        yield started


def test_a_body_that_never_ends(serve):
    answer = Answer({}, endless())
    zmap = serve(answer)
    with pytest.raises(ZmapError, match="larger than the 64 bytes"):
        zmap.get("v/0", 64)
    assert answer.sent < 32 * MIB


def test_an_announced_body_that_never_ends(serve):
    answer = Answer({}, endless())
    zmap = serve(answer)
    zmap.expect([("v/0", 64)])
    with pytest.raises(ZmapError, match="larger than the 64 bytes"):
        zmap.get("v/0", 64)
    assert answer.sent < 64 * MIB


@pytest.mark.parametrize("start", [0, 5 * MIB, -4])
def test_a_server_that_ignores_the_range(serve, start):
    data = bytes(10 * MIB) + bytes(range(200)) + bytes(90 * MIB)
    pieces = [data[at : at + MIB] for at in range(0, len(data), MIB)]
    answer = Answer({"Content-Length": str(len(data))}, pieces)
    zmap = serve(answer)
    assert zmap.get_range("v/0", start, 4) == bytes(4)
    if start >= 0:
        assert answer.sent < 60 * MIB
    assert zmap.get_range("v/0", 10 * MIB + 7, 4) == bytes([7, 8, 9, 10])


def test_an_end_of_a_body_that_never_ends(serve):
    zmap = serve(Answer({}, endless()))
    with pytest.raises(ZmapError, match="does not support range requests"):
        zmap.get_range("v/0", -4, 4)
    with pytest.raises(ZmapError, match="does not report the size"):
        zmap.size("v/0")


def test_a_body_that_is_compressed_though_nobody_asked(serve):
    body = gzip.compress(b"0123456789")
    headers = {"Content-Encoding": "gzip", "Content-Length": str(len(body))}
    assert serve(Answer(headers, [body])).get("v/0") == b"0123456789"
    bomb = gzip.compress(bytes(300 * MIB), 1)
    headers["Content-Length"] = str(len(bomb))
    zmap = serve(Answer(headers, [bomb]))
    with pytest.raises(ZmapError, match="larger than the 100 bytes"):
        zmap.get("v/0", 100)
