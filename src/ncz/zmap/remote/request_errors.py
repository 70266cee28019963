"""Errors of requests to a server: whether a retry may help, and their messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ncz.errors import ZmapError
from ncz.zmap.remote.retry_policy import RetryPolicy

# Names of errors of botocore, aiohttp and asyncio, so that none of them need be imported.
_TRANSIENT = frozenset(
    {"HTTPClientError", "ResponseParserError", "IncompleteReadError", "ClientPayloadError",
     "ClientConnectionError", "TimeoutError", "ConnectionError", "IncompleteRead",
     "WrongBytesError", "SlowServerError"}
)  # fmt: skip
_LATE = frozenset(
    {
        "TimeoutError",
        "ReadTimeoutError",
        "ConnectTimeoutError",
        "ConnectionTimeoutError",
        "SlowServerError",
    }
)
LASTING = frozenset(
    {"SSLError", "ClientSSLError", "ProxyConnectionError", "InvalidProxiesConfigError"}
)
"""Names of permanent errors that are derived from transient ones."""
_TRANSIENT_CODES = frozenset(
    {"SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "Throttling",
     "ThrottlingException", "TooManyRequests", "RequestLimitExceeded", "OperationAborted"}
)  # fmt: skip
_TRANSIENT_STATUS = frozenset({429, 500, 502, 503, 504})


class ConnectTimeoutError(TimeoutError):
    """A server could not be reached in time; the name is that of botocore."""


class EndpointConnectionError(ConnectionError):
    """A server cannot be reached; the name is that of botocore."""


class ResponseParserError(Exception):
    """The answer of a server is not valid HTTP; the name is that of botocore."""


class HttpStatusError(Exception):
    """An HTTP server answered with an unexpected status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP status {status}")
        self.status = status


def is_transient(error: BaseException) -> bool:
    """Return whether the same request may succeed later."""
    names = names_of(error)
    if names & LASTING:
        return False
    return (
        bool(names & _TRANSIENT)
        or code_of(error) in _TRANSIENT_CODES
        or status_of(error) in _TRANSIENT_STATUS
    )


def is_timeout(error: BaseException) -> bool:
    """Return whether a request ended because nothing came for too long."""
    inner = getattr(error, "kwargs", {}).get("error")  # botocore wraps the error of its transport
    names = names_of(inner if isinstance(inner, Exception) else error) | names_of(error)
    return bool(names & _LATE)


def is_denied(error: BaseException) -> bool:
    """Return whether access was denied, which S3 also answers for a missing object that the user
    may not list."""
    return code_of(error) in ("AccessDenied", "403") or (
        not code_of(error) and (status_of(error) == 403 or isinstance(error, PermissionError))
    )


def names_of(error: BaseException) -> set[str]:
    """Return the names of the error's class and of its bases."""
    return {kind.__name__ for kind in type(error).__mro__}


def response_of(error: BaseException) -> Mapping[str, Any]:
    """Return the response that botocore attached to an error, or an empty mapping."""
    response = getattr(error, "response", None)
    return response if isinstance(response, dict) else {}


def code_of(error: BaseException) -> str:
    """Return the error code of S3, such as NoSuchBucket, or ""."""
    return str(response_of(error).get("Error", {}).get("Code", ""))


def status_of(error: BaseException) -> int:
    """Return the HTTP status of an error, or 0."""
    found = response_of(error).get("ResponseMetadata", {}).get("HTTPStatusCode")
    for name in ("status", "status_code", "code"):
        found = found or getattr(error, name, None)
    try:
        return int(found or 0)
    except (TypeError, ValueError):
        return 0


def unreachable(
    error: Exception, location: str, action: str, server: str, retry_policy: RetryPolicy
) -> ZmapError:
    """Return the error for a request that got no answer, or not a usable one."""
    inner = getattr(error, "kwargs", {}).get("error")  # botocore wraps the error of its transport
    names = names_of(inner if isinstance(inner, Exception) else error)
    if (names | names_of(error)) & LASTING:
        return ZmapError(
            f"cannot {action}: the certificate of {server} is not trusted",
            location,
            "set AWS_CA_BUNDLE or SSL_CERT_FILE to a file with its authority's certificate",
        )
    if names & {"ConnectTimeoutError", "ConnectionTimeoutError"}:
        reason = f"{server} cannot be reached within {retry_policy.connect:g} s"
    elif "SlowServerError" in names:
        few = f"sent fewer than {retry_policy.slowest_read:g} bytes per second"
        reason = f"{server} {str(error) or few}"
    elif names & _LATE:
        reason = f"{server} did not answer within {retry_policy.read:g} s"
    elif names & {"EndpointConnectionError", "ClientConnectorError", "ConnectionRefusedError"}:
        reason = f"{server} cannot be reached"
    elif names & {"IncompleteReadError", "ClientPayloadError", "IncompleteRead"}:
        reason = f"{server} closed the connection within the object"
    elif names & {"ConnectionError", "ClientConnectionError", "HTTPClientError"}:
        reason = f"{server} closed the connection"
    elif "WrongBytesError" in names:
        return ZmapError(
            f"cannot {action}: {error}",
            location,
            "restore the object; for a server with ETags that are not MD5 checksums, add"
            " #checksums=off",
        )
    elif "ResponseParserError" in names:
        reason = f"{server} sent an invalid response"
    elif status_of(error):
        reason = (
            f"{server} answered {status_of(error)}{f' ({code_of(error)})' * bool(code_of(error))}"
        )
    else:
        reason = str(error).strip().partition("\n")[0][:200] or type(error).__name__
    hint = "try again later, or check the URL" if is_transient(error) else None
    return ZmapError(f"cannot {action}: {reason}", location, hint)


def server_error(
    error: Exception, location: str, action: str, server: str, retry_policy: RetryPolicy, hint: str
) -> ZmapError:
    """Return the error for a status or a failed connection; `hint` is for a server that refuses.

    It has not the error's own text, which may contain a URL with a signature in its query.
    """
    status = status_of(error)
    if status in (401, 403, 407):
        return ZmapError(f"cannot {action}: {server} denied access ({status})", location, hint)
    if status or is_transient(error) or names_of(error) & LASTING:
        return unreachable(error, location, action, server, retry_policy)
    return ZmapError(f"cannot {action}: {type(error).__name__}", location)


def not_installed(package: str, location: str) -> ZmapError:
    """Return the error for a missing package."""
    return ZmapError(f"the package {package} is required", location, f"pip install {package}")


def read_only(location: str) -> ZmapError:
    """Return the error for writing to a web server."""
    return ZmapError("a web server is read-only", location, "for S3 add #mode=s3")
