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

LATENCY = 0.02
"""Seconds before each answer."""

HEADER_WITH_H5NETCDF = """import sys, fsspec, h5netcdf
with fsspec.open(sys.argv[1]) as remote, h5netcdf.File(remote) as file:
    for name, variable in file.variables.items():
        print(name, variable.dimensions, dict(variable.attrs))
"""
"""A program that prints the header of a netCDF-4 file at a URL."""


class _Handler(BaseHTTPRequestHandler):
    """Answers requests for one file, with ranges."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def __init__(self, data: bytes, counted: list[str], *arguments: object) -> None:
        self.data = data
        self.counted = counted
        super().__init__(*arguments)  # type: ignore[arg-type]

    def log_message(self, format: str, *args: object) -> None:
        """Print no log."""

    def do_HEAD(self) -> None:
        """Answer with the length."""
        self._answer(200, b"", len(self.data))

    def do_GET(self) -> None:
        """Answer with the file, or with a range of it."""
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if span is None:
            self._answer(200, self.data, len(self.data))
            return
        first, last = int(span[1]), int(span[2] or len(self.data) - 1)
        part = self.data[first : last + 1]
        self._answer(206, part, len(part), f"bytes {first}-{last}/{len(self.data)}")

    def _answer(self, status: int, body: bytes, length: int, content_range: str = "") -> None:
        time.sleep(LATENCY)
        self.counted.append(self.command)
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.send_header("Accept-Ranges", "bytes")
        if content_range:
            self.send_header("Content-Range", content_range)
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def serving_late(file: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a file; yield its URL, and the list to which each request is added."""
    counted: list[str] = []
    handler = partial(_Handler, file.read_bytes(), counted)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/{file.name}", counted
        finally:
            server.shutdown()
            thread.join()
