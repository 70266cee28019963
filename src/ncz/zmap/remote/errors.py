"""What goes wrong between here and a server: whether to try again, and how to say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ncz.errors import ZmapError
from ncz.zmap.remote.objects import RetryPolicy

# By name, so that the libraries need not be imported: those of botocore, aiohttp and asyncio.
_TRANSIENT = frozenset(
    {"HTTPClientError", "ResponseParserError", "IncompleteReadError", "ClientPayloadError",
     "ClientConnectionError", "TimeoutError", "ConnectionError", "IncompleteRead"}
)  # fmt: skip
LASTING = frozenset(
    {"SSLError", "ClientSSLError", "ProxyConnectionError", "InvalidProxiesConfigError"}
)
"""Names of errors that look like passing ones, and are not."""
_TRANSIENT_CODES = frozenset(
    {"SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "Throttling",
     "ThrottlingException", "TooManyRequests", "RequestLimitExceeded", "OperationAborted"}
)  # fmt: skip
_TRANSIENT_STATUS = frozenset({429, 500, 502, 503, 504})


class HttpStatusError(Exception):
    """An http server answered something else than what was asked for."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP status {status}")
        self.status = status


def is_transient(error: BaseException) -> bool:
    """Whether the request may succeed if it is sent again."""
    names = names_of(error)
    if names & LASTING:
        return False
    return (
        bool(names & _TRANSIENT)
        or code_of(error) in _TRANSIENT_CODES
        or status_of(error) in _TRANSIENT_STATUS
    )


def is_denied(error: BaseException) -> bool:
    """Whether the server refused to say: S3 does so for an absent object that may not be listed."""
    return code_of(error) in ("AccessDenied", "403") or (
        not code_of(error) and (status_of(error) == 403 or isinstance(error, PermissionError))
    )


def names_of(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def response_of(error: BaseException) -> Mapping[str, Any]:
    response = getattr(error, "response", None)
    return response if isinstance(response, dict) else {}


def code_of(error: BaseException) -> str:
    """The code of S3's answer, such as NoSuchBucket, or ""."""
    return str(response_of(error).get("Error", {}).get("Code", ""))


def status_of(error: BaseException) -> int:
    """The HTTP status that came with an error, or 0."""
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
    """What went wrong between here and the server."""
    inner = getattr(error, "kwargs", {}).get("error")  # botocore's wraps that of its transport
    names = names_of(inner if isinstance(inner, Exception) else error)
    if (names | names_of(error)) & LASTING:
        return ZmapError(
            f"cannot {action}: the certificate of {server} is not trusted",
            location,
            "set AWS_CA_BUNDLE or SSL_CERT_FILE to a file with its authority's certificate",
        )
    if names & {"ConnectTimeoutError", "ConnectionTimeoutError"}:
        reason = f"{server} cannot be reached within {retry_policy.connect:g} s"
    elif names & {"TimeoutError", "ReadTimeoutError"}:
        reason = f"{server} did not answer within {retry_policy.read:g} s"
    elif names & {"EndpointConnectionError", "ClientConnectorError", "ConnectionRefusedError"}:
        reason = f"{server} cannot be reached"
    elif names & {"IncompleteReadError", "ClientPayloadError"}:
        reason = f"{server} broke off within the object"
    elif names & {"ConnectionError", "ClientConnectionError", "HTTPClientError"}:
        reason = f"{server} broke the connection"
    elif "ResponseParserError" in names:
        reason = f"{server} gave an answer that cannot be understood"
    elif status_of(error):
        reason = (
            f"{server} answered {status_of(error)}{f' ({code_of(error)})' * bool(code_of(error))}"
        )
    else:
        reason = str(error).strip().partition("\n")[0][:200] or type(error).__name__
    hint = "try again later, or check the URL" if is_transient(error) else None
    return ZmapError(f"cannot {action}: {reason}", location, hint)


def not_installed(package: str, location: str) -> ZmapError:
    return ZmapError(f"this needs the package {package}", location, f"pip install {package}")
