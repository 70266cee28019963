"""The files of web servers as objects, read with urllib3 over connections that are kept."""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import socket
import ssl
import string
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit
from weakref import WeakSet

from urllib3 import (
    BaseHTTPResponse,
    HTTPConnectionPool,
    HTTPSConnectionPool,
    PoolManager,
    ProxyManager,
    Timeout,
)
from urllib3.exceptions import (
    HTTPError,
    LocationValueError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    SSLError,
    TimeoutError,
)

from ncz._version import __version__
from ncz.errors import CONSOLIDATE, UrlError, ZmapError
from ncz.record import record, replace
from ncz.zmap.key import clamp, is_document
from ncz.zmap.location import Location
from ncz.zmap.remote.requests import (
    ConnectTimeoutError,
    EndpointConnectionError,
    HttpStatusError,
    ListingPage,
    ObjectStore,
    Pace,
    ResponseParserError,
    RetryPolicy,
    Version,
    Versions,
    check_headers,
    names_of,
    result_within,
    server_error,
    version_of,
)

# A response of a web server, and the errors of requests under the names that ncz knows.

_PIECE = 1 << 18
_MOST_IGNORED = 1 << 16
_MOST_PIECES = 8
"""The size of a rest of a body, and the number of its pieces, that are read to keep a connection.
"""


class Response:
    """A response, whose body is read piece by piece.

    Attributes
    ----------
    url
        The URL of the request.
    received
        The response as urllib3 gives it.
    status
        The status.
    headers
        The headers, which are found by names in any case.
    size
        The number of bytes of the body; None if the server does not state it.
    """

    def __init__(self, url: str, received: BaseHTTPResponse) -> None:
        self.url = url
        self.received = received
        self.status = received.status
        self.headers: Mapping[str, str] = received.headers
        self.size: int | None = received.length_remaining

    def pieces(self) -> Iterator[bytes]:
        """Iterate over the body as it arrives; raise `IncompleteRead` if it breaks off."""
        while True:
            with named_errors():
                piece = self.received.read1(_PIECE, decode_content=False)
            if not piece:
                return
            yield piece

    def close(self) -> None:
        """Keep the connection if little of the body is left, and close it otherwise."""
        with contextlib.suppress(OSError, http.client.HTTPException, ResponseParserError):
            if (self.received.length_remaining or 0) <= _MOST_IGNORED:
                for _ in islice(self.pieces(), _MOST_PIECES):
                    pass
        if not self.received.closed:
            self.received.close()
        self.received.release_conn()


@contextlib.contextmanager
def named_errors() -> Iterator[None]:
    """Turn urllib3's errors into those that `ncz.zmap.remote.requests` knows by name."""
    try:
        yield
    except (TimeoutError, SSLError):  # known by these names
        raise
    except (NewConnectionError, ProxyError) as error:
        raise EndpointConnectionError(str(error)) from error
    except LocationValueError as error:
        raise http.client.InvalidURL from error
    except ProtocolError as error:
        raise _of_protocol(error) from error
    except HTTPError as error:
        raise ResponseParserError from error


def _of_protocol(error: ProtocolError) -> Exception:
    reason = error.args[-1]
    if isinstance(reason, http.client.IncompleteRead):
        return http.client.IncompleteRead(b"", reason.expected)
    if isinstance(reason, OSError) or not isinstance(reason, http.client.HTTPException):
        return ConnectionError(str(reason))
    return ResponseParserError()


# Read the body of an HTTP response as a stream, no further than is needed.
#
# A server may send more than was asked for, compressed bytes that were not asked for, or a body
# that never ends.

_INFLATED_PIECE = 1 << 20  # bytes that are decompressed at once


def read_body(response: Response, most: int, pace: Pace, skip: int = 0) -> bytes:
    """Read a part of a response's body.

    Parameters
    ----------
    response
        The response.
    most
        The most bytes to return; the rest is not read.
    pace
        Counts the bytes that arrive.
    skip
        The number of bytes to leave out before them.
    """
    stream = _decompressor(response.headers.get("content-encoding", ""))
    parts: list[bytes] = []
    left = most
    for received in response.pieces():
        rest = received
        pace.received(len(received))
        while rest:
            piece, rest = rest, b""
            if stream is not None:
                piece = stream.decompress(piece, _INFLATED_PIECE)
                rest = stream.unconsumed_tail
            part = piece[skip : skip + left]
            skip -= min(skip, len(piece))
            left -= len(part)
            parts.append(part)
            if not left:
                return b"".join(parts)
    return b"".join(parts)


def _decompressor(encoding: str) -> Any:
    """Return the decompressor of a ``Content-Encoding``; None for bytes as they are."""
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        return None
    import zlib

    return zlib.decompressobj(47)  # detects gzip and zlib


# The proxies and passwords that the user's environment names for web servers.

PORTS = {"http": 80, "https": 443}


@record
class Proxy:
    """A proxy: its host and port, and what it knows the user by."""

    host: str
    port: int
    authorization: str | None

    @property
    def url(self) -> str:
        """The URL of the proxy, without the password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def headers(self) -> dict[str, str]:
        """The headers of requests to the proxy."""
        return {"Proxy-Authorization": self.authorization} if self.authorization else {}


def find_proxy(scheme: str, host: str) -> Proxy | None:
    """Return the proxy for a server, as the environment or the system names it; None for none."""
    is_set = any(name.lower().endswith("_proxy") for name in os.environ)
    if not is_set and sys.platform not in ("darwin", "win32"):  # these have settings of their own
        return None
    from urllib.request import getproxies, proxy_bypass  # it takes 10 ms to import

    url = getproxies().get(scheme)
    if not url or proxy_bypass(host):
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        named, port = parts.hostname, parts.port or PORTS["http"]
    except ValueError:
        named, port = None, 0
    if parts.scheme != "http" or not named:
        raise ZmapError(
            f"the proxy for {scheme}: cannot be used", f"{parts.scheme}://{named or ''}",
            f"set {scheme.upper()}_PROXY to a URL that starts with http://",
        )  # fmt: skip
    return Proxy(named, port, _basic_of(parts))


def authorization(parts: SplitResult) -> str | None:
    """Return the ``Authorization`` for a URL, from the URL itself or from the netrc file."""
    return _basic_of(parts) or _from_netrc(parts)


def _basic_of(parts: SplitResult) -> str | None:
    if parts.username is None and parts.password is None:
        return None
    return _basic(unquote(parts.username or ""), unquote(parts.password or ""))


def _from_netrc(parts: SplitResult) -> str | None:
    """Return what the netrc file says about a host; a file that cannot be read says nothing.

    NETRC names the file, or else HTTP.NETRC in netcdf-c's files in the home folder.
    """
    from ncz.zmap.settings import NETRC, read_rc_files

    host = parts.hostname or ""
    name = "_netrc" if sys.platform == "win32" else ".netrc"
    named = os.environ.get("NETRC") or read_rc_files(parts.geturl(), os.environ).values.get(NETRC)
    path = os.path.expanduser(named or os.path.join("~", name))
    if not os.path.isfile(path):
        return None
    import netrc

    try:
        found = netrc.netrc(path).authenticators(host)
    except (OSError, ValueError, netrc.NetrcParseError):
        return None
    return _basic(found[0] or found[1] or "", found[2] or "") if found else None


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


# Requests to web servers over connections that urllib3 keeps for further requests.
#
# A thread that makes a request takes a kept connection or opens one, so that there are as many
# connections as requests that run at once.

_HEADERS = {
    "User-Agent": f"ncz/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "identity",  # so that sizes and ranges refer to the object
}

_MOST_KEPT = 256
"""Connections to one server that are kept; more than requests run at once."""


@record
class _Known:
    """A server: the connections to it, the headers of every request, and the proxy."""

    manager: PoolManager
    headers: Mapping[str, str]
    proxy: Proxy | None


class Connections:
    """The connections to the web servers on which the files of one store are.

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
        self._known: dict[tuple[str, str], _Known] = {}
        self._open: WeakSet[Any] = WeakSet()
        self._lock = threading.Lock()
        self._is_closed = False

    @contextlib.contextmanager
    def get(self, url: str, headers: Mapping[str, str]) -> Iterator[Response]:
        """Request a URL, and yield the response; a redirect is not followed.

        Raises `TimeoutError` if the server does not answer, `ConnectionError` if it cannot be
        reached or closes the connection, and `ResponseParserError` if it does not answer as a web
        server does.
        """
        if self._is_closed:
            raise ConnectionError("the store is closed")
        known = self._find(urlsplit(url))
        headers = {**known.headers, **headers}
        with named_errors(), _refusals(known.proxy):
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

    def _find(self, parts: SplitResult) -> _Known:
        """Return the server of a URL, with its proxy and password."""
        key = parts.scheme, parts.netloc
        known = self._known.get(key)
        if known is None:
            known = self._look_up(parts)
            with self._lock:
                known = self._known.setdefault(key, known)
        return known

    def _look_up(self, parts: SplitResult) -> _Known:
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
        return _Known(self._manager(parts.scheme, proxy), headers, proxy)

    def _check_address(self, host: str, port: int) -> None:
        """Look up the address of a host, for which urllib3 has no time limit."""
        try:
            result_within(self._connect, lambda: socket.getaddrinfo(host, port))
        except TimeoutError as error:
            raise ConnectTimeoutError from error
        except (OSError, UnicodeError) as error:
            raise EndpointConnectionError from error

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
            "http": _watched(HTTPConnectionPool, self._remember),
            "https": _watched(HTTPSConnectionPool, self._remember),
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
    sock = connection.sock  # its own thread may set it to None meanwhile
    if sock is not None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _watched(pool: type[Any], remember: Callable[[Any], None]) -> type[Any]:
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


_T = TypeVar("_T")

_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 10


def connect(
    location: Location, retry_policy: RetryPolicy, check_redirect: Callable[[str], None]
) -> tuple[ObjectStore, str]:
    """Connect to a web server; see `ncz.zmap.kinds.TRANSPORTS`."""
    web = HttpObjects(
        location.path, retry_policy, location.query, check_redirect, checks=location.checks
    )
    return web, ""


@record
class Answer:
    """What a server answers to a request that is not for a file.

    Attributes
    ----------
    status
        The status.
    body
        The body, of which one byte more than the limit is read at most.
    """

    status: int
    body: bytes


class HttpObjects(ObjectStore):
    """The files below a URL of a web server, which can be read but not listed.

    A path is relative to the URL; every request has the URL's query. `check_redirect` is called
    with each URL to which the server redirects, and raises for one that is not permitted.
    """

    can_write = can_list = False

    def __init__(
        self,
        url: str,
        retry_policy: RetryPolicy,
        query: str,
        check_redirect: Callable[[str], None],
        *,
        checks: bool = True,
    ) -> None:
        self._check_redirect = check_redirect
        try:
            parts = urlsplit(url)
            _ = parts.port  # raises ValueError if it is not a number
        except ValueError as error:
            raise UrlError("the host of the URL is not valid", url, "check the URL") from error
        self._server = f"{parts.scheme}://{parts.netloc}"
        self._base = self._server + quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~-._")
        self._query = f"?{quote(query, safe=string.punctuation)}" if query else ""
        self.retry_policy = retry_policy
        self.checks = checks
        self.versions = Versions(is_used=checks)
        self._connections = Connections(retry_policy.connect, retry_policy.read)

    def _fetch(self, path: str, span: str | None, read: Callable[[Response], _T]) -> _T | None:
        """Return what `read` returns for the response; None if the object does not exist."""
        address = f"/{quote(path, safe='/', errors='surrogateescape')}" if path else ""
        headers = {"Range": span} if span else {}
        with self._response(self._base + address + self._query, headers) as (response, url):
            if response.status in (404, 410):
                return None
            if response.status not in (200, 206, 416):
                raise HttpStatusError(response.status)
            if path and urlsplit(url).path.endswith("/"):
                return None  # a redirect to the page of a folder
            return read(response)

    @contextlib.contextmanager
    def _response(self, url: str, headers: Mapping[str, str]) -> Iterator[tuple[Response, str]]:
        """Request a URL; yield the response and its URL after permitted redirects."""
        for _ in range(_MOST_REDIRECTS):
            with self._connections.get(url, headers) as response:
                if response.status not in _REDIRECTS:
                    yield response, url
                    return
                url = _target(response)
                self._check_redirect(url)
        raise ZmapError("the server redirects too often", self._base)

    def answer(self, suffix: str, query: str, limit: int) -> Answer:
        """Request the URL with a suffix of its path and another query, whatever the status."""
        url = self._base + suffix + (f"?{query}" if query else "")
        with self._response(url, {}) as (response, _):
            return Answer(response.status, read_body(response, limit + 1, self._pace()))

    def _pace(self) -> Pace:
        return Pace(self.retry_policy)

    def address(self, path: str) -> str:
        """Return the URL of a file, without the query, which may be a secret."""
        return (
            f"{self._base}/{quote(path, safe='/', errors='surrogateescape')}"
            if path
            else self._base
        )

    def get(self, path: str, limit: int) -> bytes | None:
        """Read a whole object; see `ObjectStore.get`."""

        def read(response: Response) -> bytes:
            if response.status != 200:
                raise HttpStatusError(response.status)
            if is_document(path):
                self.versions.note(path, _version(response))
            value = read_body(response, limit + 1, self._pace())
            if self.checks and len(value) <= limit and "content-encoding" not in response.headers:
                check_headers(value, response.headers)
            return value

        return self._fetch(path, None, read)

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; the rest is left out if the server sends all of it."""

        def read(response: Response) -> bytes:
            if response.status == 416:
                return b""
            self.versions.require(path, _version(response))
            if response.status == 206:
                return read_body(response, count, self._pace())
            self.serves_ranges = False
            size = response.size
            if start < 0 and size is None:
                raise ZmapError("this server does not support range requests", self._base)
            first, most = clamp(size, start, count) if size is not None else (start, count)
            return read_body(response, most, self._pace(), first) if most else b""

        span = f"bytes={start}" if start < 0 else f"bytes={start}-{start + count - 1}"
        return self._fetch(path, span, read)

    def version(self, path: str) -> Version | None:
        """Return the version of an object; None if it does not exist."""

        def read(response: Response) -> Version:
            version = _version(response)
            if version.size is not None:
                return version
            if response.status == 416:
                return replace(version, size=0)  # the object is empty
            raise ZmapError("this server does not tell the size of an object", self._base)

        return self._fetch(path, "bytes=0-0", read)

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> ListingPage:
        """Raise `ZmapError`: a web server has no listing."""
        raise ZmapError(
            "a web server cannot list its keys",
            self._base,
            f"add consolidated metadata with {CONSOLIDATE}; NCZarr can be dumped without it",
        )

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """Return the error for a status or a failed connection; see `ObjectStore.storage_error`."""
        if names_of(error) & {"InvalidURL", "InvalidUrlClientError", "TooManyRedirects"}:
            return ZmapError(f"cannot {action}: the URL is not valid", location, "check the URL")
        hint = "for S3 with credentials add #mode=s3"
        return server_error(error, location, action, self._server, self.retry_policy, hint)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()


def _target(response: Response) -> str:
    """Return the URL to which a response redirects, with only characters that a URL may have."""
    name = response.headers.get("location", "").encode("latin-1", "replace")
    return urljoin(response.url, quote(name, safe=string.punctuation))


def _version(response: Response) -> Version:
    """Return the version of an object; its size is known if the server states it."""
    total = response.headers.get("content-range", "").rpartition("/")[2]
    size = int(total) if response.status in (206, 416) and total.isdigit() else None
    if response.status == 200:
        size = response.size
    return version_of(response.headers, size)
