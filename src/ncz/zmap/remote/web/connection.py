"""One connection to a web server, and the responses that arrive on it."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice

from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.remote.requests.errors import (
    ConnectTimeoutError,
    EndpointConnectionError,
    ResponseParserError,
)
from ncz.zmap.remote.requests.waiting import result_within
from ncz.zmap.remote.web.environment import PORTS, Proxy

_PIECE = 1 << 18
_MOST_IGNORED = 1 << 16
_MOST_PIECES = 8
"""The size of a rest of a body, and the number of its pieces, that are read to keep a connection.
"""


@record
class Server:
    """A web server.

    Attributes
    ----------
    host, port
        Where it is.
    tls
        The settings of TLS; None for http.
    proxy
        The proxy that leads to it, if any.
    """

    host: str
    port: int
    tls: ssl.SSLContext | None
    proxy: Proxy | None

    @property
    def root(self) -> str:
        """The start of a request line: the server's URL for a proxy that repeats requests."""
        if self.proxy is None or self.tls is not None:
            return ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}" + f":{self.port}" * (self.port != PORTS["http"])


class Response:
    """A response, whose body is read piece by piece.

    Attributes
    ----------
    url
        The URL of the request.
    received
        The response as ``http.client`` gives it.
    status
        The status.
    size
        The number of bytes of the body; None if the server does not state it.
    """

    def __init__(self, url: str, response: http.client.HTTPResponse) -> None:
        self.received = response
        self.url = url
        self.status = response.status
        self.size = response.length

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """The headers, with names in lower case."""
        return {name.lower(): value for name, value in self.received.headers.items()}

    def pieces(self) -> Iterator[bytes]:
        """Iterate over the body as it arrives; raise `IncompleteRead` if it breaks off."""
        while True:
            with _broken_connections():
                piece = self.received.read1(_PIECE)
            if not piece:
                break
            yield piece
        if self.received.length:
            raise http.client.IncompleteRead(b"", self.received.length)

    def ends_here(self) -> bool:
        """Return whether the body and a little that is left of it have been read."""
        if self.received.will_close or (self.received.length or 0) > _MOST_IGNORED:
            return False
        return sum(1 for _ in islice(self.pieces(), _MOST_PIECES)) < _MOST_PIECES

    def close(self) -> None:
        """Read no further."""
        self.received.close()


class Connection:
    """A connection to a server, for one request at a time.

    Parameters
    ----------
    server
        The server.
    connect, read
        The time in seconds to wait for the connection, and for the next bytes.

    Raises
    ------
    ConnectTimeoutError, EndpointConnectionError, ssl.SSLError, ZmapError
        If no connection can be made: in time, at all, securely, or through the proxy.
    """

    def __init__(self, server: Server, connect: float, read: float) -> None:
        try:
            # Finding the address of a host has no time limit of its own.
            self._http = result_within(connect, lambda: _opened(server, connect))
        except TimeoutError as error:
            raise ConnectTimeoutError from error
        except (ssl.SSLError, ZmapError):
            raise
        except (OSError, http.client.HTTPException) as error:
            raise EndpointConnectionError from error
        self._http.auto_open = 0  # it would connect without TLS
        self._root = server.root
        self._socket = self._http.sock
        self._socket.settimeout(read)

    def get(self, url: str, target: str, headers: Mapping[str, str]) -> Response:
        """Request a URL, whose path and query are `target`."""
        with _broken_connections():
            self._http.request("GET", self._root + target, headers=dict(headers))
            return Response(url, self._http.getresponse())

    def interrupt(self) -> None:
        """End a request that another thread makes."""
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


def _opened(server: Server, timeout: float) -> http.client.HTTPConnection:
    proxy = server.proxy
    host, port = (proxy.host, proxy.port) if proxy else (server.host, server.port)
    # Half the time for each address, because many hosts have two.
    connection = http.client.HTTPConnection(host, port, timeout=timeout / 2)
    if proxy and server.tls:
        connection.set_tunnel(server.host, server.port, proxy.headers)
    try:
        connection.connect()
    except OSError as error:
        if proxy and type(error) is OSError and not error.errno:  # an answer of the proxy
            raise ZmapError(f"the proxy refuses to connect: {error}", f"{host}:{port}") from error
        raise
    if server.tls:
        connection.sock = server.tls.wrap_socket(connection.sock, server_hostname=server.host)
    return connection


@contextlib.contextmanager
def _broken_connections() -> Iterator[None]:
    """Turn other errors of a connection, such as those of TLS, into those that are handled."""
    try:
        yield
    except (TimeoutError, ConnectionError, http.client.IncompleteRead, http.client.InvalidURL):
        raise
    except OSError as error:
        raise ConnectionError(str(error)) from error
    except http.client.HTTPException as error:
        raise ResponseParserError from error
