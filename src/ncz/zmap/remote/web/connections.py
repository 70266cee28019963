"""Requests to web servers over connections that are kept for further requests.

A thread that makes a request takes a kept connection or opens one, so that there are as many
connections as requests that run at once.
"""

from __future__ import annotations

import contextlib
import http.client
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from ncz._version import __version__
from ncz.zmap.remote.web.connection import Connection, Response, Server
from ncz.zmap.remote.web.cookies import Cookies
from ncz.zmap.remote.web.environment import PORTS, authorization, find_proxy

_HEADERS = {
    "User-Agent": f"ncz/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "identity",  # so that sizes and ranges refer to the object
}


@dataclass
class _Known:
    """A server, the headers of every request to it, and its connections that are not in use."""

    server: Server
    headers: Mapping[str, str]
    idle: list[Connection] = field(default_factory=list)


class Connections:
    """The connections to the web servers on which the files of one store are.

    Parameters
    ----------
    connect, read
        The time in seconds to wait for a connection, and for the next bytes.
    """

    def __init__(self, connect: float, read: float) -> None:
        self._connect = connect
        self._read = read
        self._known: dict[tuple[str, str], _Known] = {}
        self._in_use: set[Connection] = set()
        self._cookies = Cookies()
        self._lock = threading.Lock()
        self._is_closed = False

    @contextlib.contextmanager
    def get(self, url: str, headers: Mapping[str, str]) -> Iterator[Response]:
        """Request a URL, and yield the response; a redirect is not followed.

        Raises what `Connection` raises; `TimeoutError` if the server does not answer,
        `ConnectionError` if it closes the connection, and `ResponseParserError` if it does not
        answer as a web server does.
        """
        parts = urlsplit(url)
        known = self._find(parts)
        target = (parts.path or "/") + f"?{parts.query}" * bool(parts.query)
        headers = {**known.headers, **headers, **self._cookies.headers(url)}
        connection, response = self._ask(known, url, target, headers)
        is_kept = False
        try:
            self._cookies.note(response)
            yield response
            with contextlib.suppress(OSError, http.client.HTTPException):  # it has what it needs
                is_kept = response.ends_here()
        finally:
            response.close()
            self._release(known, connection, is_kept=is_kept)

    def _ask(
        self, known: _Known, url: str, target: str, headers: Mapping[str, str]
    ) -> tuple[Connection, Response]:
        """Make a request on a connection that was kept, or else on a new one."""
        with self._lock:
            kept = known.idle.pop() if known.idle else None
        if kept is not None:
            try:
                return kept, self._get(known, kept, url, target, headers)
            except ConnectionError:
                pass  # the server had closed it, which only a request shows
        new = Connection(known.server, self._connect, self._read)
        return new, self._get(known, new, url, target, headers)

    def _get(
        self,
        known: _Known,
        connection: Connection,
        url: str,
        target: str,
        headers: Mapping[str, str],
    ) -> Response:
        with self._lock:
            self._in_use.add(connection)
        try:
            if self._is_closed:
                raise ConnectionError("the store is closed")
            return connection.get(url, target, headers)
        except BaseException:
            self._release(known, connection, is_kept=False)
            raise

    def _release(self, known: _Known, connection: Connection, *, is_kept: bool) -> None:
        """Keep a connection for the next request, or close it."""
        with self._lock:
            self._in_use.discard(connection)
            if is_kept and not self._is_closed:
                known.idle.append(connection)
                return
        connection.close()

    def _find(self, parts: SplitResult) -> _Known:
        """Return the server of a URL, with its proxy and password."""
        key = parts.scheme, parts.netloc
        with self._lock:
            if key not in self._known:
                self._known[key] = _look_up(parts)
            return self._known[key]

    def close(self) -> None:
        """Close all connections; requests that other threads make fail."""
        with self._lock:
            self._is_closed = True
            idle = [connection for known in self._known.values() for connection in known.idle]
            in_use = list(self._in_use)
        for connection in in_use:
            connection.interrupt()
        for connection in idle:
            connection.close()


def _look_up(parts: SplitResult) -> _Known:
    try:
        host, port = parts.hostname, parts.port or PORTS[parts.scheme]
    except (ValueError, KeyError) as error:
        raise http.client.InvalidURL from error
    if not host:
        raise http.client.InvalidURL
    is_secure = parts.scheme == "https"
    proxy = find_proxy(parts.scheme, host)
    secret = authorization(parts)
    headers = _HEADERS | ({"Authorization": secret} if secret else {})
    if proxy and not is_secure:
        headers |= proxy.headers
    tls = ssl.create_default_context() if is_secure else None
    return _Known(Server(host, port, tls, proxy), headers)
