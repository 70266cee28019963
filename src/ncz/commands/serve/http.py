"""The HTTP side of serve: requests to objects of stores, with tornado."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from html import escape
from typing import Any, NoReturn, TypeVar
from urllib.parse import quote

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream, StreamClosedError
from tornado.web import Application, HTTPError, RequestHandler

from ncz.commands.serve.access import Access
from ncz.errors import NczError, ZmapError, without_secrets
from ncz.record import record
from ncz.transfer.planned import PlannedZmap
from ncz.zmap.key import check_inside, is_document

_T = TypeVar("_T")

MOST_CONNECTIONS = 512
"""Connections that are open at the same time; more are closed at once."""

_LARGEST_HEADER = 16 << 10
_IDLE = 60.0
"""Seconds in which a request must arrive, and in which a client must take the next piece."""

_PIECE = 1 << 20
"""Bytes of an answer that are written at a time."""

_BUSY = 30.0
"""Seconds that a request waits while answers that are not yet sent fill the memory."""

_CHECKS = 10
"""A check of the source may take one part in so many of the time."""

_LARGEST = 1 << 40
"""Bytes of an object; what is read of a source has a limit that follows from its metadata."""

_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{1,18})?|-(\d{1,18}))\Z")


@record(kw_only=True)
class ServedStore:
    """A store, and what says that its source is no longer what was opened."""

    zmap: PlannedZmap
    summary: str
    check: Callable[[], None]


class SourceGuard:
    """Checks the source of a store now and then. A source that has changed stays changed.

    Parameters
    ----------
    check
        Raises `NczError` if the source has changed.
    """

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self._next = 0.0
        self._lock = threading.Lock()
        self._change: NczError | None = None

    def __call__(self) -> None:
        """Raise `NczError` if the source has changed since it was opened."""
        with self._lock:
            start = time.monotonic()
            if self._change is None and start >= self._next:
                try:
                    self._check()
                except NczError as error:
                    self._change = error
                now = time.monotonic()
                self._next = now + _CHECKS * (now - start)
            if self._change is not None:
                raise self._change

    def note(self, error: NczError) -> None:
        """Remember that a source has changed, if this error says so."""
        from errno import ESTALE

        if getattr(error, "errno", None) == ESTALE:
            with self._lock:
                self._change = self._change or error


class Site:
    """What a server has, and the threads that read it.

    Parameters
    ----------
    access
        Which requests are answered.
    handler
        What answers them.
    threads
        The number of threads that read.
    memory
        Bytes of answers that wait to be sent, above which no more is read.
    report
        Called with every error that a client was told, but once for each text.
    """

    def __init__(
        self,
        access: Access,
        handler: type[GuardedHandler],
        *,
        threads: int,
        memory: int,
        report: Callable[[NczError], None],
    ) -> None:
        self.access = access
        self.handler = handler
        self.pool = ThreadPoolExecutor(threads, "ncz-serve")
        self._memory = memory
        self._waiting = 0
        self._report = report
        self._reported: set[str] = set()

    async def run(self, function: Callable[[], _T]) -> _T:
        """Call a function in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, function)

    def has_room(self) -> bool:
        """Return whether what waits to be sent leaves memory for more."""
        return self._waiting < self._memory

    @contextlib.contextmanager
    def sending(self, size: int) -> Iterator[None]:
        """Count bytes that wait to be sent."""
        self._waiting += size
        try:
            yield
        finally:
            self._waiting -= size

    def report(self, error: NczError) -> None:
        """Report an error, unless it was reported before."""
        if str(error) not in self._reported and len(self._reported) < 1000:
            self._reported.add(str(error))
            self._report(error)


class StoreSite(Site):
    """A site of stores by name, which are the first part of their keys' paths."""

    def __init__(
        self,
        stores: Mapping[str, ServedStore],
        access: Access,
        *,
        threads: int,
        memory: int,
        report: Callable[[NczError], None],
    ) -> None:
        super().__init__(access, _StoreHandler, threads=threads, memory=memory, report=report)
        self.stores = dict(stores)
        self.guards = {name: SourceGuard(store.check) for name, store in stores.items()}
        self._salt = secrets.token_bytes(16)

    def etag(self, name: str, key: str) -> str:
        """Return the entity tag of an object, which never changes while the server runs."""
        text = f"{name}/{key}".encode("utf-8", "surrogateescape")
        return f'"{blake2b(text, digest_size=12, key=self._salt).hexdigest()}"'


class GuardedHandler(RequestHandler):
    """Answers requests that are meant for this server, by clients that may read from it."""

    SUPPORTED_METHODS = ("GET", "HEAD", "OPTIONS")

    def initialize(self, site: Site) -> None:
        self.site = site

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")
        self.set_header("Referrer-Policy", "no-referrer")  # the address may have a token
        self.set_header("Cache-Control", "no-cache")
        self.set_header("Vary", "Origin")

    def prepare(self) -> None:
        """Refuse what is not meant for this server, or comes from a site that is not allowed."""
        access, request = self.site.access, self.request
        if not access.allows_host(request.host):
            raise HTTPError(421, "this server does not have that name")
        origin = request.headers.get("Origin")
        if origin is None:
            return
        if not access.allows_origin(origin, request.host):
            raise HTTPError(403, "this site may not read from the server")
        if origin in access.origins:
            self.set_header("Access-Control-Allow-Origin", origin)
            self.set_header(
                "Access-Control-Expose-Headers",
                "ETag, Content-Length, Content-Range, Accept-Ranges",
            )

    def write_error(self, status_code: int, **details: Any) -> None:
        """Send an error as one line of text."""
        error = details.get("exc_info", (None, None, None))[1]
        reason = error.log_message if isinstance(error, HTTPError) else None
        reason = reason and reason.replace("%%", "%")  # tornado escapes it for its log
        if status_code == 405:
            self.set_header("Allow", ", ".join(self.SUPPORTED_METHODS))
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{reason or self._reason}\n")

    def log_exception(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Report an error of the program; a client that goes away causes no message."""
        if error is not None and not isinstance(error, (HTTPError, StreamClosedError)):
            self.site.report(NczError(f"internal error: {type(error).__name__}: {error}"))

    async def options(self, path: str) -> None:
        """Tell a browser what a script of an allowed site may do."""
        self.set_status(204)
        self.set_header("Allow", ", ".join(self.SUPPORTED_METHODS))
        if "Access-Control-Allow-Origin" in self._headers:
            self.set_header("Access-Control-Allow-Methods", "GET, HEAD")
            self.set_header(
                "Access-Control-Allow-Headers", "Range, If-None-Match, If-Range, Cache-Control"
            )
            self.set_header("Access-Control-Max-Age", "600")
            if self.request.headers.get("Access-Control-Request-Private-Network") == "true":
                self.set_header("Access-Control-Allow-Private-Network", "true")

    async def head(self, path: str) -> None:
        """Answer without the content."""
        await self.get(path)

    async def get(self, path: str) -> None:
        """Answer a request whose path has the token, if there is one."""
        access = self.site.access
        if access.token is not None:
            token, _, path = path.partition("/")
            if not access.allows_token(token):
                raise HTTPError(404, "nothing is here")
        await self.answer(path)

    async def answer(self, path: str) -> None:
        """Answer a request for a path below the token."""
        raise NotImplementedError

    def fail(self, error: NczError) -> NoReturn:
        """Report an error, and tell the client."""
        self.site.report(error)
        # The text of an error may name files of this machine, which only its user should see.
        message = without_secrets(str(error)) if not self.site.access.is_open else "see the server"
        raise HTTPError(500, message) from None

    async def wait_for_room(self) -> None:
        """Wait until answers to slow clients leave memory for more."""
        end = time.monotonic() + _BUSY
        while not self.site.has_room():
            if time.monotonic() > end:
                self.set_header("Retry-After", "10")
                raise HTTPError(503, "the server is busy")
            await asyncio.sleep(0.02)

    async def send(self, data: bytes) -> None:
        """Send bytes to a client that takes them; close the connection to another."""
        view = memoryview(data)
        try:
            with self.site.sending(len(data)):
                for start in range(0, len(data), _PIECE):
                    self.write(bytes(view[start : start + _PIECE]))
                    await asyncio.wait_for(self.flush(), _IDLE)
        except TimeoutError:
            connection: Any = self.request.connection
            connection.stream.close()
            raise StreamClosedError from None


class _StoreHandler(GuardedHandler):
    """Answers a request for an object or a page."""

    site: StoreSite

    async def answer(self, path: str) -> None:
        """Send an object, a part of it, or a page."""
        site = self.site
        if not path:
            self._page(_front_page(site, self._base()))
            return
        name, slash, key = path.partition("/")
        store = site.stores.get(name)
        if store is None:
            raise HTTPError(404, "nothing is here")
        try:
            await self._from_store(name, store, key, is_page=not slash)
        except NczError as error:
            site.guards[name].note(error)
            self.fail(error)

    async def _from_store(self, name: str, store: ServedStore, key: str, is_page: bool) -> None:
        zmap, site = store.zmap, self.site
        self.set_header("Etag", site.etag(name, key))
        await site.run(site.guards[name])
        if is_page or key.endswith("/") or not key:
            key = key.rstrip("/")
            names = zmap.nodes(key) if _is_legal(key) else []
            if not names:
                raise HTTPError(404, "nothing is here")
            self._page(_store_page(name, store, key, names))
            return
        if not _is_legal(key):
            raise HTTPError(404, "nothing is here")
        await self.wait_for_room()
        range_of = _range_of(self.request.headers, site.etag(name, key))
        is_head = self.request.method == "HEAD"
        reply = await site.run(lambda: _read(zmap, key, range_of, is_head or self._is_known()))
        if reply is None:
            self.clear_header("Etag")
            raise HTTPError(404, "no such object")
        self.set_header("Accept-Ranges", "bytes")
        is_json = is_document(key)
        self.set_header(
            "Content-Type", "application/json" if is_json else "application/octet-stream"
        )
        if self._is_known():
            self.set_status(304)
            return
        if reply.part is not None:
            self.set_header("Content-Range", reply.content_range)
            self.set_status(206 if reply.part else 416)
        self.set_header("Content-Length", str(reply.length))
        if not is_head:
            await self.send(reply.data)

    def _is_known(self) -> bool:
        return bool(self.check_etag_header())

    def _base(self) -> str:
        """Return the address of the server, as the client wrote it."""
        token = self.site.access.token
        return f"http://{self.request.host}/" + (f"{token}/" if token else "")

    def _page(self, text: str) -> None:
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none';"
            " base-uri 'none'; form-action 'none'",
        )
        self.clear_header("Etag")
        self.write(text)


@record(kw_only=True)
class _Reply:
    """What is sent of an object of `size` bytes.

    `part` is the range that was asked for; empty if it is beyond the end, and None for all.
    """

    size: int
    data: bytes = b""
    part: range | None = None

    @property
    def length(self) -> int:
        """Bytes of the answer."""
        return self.size if self.part is None else len(self.part)

    @property
    def content_range(self) -> str:
        """The header that says which part is sent."""
        part = self.part
        return f"bytes {part[0]}-{part[-1]}/{self.size}" if part else f"bytes */{self.size}"


_RangeOf = Callable[[int], range]
"""A function that returns the bytes wanted of an object of some size."""


def _range_of(headers: Mapping[str, str], etag: str) -> _RangeOf | None:
    """Return the range that a request asks for; None for all, as for several ranges."""
    if headers.get("If-Range", etag) != etag:
        return None
    match = _RANGE.match(headers.get("Range", "").replace(" ", ""))
    if match is None:
        return None
    first, last, suffix = (None if part is None else int(part) for part in match.groups())
    if suffix is not None:
        return lambda size: range(max(0, size - suffix), size)
    if first is None or (last is not None and last < first):
        return None
    return lambda size: range(first, size if last is None else min(size, last + 1))


def _read(
    zmap: PlannedZmap, key: str, range_of: _RangeOf | None, sizes_only: bool
) -> _Reply | None:
    """Read an object or a part of it; None if there is none."""
    if range_of is None and not sizes_only:
        data = zmap.get(key, _LARGEST)
        return None if data is None else _Reply(size=len(data), data=data)
    size = zmap.size(key)
    if size is None:
        # Reading tells a chunk that is missing from one that was removed.
        data = zmap.get(key, _LARGEST)
        if data is None:
            return None
        size = len(data)
    if range_of is None:
        return _Reply(size=size)
    part = range_of(size)
    if sizes_only or not part:
        return _Reply(size=size, part=part)
    data = zmap.get_range(key, part[0], len(part))
    if data is None or len(data) != len(part):
        from ncz.errors import changed

        raise changed(zmap.where(key))
    return _Reply(size=size, data=data, part=part)


def _is_legal(key: str) -> bool:
    """Return whether a store can have such a key; one with ``..`` could lead out of it."""
    try:
        return check_inside(key) == key
    except ZmapError:
        return False


# Pages for people. Names and texts of datasets are never markup.

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}"
    "code,pre{background:#8882;padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}"
    "pre{overflow:auto;padding:.6em}:root{color-scheme:light dark}"
)


def _html(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
    )


def _front_page(site: StoreSite, base: str) -> str:
    items = "".join(
        f'<li><a href="{escape(quote(name))}/">{escape(name)}</a>'
        f" <code>{escape(base + quote(name))}</code></li>"
        for name in site.stores
    )
    return _html("Datasets", f"<ul>{items}</ul>")


def _store_page(name: str, store: ServedStore, key: str, names: list[str]) -> str:
    links = []
    for each in names:
        below = f"{key}/{each}" if key else each
        end = "" if store.zmap.is_document(below) else "/"
        # A colon in the first part of a relative address would be taken for that of a scheme.
        links.append(f'<li><a href="./{escape(quote(each))}{end}">{escape(each)}{end}</a></li>')
    summary = f"<pre>{escape(store.summary)}</pre>" if not key else ""
    return _html(f"{name}/{key}".rstrip("/"), f"<ul>{''.join(links)}</ul>{summary}")


# The server.


class _Server(HTTPServer):
    """An HTTP server with a limit of connections."""

    streams: weakref.WeakSet[IOStream]

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Serve a connection, or close it if there are too many."""
        if sum(not each.closed() for each in self.streams) >= MOST_CONNECTIONS:
            stream.close()
            return
        self.streams.add(stream)
        super().handle_stream(stream, address)


class RunningServer:
    """A server in a thread of its own.

    Parameters
    ----------
    site
        What is served.
    host, port
        Where to listen; port 0 is any that is free.

    Raises
    ------
    OSError
        If the address or the port cannot be used.
    """

    def __init__(self, site: Site, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=MOST_CONNECTIONS)
        self._socket.setblocking(False)
        self.host, self.port = host, self._socket.getsockname()[1]
        self._site = site
        self._loop = asyncio.new_event_loop()
        self._ended = threading.Event()
        started = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(started,), name="ncz-serve-http", daemon=True
        )
        self._thread.start()
        started.wait()

    def wait(self) -> None:
        """Wait until the server ends, which only an interruption or `close` brings about."""
        self._ended.wait()

    def close(self) -> None:
        """End the server; connections are closed."""
        if not self._ended.is_set():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._site.pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, started: threading.Event) -> None:
        try:
            self._loop.run_until_complete(self._serve(started))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()
            self._ended.set()

    async def _serve(self, started: threading.Event) -> None:
        self._stop = asyncio.Event()
        application = Application(
            [(r"/(.*)", self._site.handler, {"site": self._site})], log_function=lambda _: None
        )
        server = _Server(
            application,
            max_header_size=_LARGEST_HEADER,
            max_body_size=0,
            body_timeout=_IDLE,
            idle_connection_timeout=_IDLE,
        )
        server.streams = weakref.WeakSet()
        server.add_sockets([self._socket])
        started.set()
        await self._stop.wait()
        server.stop()
        for stream in list(server.streams):
            stream.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
