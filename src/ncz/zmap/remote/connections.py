"""Requests to web servers over connections that urllib3 keeps for further requests.

A thread that makes a request takes a kept connection or opens one, so that there are as many
connections as parallel requests.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit
from weakref import WeakSet

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, ProxyManager, Timeout
from urllib3.exceptions import ProxyError

from ncz._version import __version__
from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.remote.http_response import Response, own_errors
from ncz.zmap.remote.proxies import PORTS, Proxy, authorization, find_proxy
from ncz.zmap.remote.request_errors import UnreachableError
from ncz.zmap.remote.waits import result_within

_HEADERS = {
    "User-Agent": f"ncz/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "identity",  # so that sizes and ranges refer to the object
}

_MOST_KEPT = 256
"""Connections to one server that are kept open; more than the parallel requests."""


@record
class _ServerConnections:
    """A server: the connections to it, the headers of every request, and the proxy."""

    manager: PoolManager
    headers: Mapping[str, str]
    proxy: Proxy | None


class Connections:
    """The connections to the web servers of the files of one store.

    Parameters
    ----------
    connect, read
        The time in seconds to wait for a connection, and for the next bytes.
    """

    def __init__(self, connect: float, read: float) -> None:
        self._connect = connect
        # Half the time for each address, because many hosts have two.
        self._timeout = Timeout(connect=connect / 2, read=read)
        self._managers: dict[tuple[str, Proxy | None], PoolManager] = {}
        self._known: dict[tuple[str, str], _ServerConnections] = {}
        self._open: WeakSet[Any] = WeakSet()
        self._lock = threading.Lock()
        self._is_closed = False

    @contextlib.contextmanager
    def get(self, url: str, headers: Mapping[str, str]) -> Iterator[Response]:
        """Request a URL, and yield the response; a redirect is not followed.

        Raises `RequestError` if there is no usable response.
        """
        if self._is_closed:
            raise ConnectionError("the store is closed")
        known = self._find(urlsplit(url))
        headers = {**known.headers, **headers}
        with own_errors(), _refusals(known.proxy):
            received = known.manager.urlopen(
                "GET",
                url,
                headers=headers,
                redirect=False,
                retries=False,
                preload_content=False,
                decode_content=False,
            )
        response = Response(url, received)
        with contextlib.closing(response):
            yield response

    def _find(self, parts: SplitResult) -> _ServerConnections:
        """Return the server of a URL, with its proxy and password."""
        key = parts.scheme, parts.netloc
        known = self._known.get(key)
        if known is None:
            known = self._look_up(parts)
            with self._lock:
                known = self._known.setdefault(key, known)
        return known

    def _look_up(self, parts: SplitResult) -> _ServerConnections:
        try:
            host, port = parts.hostname, parts.port or PORTS[parts.scheme]
        except (ValueError, KeyError) as error:
            raise http.client.InvalidURL from error
        if not host:
            raise http.client.InvalidURL
        proxy = find_proxy(parts.scheme, host)
        self._check_address(*((proxy.host, proxy.port) if proxy else (host, port)))
        secret = authorization(parts)
        headers = _HEADERS | ({"Authorization": secret} if secret else {})
        return _ServerConnections(self._manager(parts.scheme, proxy), headers, proxy)

    def _check_address(self, host: str, port: int) -> None:
        """Look up the address of a host with a time limit, which urllib3 does not have."""
        try:
            result_within(self._connect, lambda: socket.getaddrinfo(host, port))
        except TimeoutError as error:
            raise UnreachableError(is_late=True) from error
        except (OSError, UnicodeError) as error:
            raise UnreachableError from error

    def _manager(self, scheme: str, proxy: Proxy | None) -> PoolManager:
        with self._lock:
            manager = self._managers.get((scheme, proxy))
            if manager is None:
                manager = self._managers[scheme, proxy] = self._new_manager(scheme, proxy)
            return manager

    def _new_manager(self, scheme: str, proxy: Proxy | None) -> PoolManager:
        options: dict[str, Any] = {"maxsize": _MOST_KEPT, "timeout": self._timeout}
        if scheme == "https":
            options["ssl_context"] = ssl.create_default_context()
        if proxy is None:
            manager = PoolManager(**options)
        else:
            manager = ProxyManager(proxy.url, proxy_headers=proxy.headers, **options)
        manager.pool_classes_by_scheme = {
            "http": _watch_pool(HTTPConnectionPool, self._remember),
            "https": _watch_pool(HTTPSConnectionPool, self._remember),
        }
        return manager

    def _remember(self, connection: Any) -> None:
        """Note a new connection, so that it can be closed while another thread uses it."""
        with self._lock:
            self._open.add(connection)
        if self._is_closed:
            _shut_down(connection)

    def close(self) -> None:
        """Close all connections; requests that other threads make fail."""
        self._is_closed = True
        with self._lock:
            for connection in self._open:
                _shut_down(connection)
            for manager in self._managers.values():
                manager.clear()


def _shut_down(connection: Any) -> None:
    sock = connection.sock  # its own thread may set it to None
    if sock is not None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _watch_pool(pool: type[Any], remember: Callable[[Any], None]) -> type[Any]:
    """Return a kind of pool that passes each new connection to `remember`."""

    def connect(self: Any) -> None:
        pool.ConnectionCls.connect(self)
        remember(self)

    kind = type("Watched", (pool.ConnectionCls,), {"connect": connect})
    return type("WatchedPool", (pool,), {"ConnectionCls": kind})


@contextlib.contextmanager
def _refusals(proxy: Proxy | None) -> Iterator[None]:
    """Report a proxy that does not connect to the server."""
    try:
        yield
    except ProxyError as error:
        reason = error.original_error
        if proxy is None or type(reason) is not OSError or reason.errno:
            raise
        raise ZmapError(
            f"the proxy refuses to connect: {reason}", f"{proxy.host}:{proxy.port}"
        ) from error
