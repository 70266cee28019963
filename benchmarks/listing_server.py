"""An S3 server on this machine that lists keys, to measure the time of the client.

Each page is made once. Documents can be read, and answers can be late, as a distant server's are.
"""

from __future__ import annotations

import contextlib
import functools
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.sax.saxutils import escape

_PAGE = 1000
_ENTRY = (
    "<Contents><Key>{}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
    '<ETag>"00000000000000000000000000000000"</ETag><Size>4</Size>'
    "<StorageClass>STANDARD</StorageClass></Contents>"
)


class _Keys:
    """The keys of a bucket; `documents` are the objects that can be read."""

    def __init__(self, keys: list[str], documents: Mapping[str, bytes]) -> None:
        self.keys = sorted([*keys, *documents], key=str.encode)
        self.documents = documents
        self.page = functools.cache(self._page)

    def _page(self, prefix: str, delimiter: str, after: str) -> bytes:
        """Return a page of the names that start with `prefix` and follow `after`."""
        keys, shown, count = self.keys, [], 0
        at = max(bisect_left(keys, prefix), bisect_right(keys, after) if after else 0)
        last = ""
        while at < len(keys) and keys[at].startswith(prefix) and count < _PAGE:
            last, count = keys[at], count + 1
            above, found, _ = (
                last[len(prefix) :].partition(delimiter) if delimiter else ("", "", "")
            )
            if found:
                last = prefix + above + delimiter
                shown.append(f"<CommonPrefixes><Prefix>{escape(last)}</Prefix></CommonPrefixes>")
                at = bisect_left(keys, prefix + above + chr(ord(delimiter) + 1))
                last = keys[at - 1]
            else:
                shown.append(_ENTRY.format(escape(last)))
                at += 1
        more = at < len(keys) and keys[at].startswith(prefix)
        name = escape(last)
        tokens = f"<NextContinuationToken>{name}</NextContinuationToken>" if more else ""
        tokens += f"<NextMarker>{name}</NextMarker>" if more else ""
        text = (
            f"<ListBucketResult><Name>bench</Name><Prefix>{escape(prefix)}</Prefix>"
            f"<KeyCount>{count}</KeyCount><MaxKeys>{_PAGE}</MaxKeys>{tokens}"
            f"<IsTruncated>{str(more).lower()}</IsTruncated>{''.join(shown)}</ListBucketResult>"
        )
        return text.encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    disable_nagle_algorithm = True

    def __init__(self, served: _Keys, latency: float, *arguments: object) -> None:
        self.served = served
        self.latency = latency
        super().__init__(*arguments)  # type: ignore[arg-type]

    def log_message(self, format: str, *args: object) -> None:
        """Print no log."""

    def do_HEAD(self) -> None:
        """Answer without a body."""
        self.do_GET()

    def do_GET(self) -> None:
        """Answer with a page of the listing, or a document."""
        time.sleep(self.latency)
        url = urlsplit(self.path)
        key = unquote(url.path).strip("/").partition("/")[2]
        query = dict(parse_qsl(url.query))
        after = next(
            filter(None, map(query.get, ("continuation-token", "start-after", "marker"))), ""
        )
        status, body = 200, self.served.documents.get(key)
        if not key:
            body = self.served.page(query.get("prefix", ""), query.get("delimiter", ""), after)
        elif body is None:
            status, body = 404, b"<Error><Code>NoSuchKey</Code></Error>"
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "application/xml")
        self.send_header("ETag", '"00000000000000000000000000000000-1"')
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextlib.contextmanager
def serving_keys(
    keys: list[str], documents: Mapping[str, bytes], latency: float = 0
) -> Iterator[str]:
    """Serve the listing of a bucket of any name; yield the endpoint.

    Each answer waits for `latency` seconds first.
    """
    handler = functools.partial(_Handler, _Keys(keys, documents), latency)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(timeout=10)
