"""Errors of aiohttp, botocore and the file systems of fsspec as errors of ncz.

Nothing is imported here: a library that raised an error is loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from ncz.zmap.remote.request_errors import (
    BrokenConnectionError,
    HttpStatusError,
    InvalidResponseError,
    NoAnswerError,
    RequestError,
    UnreachableError,
    UntrustedServerError,
    as_request_error,
)

_Kinds = dict[str, Callable[[], RequestError]]

_AIOHTTP: _Kinds = {
    "ClientSSLError": UntrustedServerError,
    "ConnectionTimeoutError": partial(UnreachableError, is_late=True),
    "ServerTimeoutError": NoAnswerError,
    "ClientConnectorError": UnreachableError,
    "ClientPayloadError": partial(BrokenConnectionError, is_within=True),
    "ClientConnectionError": BrokenConnectionError,
}
_BOTOCORE: _Kinds = {
    "SSLError": UntrustedServerError,
    "ConnectTimeoutError": partial(UnreachableError, is_late=True),
    "ReadTimeoutError": NoAnswerError,
    "EndpointConnectionError": UnreachableError,
    "IncompleteReadError": partial(BrokenConnectionError, is_within=True),
    "HTTPClientError": BrokenConnectionError,
}
_KINDS: dict[str, _Kinds] = {
    "aiohttp": _AIOHTTP,
    "botocore.exceptions": _BOTOCORE,
    "botocore.parsers": {"ResponseParserError": InvalidResponseError},
}
"""The errors of each module as errors of ncz; the first class that fits counts."""


def own_error(error: Exception) -> Exception:
    """Return an error of a library as one of ncz, or the error itself if it says something else."""
    if is_of("botocore.exceptions", "ClientError", error):
        return _answer_of_s3(error)
    inner = getattr(error, "kwargs", {}).get("error")  # botocore wraps the error of its transport
    causes = [error] if not isinstance(inner, Exception) else [inner, error]
    found = [kind for cause in causes if (kind := _kind_of(cause)) is not None]
    lasting = [kind for kind in found if not kind.may_pass]
    if lasting or found:
        return (lasting or found)[0]
    status = _status_of(error)
    return HttpStatusError(status) if status else error


def is_of(module: str, name: str, error: BaseException) -> bool:
    """Return whether an error is of a class of a module, which need not be loaded."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(error, kind)


def _kind_of(error: Exception) -> RequestError | None:
    for module, kinds in _KINDS.items():
        for name, made in kinds.items():
            if is_of(module, name, error):
                return made()
    return as_request_error(error)


def _answer_of_s3(error: Exception) -> HttpStatusError:
    """Return an error that S3 answered; botocore writes the names of headers in lower case."""
    response = getattr(error, "response", {})
    answer, stated = response.get("ResponseMetadata", {}), response.get("Error", {})
    return HttpStatusError(
        int(answer.get("HTTPStatusCode", 0)),
        str(stated.get("Code", "")),
        answer.get("HTTPHeaders", {}),
        {name: str(text) for name, text in stated.items()},
    )


def _status_of(error: BaseException) -> int:
    """Return the HTTP status of an error, or 0."""
    for name in ("status", "status_code", "code"):
        found = getattr(error, name, None)
        if isinstance(found, int) or (isinstance(found, str) and found.isdigit()):
            return int(found)
    return 0
