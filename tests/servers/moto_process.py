"""moto's S3 backend behind a fast HTTP server; run as ``python -m tests.servers.moto_process``.

moto's own server opens a connection, looks for a service, and writes a line of its log for every
request, which takes longer than the request itself. This one keeps connections open and serves S3
alone. Its first line on standard error has its address.
"""

from __future__ import annotations

import io
import os
import sys
from http import HTTPStatus
from typing import Any

from moto.moto_server.werkzeug_app import MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

PAGE = 100
"""The keys of one answer to a listing; S3 sends a thousand."""


class Handler(MotoRequestHandler):  # type: ignore[misc]
    """Answers the requests of one connection until the client closes it."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # an answer in two packets waits for the client's delayed acknowledgement
    disable_nagle_algorithm = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Keep silent."""

    def run_wsgi(self) -> None:
        """Read one request, ask moto, and send its answer."""
        self.wfile.flush()  # a "100 Continue", which the client waits for
        if "Transfer-Encoding" in self.headers:
            self.close_connection = True
            self.send_error(HTTPStatus.LENGTH_REQUIRED)
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        environ = self.make_environ() | {"wsgi.input": io.BytesIO(body)}
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start_response(status: str, headers: list[tuple[str, str]], _: Any = None) -> Any:
            started.append((status, headers))

        answer = b"".join(self.server.app(environ, start_response))
        status, headers = started[-1]
        self._send(int(status.split()[0]), headers, answer)

    def _send(self, status: int, headers: list[tuple[str, str]], answer: bytes) -> None:
        of_head = self.command == "HEAD"  # the length of the body of GET
        self.send_response(status)
        for name, value in headers:
            if of_head or name.lower() != "content-length":
                self.send_header(name, value)
        if not of_head and status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
            self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if not of_head:
            self.wfile.write(answer)


def main(certificate: str = "", key: str = "") -> None:
    """Serve S3 on a free port of the loopback interface, with TLS if there is a certificate."""
    os.environ["MOTO_S3_DEFAULT_MAX_KEYS"] = str(PAGE)
    server = make_server(
        "127.0.0.1",
        0,
        create_backend_app("s3"),
        threaded=True,
        request_handler=Handler,
        ssl_context=(certificate, key) if certificate else None,
    )
    scheme = "https" if certificate else "http"
    sys.stderr.write(f"Running on {scheme}://127.0.0.1:{server.server_port}\n")
    sys.stderr.flush()
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
