"""Sites, and handlers that answer only those requests that are allowed, with tornado."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn, TypeVar

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler

from ncz.commands.serve.access import Access
from ncz.errors import NczError, without_secrets

_T = TypeVar("_T")

IDLE = 60.0
"""Time limit in seconds for a request to arrive, and for a client to take the next piece."""

PIECE = 1 << 20
"""Bytes of an answer that are written at a time."""

_BUSY = 30.0
"""Seconds that a request waits while answers that are not yet sent fill the memory."""

_CHECKS = 10
"""A check of the source may take one part in this number of the time."""


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

    @property
    def has_changed(self) -> bool:
        """Whether the source is known to have changed."""
        return self._change is not None

    def note(self, error: NczError) -> None:
        """Remember that a source has changed, if this error reports it."""
        from errno import ESTALE

        if getattr(error, "errno", None) == ESTALE:
            with self._lock:
                self._change = self._change or error


class Site:
    """The datasets of a server, and the threads that read them.

    Parameters
    ----------
    access
        The permitted requests.
    handler
        The function that answers them.
    threads
        The number of threads that read.
    memory
        Limit for bytes of responses that wait to be sent; no more are read above it.
    report
        Called with every error that was sent to a client, once for each text.
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
        """Return whether the answers that wait to be sent leave memory for more."""
        return self._waiting < self._memory

    @contextlib.contextmanager
    def count_bytes(self, size: int) -> Iterator[None]:
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
        """Refuse requests for another server, or from a site that is not allowed."""
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
        """Send a browser the permissions of a script of an allowed site."""
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
        """Answer a request whose path has the token, if any."""
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
        """Report an error, also to the client."""
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
            with self.site.count_bytes(len(data)):
                for start in range(0, len(data), PIECE):
                    self.write(bytes(view[start : start + PIECE]))
                    await asyncio.wait_for(self.flush(), IDLE)
        except TimeoutError:
            self.close_connection()

    def close_connection(self) -> NoReturn:
        """Close the connection to a client before all of the answer is sent."""
        connection: Any = self.request.connection
        connection.stream.close()
        raise StreamClosedError from None
