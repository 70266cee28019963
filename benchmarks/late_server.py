"""A web server on this machine that answers late, as a distant one does."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


class _Handler(BaseHTTPRequestHandler):
    """Answers requests for the files of a folder, with ranges, and lists folders as links."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def __init__(
        self, folder: Path, latency: float, counted: list[str], *arguments: object
    ) -> None:
        self.folder = folder
        self.latency = latency
        self.counted = counted
        super().__init__(*arguments)  # type: ignore[arg-type]

    def log_message(self, format: str, *args: object) -> None:
        """Print no log."""

    def do_HEAD(self) -> None:
        """Answer with the length."""
        self.do_GET()

    def do_GET(self) -> None:
        """Answer with a file, with a range of it, or with the names in a folder."""
        time.sleep(self.latency)
        self.counted.append(self.command)
        path = self.folder / self.path.strip("/")
        if path.is_dir():
            names = sorted(each.name + "/" * each.is_dir() for each in path.iterdir())
            links = "".join(f'<a href="{name}">{name}</a>\n' for name in names)
            self._answer(200, links.encode(), "text/html")
            return
        if not path.is_file():
            self._answer(404, b"", "text/plain")
            return
        data = path.read_bytes()
        span = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if span is None:
            self._answer(200, data)
            return
        last = len(data) - 1
        if span[1]:
            first, last = int(span[1]), min(last, int(span[2] or last))
        else:
            first = max(0, len(data) - int(span[2]))
        content_range = f"bytes {first}-{last}/{len(data)}"
        self._answer(206, data[first : last + 1], content_range=content_range)

    def _answer(
        self,
        status: int,
        body: bytes,
        content_type: str = "application/octet-stream",
        content_range: str = "",
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Accept-Ranges", "bytes")
        if content_range:
            self.send_header("Content-Range", content_range)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextlib.contextmanager
def serving_late(folder: Path, latency: float) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder; yield its URL, and a growing list of its requests.

    Each answer waits for `latency` seconds first.
    """
    counted: list[str] = []
    handler = partial(_Handler, folder, latency, counted)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", counted
        finally:
            server.shutdown()
            thread.join(timeout=10)
