"""A response of a web server, and the errors of urllib3 as errors of ncz."""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Iterator, Mapping
from itertools import islice

from urllib3 import BaseHTTPResponse
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationValueError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    SSLError,
    TimeoutError,
)

from ncz.zmap.remote.request_errors import (
    BrokenConnectionError,
    InvalidResponseError,
    NoAnswerError,
    RequestError,
    UnreachableError,
    UntrustedServerError,
)

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
        """Iterate over the body as it arrives; raise `RequestError` if it breaks off."""
        while True:
            with own_errors():
                piece = self.received.read1(_PIECE, decode_content=False)
            if not piece:
                return
            yield piece

    def close(self) -> None:
        """Keep the connection if little of the body is left, and close it otherwise."""
        with contextlib.suppress(OSError, RequestError):
            if (self.received.length_remaining or 0) <= _MOST_IGNORED:
                for _ in islice(self.pieces(), _MOST_PIECES):
                    pass
        if not self.received.closed:
            self.received.close()
        self.received.release_conn()


@contextlib.contextmanager
def own_errors() -> Iterator[None]:
    """Turn urllib3's errors into ncz's."""
    try:
        yield
    except SSLError as error:
        raise UntrustedServerError from error
    except (NewConnectionError, ProxyError) as error:
        raise UnreachableError from error
    except ConnectTimeoutError as error:
        raise UnreachableError(is_late=True) from error
    except TimeoutError as error:
        raise NoAnswerError from error
    except LocationValueError as error:
        raise http.client.InvalidURL from error
    except ProtocolError as error:
        raise _of_protocol(error) from error
    except HTTPError as error:
        raise InvalidResponseError from error


def _of_protocol(error: ProtocolError) -> RequestError:
    reason = error.args[-1]
    if isinstance(reason, http.client.IncompleteRead):
        return BrokenConnectionError(is_within=True)
    if isinstance(reason, OSError) or not isinstance(reason, http.client.HTTPException):
        return BrokenConnectionError()
    return InvalidResponseError()
