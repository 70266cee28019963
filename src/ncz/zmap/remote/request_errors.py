"""Errors of requests to a server, as every transport raises them, and their messages."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.errors import ZmapError
from ncz.zmap.remote.retry_policy import RetryPolicy

_TRANSIENT_CODES = frozenset(
    {"SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "Throttling",
     "ThrottlingException", "TooManyRequests", "RequestLimitExceeded", "OperationAborted"}
)  # fmt: skip
_TRANSIENT_STATUS = frozenset({429, 500, 502, 503, 504})
_LATER = "try again later, or check the URL"


class RequestError(Exception):
    """A request without a usable response. A transport raises one of the classes below.

    Attributes
    ----------
    may_pass
        Whether the same request may succeed later.
    is_late
        Whether nothing came for too long.
    hint
        What to do.
    """

    may_pass = True
    is_late = False
    hint: str | None = _LATER

    def reason(self, server: str, policy: RetryPolicy) -> str:
        """Return a description of the error, for a message."""
        return str(self)


class NoAnswerError(RequestError):
    """A server did not answer in time. The text describes another kind of failure."""

    is_late = True

    def reason(self, server: str, policy: RetryPolicy) -> str:
        """Return a message; see `RequestError.reason`."""
        return f"{server} {str(self) or f'did not answer within {policy.read:g} s'}"


class UnreachableError(RequestError):
    """A server cannot be reached; with `is_late`, not in time."""

    def __init__(self, *, is_late: bool = False) -> None:
        super().__init__()
        self.is_late = is_late

    def reason(self, server: str, policy: RetryPolicy) -> str:
        """Return a message; see `RequestError.reason`."""
        return f"{server} cannot be reached" + f" within {policy.connect:g} s" * self.is_late


class BrokenConnectionError(RequestError):
    """A server closed the connection; with `is_within`, within an object."""

    def __init__(self, *, is_within: bool = False) -> None:
        super().__init__()
        self._is_within = is_within

    def reason(self, server: str, policy: RetryPolicy) -> str:
        """Return a message; see `RequestError.reason`."""
        return f"{server} closed the connection{' within the object' * self._is_within}"


class InvalidResponseError(RequestError):
    """The response is not valid HTTP, or contradicts its headers."""

    def reason(self, server: str, policy: RetryPolicy) -> str:
        """Return a message; see `RequestError.reason`."""
        return f"{server} sent an invalid response"


class UntrustedServerError(RequestError):
    """The certificate of a server, or of a proxy, is not trusted."""

    may_pass = False
    hint = "set AWS_CA_BUNDLE or SSL_CERT_FILE to a file with its authority's certificate"

    def reason(self, server: str, policy: RetryPolicy) -> str:
        """Return a message; see `RequestError.reason`."""
        return f"the certificate of {server} is not trusted"


class HttpStatusError(RequestError):
    """A server answered with an unexpected status.

    Attributes
    ----------
    status
        The HTTP status.
    code
        The error code of S3, such as NoSuchBucket; "" without any.
    headers
        The known headers of the response, by names in lower case.
    details
        The members of the body that S3 has next to the code.
    """

    def __init__(
        self,
        status: int,
        code: str = "",
        headers: Mapping[str, str] | None = None,
        details: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"HTTP status {status}")
        self.status = status
        self.code = code
        self.headers = headers or {}
        self.details = details or {}
        self.may_pass = status in _TRANSIENT_STATUS or code in _TRANSIENT_CODES
        self.hint = _LATER if self.may_pass else None

    def reason(self, server: str, policy: RetryPolicy) -> str:
        """Return a message; see `RequestError.reason`."""
        return f"{server} answered {self.status}{f' ({self.code})' * bool(self.code)}"


def as_request_error(error: BaseException) -> RequestError | None:
    """Return the error as one of ncz, or None if it is not an error of a connection."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, TimeoutError):
        return NoAnswerError()
    if isinstance(error, ConnectionRefusedError):
        return UnreachableError()
    return BrokenConnectionError() if isinstance(error, ConnectionError) else None


def is_transient(error: BaseException) -> bool:
    """Return whether the same request may succeed later."""
    found = as_request_error(error)
    return found is not None and found.may_pass


def is_timeout(error: BaseException) -> bool:
    """Return whether a request timed out."""
    found = as_request_error(error)
    return found is not None and found.is_late


def is_denied(error: BaseException) -> bool:
    """Return whether access was denied, which S3 also answers for a missing object that the user
    may not list."""
    if isinstance(error, HttpStatusError):
        return error.code in ("AccessDenied", "403") or (not error.code and error.status == 403)
    return isinstance(error, PermissionError)


def unreachable(
    error: Exception, location: str, action: str, server: str, retry_policy: RetryPolicy
) -> ZmapError:
    """Return the error for a request that got no answer, or not a usable one."""
    found = as_request_error(error)
    if found is None:
        reason = str(error).strip().partition("\n")[0][:200] or type(error).__name__
        return ZmapError(f"cannot {action}: {reason}", location)
    reason = found.reason(server, retry_policy)
    return ZmapError(f"cannot {action}: {reason}", location, found.hint)


def server_error(
    error: Exception, location: str, action: str, server: str, retry_policy: RetryPolicy, hint: str
) -> ZmapError:
    """Return the error for a status or a failed connection; `hint` is for a server that refuses.

    It does not contain the error's own text, which may have a URL with a signature in its query.
    """
    if isinstance(error, HttpStatusError) and error.status in (401, 403, 407):
        return ZmapError(
            f"cannot {action}: {server} denied access ({error.status})", location, hint
        )
    if as_request_error(error):
        return unreachable(error, location, action, server, retry_policy)
    return ZmapError(f"cannot {action}: {type(error).__name__}", location)


def missing_package_error(package: str, location: str) -> ZmapError:
    """Return the error for a missing package."""
    return ZmapError(f"the package {package} is required", location, f"pip install {package}")


def read_only(location: str) -> ZmapError:
    """Return the error for writing to a web server."""
    return ZmapError("a web server is read-only", location, "for S3 add #mode=s3")
