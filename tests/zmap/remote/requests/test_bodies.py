"""Servers that send more than was asked for."""

from __future__ import annotations

import contextlib
import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ncz.errors import ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap

pytest.importorskip("aiohttp", reason="aiohttp is not installed")

MIB = 1 << 20


class Answer:
    """What a server sends for every object, and how much of it was sent."""

    def __init__(self, headers, pieces):
        self.headers = headers
        self.pieces = pieces
        self.sent = 0


@pytest.fixture
def serve(closing):
    """Start a server that has a V2 group and one other object; return its store."""
    with contextlib.ExitStack() as stack:

        def started(answer):
            class Handler(BaseHTTPRequestHandler):
                def log_message(self, format, *args):
                    pass

                def do_GET(self):
                    if not self.path.endswith("/v/0"):
                        self.send_response(200 if self.path.endswith("/.zgroup") else 404)
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                        return
                    self.send_response(200)
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    with contextlib.suppress(OSError):  # the client has read enough
                        for piece in answer.pieces:
                            self.wfile.write(piece)
                            answer.sent += len(piece)

            server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            server.daemon_threads = True
            thread = threading.Thread(
                target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
            )
            thread.start()
            stack.callback(server.server_close)
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            url = f"http://127.0.0.1:{server.server_port}/x.zarr"
            return closing(open_zmap(parse_location(url)))

        yield started


def endless():
    while True:
        yield bytes(MIB)


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
    with pytest.raises(ZmapError, match="does not tell the size"):
        zmap.size("v/0")


def test_a_body_that_is_compressed_though_nobody_asked(serve):
    body = gzip.compress(b"0123456789")
    headers = {"Content-Encoding": "gzip", "Content-Length": str(len(body))}
    assert serve(Answer(headers, [body])).get("v/0") == b"0123456789"
    bomb = gzip.compress(bytes(300 * MIB))
    headers["Content-Length"] = str(len(bomb))
    zmap = serve(Answer(headers, [bomb]))
    with pytest.raises(ZmapError, match="larger than the 100 bytes"):
        zmap.get("v/0", 100)
