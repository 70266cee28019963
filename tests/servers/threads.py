"""Servers in a thread: an S3 server that fails on request, and several kinds of web servers."""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import struct
import sys
import threading
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterator
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class Served:
    """The objects of a server in a thread, its requests, and its planned failures.

    `faults` are used up one for each request whose path contains `only`: a status ("503"), "reset",
    "hang" (never answer), "slow" (answer late), "wrong" (another last byte), "etag" (the ETag of
    something else), "loop" (a listing that continues with the same token), "stall" (stop within the
    body), "short" (break off within the body), or None (none). `always` is never used up; it begins
    with the request of number `begin`. `hanging` is set while a client waits. `together` is a
    barrier for requests for objects whose path contains `only`: none is answered before all have
    arrived. `states_md5` adds the ETag of an object as S3 does, and `damaged` are keys whose bytes
    arrive changed. `absent` is the status for a missing object. `changes` is called with
    the number of each request before it is answered. With `trickles`, the second half of a "short"
    body comes byte by byte. `redirects` has the URL of each key that is somewhere else. `extra` are
    headers of every answer. `clients` are the addresses that have made requests: one for each
    connection. With `leaves`, the connection is closed after each answer, without a word about it.
    """

    def __init__(self) -> None:
        self.endpoint = ""
        self.objects: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.faults: deque[str | None] = deque()
        self.hanging = threading.Event()
        self.always: str | None = None
        self.begin = 0
        self.states_md5 = False
        self.damaged: set[str] = set()
        self.only = ""
        self.over = threading.Event()
        self.together: threading.Barrier | None = None
        self.code = "ServiceUnavailable"
        self.absent = 404
        self.region = ""
        self.ranges = True
        self.redirects: dict[str, str] = {}
        self.headers = deque[dict[str, str]](maxlen=1000)  # a listing can be endless
        self.trickles = False
        self.extra: dict[str, str] = {}
        self.clients: set[tuple[str, int]] = set()
        self.leaves = False
        self.changes: Callable[[int], None] = lambda _: None
        self._lock = threading.Lock()

    def count(self, request: str) -> int:
        """Remember a request, and return its number, which no other has."""
        with self._lock:
            self.requests.append(request)
            return len(self.requests)

    def asked(self, text: str) -> int:
        """Return the number of requests that contain a text."""
        return sum(text in request for request in self.requests)


class Handler(BaseHTTPRequestHandler):
    """A minimal S3 server for one bucket of any name: objects, listing in one page, deletion."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # an answer in two packets waits for the client's delayed acknowledgement
    served: Served
    short = False
    stalls = False
    lies: str | None = None

    def log_message(self, format: str, *args: object) -> None:
        """Print no log."""

    def handle_one_request(self) -> None:
        """Ignore connections that clients close."""
        with contextlib.suppress(ConnectionError):
            super().handle_one_request()

    def _fails(self) -> bool:
        served = self.served
        number = served.count(f"{self.command} {unquote(self.path)}")
        served.headers.append(dict(self.headers))
        served.clients.add(self.client_address)
        served.changes(number)
        fault = served.always if number >= served.begin else None
        if served.only not in unquote(self.path):
            fault = None
        elif served.faults:
            fault = served.faults.popleft()
        self.short = fault in ("short", "stall")
        self.stalls = fault == "stall"
        self.lies = fault if fault in ("wrong", "etag", "loop") else None
        if fault in (None, "short", "stall", "wrong", "etag", "loop"):
            return False
        if fault == "slow":
            served.over.wait(0.03)
            return False
        if fault == "hang":
            served.hanging.set()
            served.over.wait()
            self.close_connection = True
        elif fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        else:
            self._body()
            code = f"<Error><Code>{served.code}</Code><Message>as told</Message></Error>"
            region = {"x_amz_bucket_region": served.region} if served.region else {}
            self._answer(int(str(fault)), code.encode(), **region)
        return True

    def _body(self) -> bytes:
        self.wfile.flush()  # a "100 Continue", which the client waits for
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        length = headers.pop("length", str(len(body)))
        for name, value in (headers | self.served.extra).items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", length)
        self.end_headers()
        self.close_connection |= self.served.leaves
        if self.command == "HEAD":
            return
        if self.short:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            if self.served.trickles:
                for at in range(len(body) // 2, len(body)):
                    if self.served.over.wait(0.02):
                        break
                    self.wfile.write(body[at : at + 1])
                    self.wfile.flush()
            if self.stalls:
                self.wfile.flush()
                self.served.hanging.set()
                self.served.over.wait()
        else:
            self.wfile.write(body)

    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).lstrip("/")

    def do_GET(self) -> None:
        """Send an object, a part of it, or a listing."""
        if self._fails():
            return
        query = parse_qs(urlsplit(self.path).query)
        if "list-type" in query:
            self._list(query)
            return
        if self.served.together and self.served.only in self._key():
            try:
                self.served.together.wait(60)
            except threading.BrokenBarrierError:
                self._answer(418)
                return
        if self._key() in self.served.redirects:
            self._answer(302, Location=self.served.redirects[self._key()])
            return
        value = self.served.objects.get(self._key())
        if value is None:
            code = "NoSuchKey" if self.served.absent == 404 else self.served.code
            self._answer(self.served.absent, f"<Error><Code>{code}</Code></Error>".encode())
            return
        span = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not span or not self.served.ranges:
            is_wrong = self.lies == "wrong" or self._key() in self.served.damaged
            sent = value[:-1] + b"?" if is_wrong else value
            self._answer(200, sent, **self._etag(value))
            return
        first = int(span[1]) if span[1] else max(0, len(value) - int(span[2]))
        last = min(int(span[2]), len(value) - 1) if span[1] and span[2] else len(value) - 1
        if first > last:
            self._answer(416, b"<Error/>", Content_Range=f"bytes */{len(value)}")
            return
        part = value[first : last + 1]
        span_sent = f"bytes {first}-{last}/{len(value)}"
        self._answer(206, part, Content_Range=span_sent, **self._etag(value))

    def _list(self, query: dict[str, list[str]]) -> None:
        bucket = self._key().partition("/")[0]
        prefix = query.get("prefix", [""])[0]
        sizes = {key.partition("/")[2]: len(value) for key, value in self.served.objects.items()}
        found = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{sizes[key]}</Size></Contents>"
            for key in sorted(sizes)
            if key.startswith(prefix)
        )
        more = "<IsTruncated>false</IsTruncated>"
        if self.lies == "loop":
            token = "<NextContinuationToken>t</NextContinuationToken>"
            more = f"<IsTruncated>true</IsTruncated>{token}"
        self._answer(
            200,
            f"<ListBucketResult><Name>{bucket}</Name>{found}{more}</ListBucketResult>".encode(),
        )

    def _etag(self, value: bytes) -> dict[str, str]:
        if not self.served.states_md5:
            return {}
        return {"ETag": f'"{md5(b"other" if self.lies == "etag" else value).hexdigest()}"'}

    def do_HEAD(self) -> None:
        """Send whether an object exists."""
        if self._fails():
            return
        value = self.served.objects.get(self._key())
        told = {"length": str(len(value or b"")), **self._etag(value or b"")}
        self._answer(self.served.absent if value is None else 200, b"", **told)

    def do_PUT(self) -> None:
        """Create or replace an object."""
        if self._fails():
            return
        value = self._body()
        stated = self.headers.get("Content-MD5", "")
        self.served.objects[self._key()] = value
        if self.served.states_md5 and stated != b64encode(md5(value).digest()).decode():
            self._answer(400, b"<Error><Code>BadDigest</Code></Error>")
        else:
            self._answer(200, b"", **{"ETag": '"0"', **self._etag(value)})

    def do_POST(self) -> None:
        """Delete objects."""
        if self._fails():
            return
        bucket = self._key().partition("/")[0]
        for key in re.findall(r"<Key>(.*?)</Key>", self._body().decode()):
            self.served.objects.pop(f"{bucket}/{key}", None)
        self._answer(200, b"<DeleteResult/>")

    def do_DELETE(self) -> None:
        """Delete an object."""
        if self._fails():
            return
        self.served.objects.pop(self._key(), None)
        self._answer(204)


class Server(ThreadingHTTPServer):
    """A server with one thread per connection."""

    daemon_threads = True
    request_queue_size = 128  # one that finds no place in it is tried again after a second

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing of clients that leave before the end of an answer."""
        if not isinstance(sys.exception(), (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextlib.contextmanager
def serving(kind: type[Handler] = Handler, tls: ssl.SSLContext | None = None) -> Iterator[Served]:
    """Run a server in a thread for the duration of the block."""
    served = Served()
    handler = type("Handler", (kind,), {"served": served})
    server = Server(("127.0.0.1", 0), handler)
    served.endpoint = f"http{'s' * bool(tls)}://127.0.0.1:{server.server_port}"
    if tls:  # the thread of a connection shakes hands, when it reads the request
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield served
    finally:
        served.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


# Google and Azure.

MODIFIED = "Mon, 23 Nov 2026 00:00:00 GMT"


class CloudHandler(Handler):
    """A server with the listings of Google and of Azure, and Azure's deletion of many objects."""

    def do_GET(self) -> None:
        """Send an object, a part of it, or a listing."""
        query = parse_qs(urlsplit(self.path).query)
        if not query.keys() & {"comp", "list-type"}:
            super().do_GET()
        elif not self._fails():
            names, folders = self._level(query.get("prefix", [""])[0], "delimiter" in query)
            listing = self._blobs if "comp" in query else self._contents
            self._answer(200, listing(names, folders).encode())

    def _level(self, prefix: str, is_flat: bool) -> tuple[dict[str, int], set[str]]:
        names, folders = {}, set()
        for key, value in sorted(self.served.objects.items()):
            name = key.partition("/")[2]
            rest = name.removeprefix(prefix)
            if name.startswith(prefix) and is_flat and "/" in rest:
                folders.add(f"{prefix}{rest.partition('/')[0]}/")
            elif name.startswith(prefix):
                names[name] = len(value)
        return names, folders

    def _blobs(self, names: dict[str, int], folders: set[str]) -> str:
        found = "".join(
            f"<Blob><Name>{escape(name)}</Name><Properties><Last-Modified>{MODIFIED}</Last-Modified>"
            "<Etag>e</Etag><Content-Type>x</Content-Type>"
            f"<Content-Length>{size}</Content-Length></Properties></Blob>"
            for name, size in names.items()
        )
        found += "".join(
            f"<BlobPrefix><Name>{escape(each)}</Name></BlobPrefix>" for each in folders
        )
        return f"<EnumerationResults><Blobs>{found}</Blobs><NextMarker/></EnumerationResults>"

    def _contents(self, names: dict[str, int], folders: set[str]) -> str:
        found = "".join(
            f"<Contents><Key>{escape(name)}</Key><Size>{size}</Size><ETag>e</ETag>"
            "<LastModified>2026-11-23T00:00:00.000Z</LastModified></Contents>"
            for name, size in names.items()
        )
        found += "".join(
            f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in folders
        )
        return f"<ListBucketResult>{found}</ListBucketResult>"

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        super()._answer(status, body, **{"Last_Modified": MODIFIED, "ETag": '"e"'} | headers)

    def do_PUT(self) -> None:
        """Create an object, or replace it if that is not forbidden."""
        is_new = (
            self.headers.get("If-None-Match") == "*"
            or self.headers.get("x-goog-if-generation-match") == "0"
        )
        if is_new and self._key() in self.served.objects:
            self._body()
            self._answer(409 if "If-None-Match" in self.headers else 412)
        else:
            super().do_PUT()

    def do_DELETE(self) -> None:
        """Delete an object, which must exist."""
        if not self._fails():
            self._answer(202 if self.served.objects.pop(self._key(), None) is not None else 404)

    def do_POST(self) -> None:
        """Delete objects, and answer in parts."""
        keys = re.findall(r"DELETE /(\S+) HTTP", self._body().decode())
        for key in keys:
            self.served.objects.pop(unquote(key), None)
        parts = "".join(
            f"--b\r\nContent-Type: application/http\r\nContent-ID: {number}\r\n\r\n"
            "HTTP/1.1 202 Accepted\r\n\r\n\r\n"
            for number in range(len(keys))
        )
        self._answer(202, f"{parts}--b--\r\n".encode(), Content_Type="multipart/mixed; boundary=b")
