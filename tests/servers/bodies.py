"""A web server that sends more than an object holds: endless, too long, or compressed bodies."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

MIB = 1 << 20


class Answer:
    """The body that a server sends for one object, and the bytes that were sent."""

    def __init__(self, headers: Mapping[str, str], pieces: Iterable[bytes]) -> None:
        self.headers = headers
        self.pieces = pieces
        self.sent = 0


def endless() -> Iterator[bytes]:
    """Yield zeros without end."""
    while True:
        yield bytes(MIB)


@contextlib.contextmanager
def serving_bodies(
    answer: Answer, objects: Mapping[str, bytes], end: str = "/v/0"
) -> Iterator[str]:
    """Serve objects by their keys, and `answer` for keys with this end; yield the URL."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            key = unquote(urlsplit(self.path).path)
            if key.endswith(end):
                self.send_response(200)
                for name, text in answer.headers.items():
                    self.send_header(name, text)
                self.end_headers()
                with contextlib.suppress(OSError):  # the client has read enough
                    for piece in answer.pieces:
                        self.wfile.write(piece)
                        answer.sent += len(piece)
                return
            value = objects.get(key.lstrip("/"))
            self.send_response(404 if value is None else 200)
            self.send_header("Content-Length", str(len(value or b"")))
            self.end_headers()
            self.wfile.write(value or b"")

        def do_HEAD(self) -> None:
            value = objects.get(unquote(urlsplit(self.path).path).lstrip("/"))
            self.send_response(404 if value is None else 200)
            self.send_header("Content-Length", str(len(value or b"")))
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
