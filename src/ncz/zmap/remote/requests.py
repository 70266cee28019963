"""Requests to an object store: the base class, errors, versions, checksums, pace and waits.

A path is the complete name of an object on its server; `ncz.zmap.remote.store` turns keys into
paths. A missing object is None. Errors are those of the underlying library:
`ncz.zmap.remote.requests.is_transient` decides whether to retry, and
`ObjectStore.storage_error` turns an error into a message. fsspec, s3fs and obstore are imported
when a store is created.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import re
import threading
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from ncz.errors import ZmapError
from ncz.record import record

# The versions of objects: what a server says about one when it is read.
#
# An object that is read in parts must have the same version each time. The metadata documents that
# described a store must still have it at the end of a copy.

_MOST_PARTS = 1 << 16
"""The number of objects read in parts whose versions are remembered."""


@record
class Version:
    """What a server says about an object; None for what it does not say.

    Attributes
    ----------
    tag
        An identifier of the content, such as an ETag.
    modified
        The time of the last change, as text.
    size
        The number of bytes.
    """

    tag: str | None = None
    modified: str | None = None
    size: int | None = None

    def differs(self, other: Version) -> bool:
        """Return whether the two are certainly versions of different contents.

        The identifier decides, if both have one.
        """
        if self.tag is not None and other.tag is not None:
            return self.tag != other.tag
        pairs = ((self.modified, other.modified), (self.size, other.size))
        return any(a is not None and b is not None and a != b for a, b in pairs)


class ObjectChangedError(Exception):
    """An object is no longer what it was when it was first read."""


class Versions:
    """The versions that objects had when they were first read, by path.

    `is_used` is false for a server whose answers cannot be compared.
    """

    def __init__(self, *, is_used: bool = True) -> None:
        self._is_used = is_used
        self._documents: dict[str, Version] = {}
        self._parts: dict[str, Version] = {}
        self._lock = threading.Lock()

    def note(self, path: str, version: Version) -> None:
        """Remember the version of a document."""
        with self._lock:
            self._documents.setdefault(path, version)

    def require(self, path: str, version: Version) -> None:
        """Remember the version of an object of which a part is read.

        Raises `ObjectChangedError` if it had another before.
        """
        with self._lock:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            known = self._parts.setdefault(path, version)
        if self._is_used and known.differs(version):
            raise ObjectChangedError

    def size_of(self, path: str) -> int | None:
        """Return the size of an object of which a part was read; None if it is not known."""
        with self._lock:
            known = self._parts.get(path)
        return None if known is None else known.size

    def documents(self) -> Mapping[str, Version]:
        """Return the versions of documents that can be compared."""
        with self._lock:
            return dict(self._documents) if self._is_used else {}

    def forget(self, path: str) -> None:
        """Forget an object, which this process changes."""
        with self._lock:
            self._documents.pop(path, None)
            self._parts.pop(path, None)


def version_of(headers: Mapping[str, str], size: int | None) -> Version:
    """Return the version that the headers of a response state; their names are in lower case."""
    return Version(headers.get("etag"), headers.get("last-modified"), size)


def seconds_of(time: object) -> float | None:
    """Return a time that a server or a library states, in seconds since 1970; None if unknown."""
    from datetime import datetime
    from email.utils import parsedate_to_datetime

    if isinstance(time, datetime):
        return time.timestamp()
    if isinstance(time, (int, float)):
        return float(time)
    for parse in (parsedate_to_datetime, datetime.fromisoformat):
        with contextlib.suppress(ValueError):
            return parse(str(time)).timestamp()
    return None


def all_seconds(times: Iterable[object]) -> Sequence[float]:
    """Return times in seconds since 1970; none if one of them is unknown."""
    found = [seconds_of(time) for time in times]
    return [] if None in found else [each for each in found if each is not None]


TIMEOUT = 60.0
"""The default timeout, in seconds."""


@record
class RetryPolicy:
    """Timeouts, retries and the number of parallel requests.

    Attributes
    ----------
    timeout
        The time in seconds after which a server that does not answer is given up, in all attempts
        of a request.
    connect, read
        The time in seconds that one attempt waits for a connection, and for the next bytes.
    attempts
        The most attempts for each request.
    first_wait, longest_wait
        The wait before a retry, in seconds. It doubles each time up to the longest wait, and is
        reduced at random by up to a half.
    slowest
        The rate in bytes per second below which an upload fails.
    slowest_read
        The rate in bytes per second below which a download fails, over the whole timeout.
    parallel
        The number of requests that run at once.
    ahead
        The bytes that are fetched before they are read; None is `ncz.zmap.remote.prefetch.HELD`.
    """

    timeout: float = TIMEOUT
    connect: float = TIMEOUT / 8
    read: float = 0.35 * TIMEOUT
    attempts: int = 5
    first_wait: float = 0.25
    longest_wait: float = 10.0
    slowest: float = 8000.0
    slowest_read: float = 100.0
    parallel: int = 32
    ahead: int | None = None

    @staticmethod
    def within(timeout: float) -> RetryPolicy:
        """Return the policy for a timeout in seconds; two attempts at a request fit into it."""
        return RetryPolicy(timeout, min(10.0, timeout / 8), 0.35 * timeout)


@record
class ListingPage:
    """A part of a listing, as paths.

    Attributes
    ----------
    objects, folders
        The paths of objects, and of folders with a slash at the end.
    token
        Requests the next part; None at the end of the listing.
    sizes
        The size of each object in bytes, in the same order; empty if the listing has no sizes.
    modified
        When each object changed, in seconds since 1970; empty if the listing does not tell.
    """

    objects: Sequence[str]
    folders: Sequence[str] = ()
    token: str | None = None
    sizes: Sequence[int] = ()
    modified: Sequence[float] = ()


class ObjectStore(ABC):
    """A transport: the requests that a server answers. A new one overrides what it can do.

    Attributes
    ----------
    versions
        The versions of documents, and of objects that are read in parts.
    retry_policy
        How requests are made.
    can_write, can_list
        Whether objects can be put and deleted, and listed.
    most_deleted
        The number of objects that one request can delete.
    serves_ranges
        False once the server answered a range request with the whole object.
    """

    versions: Versions
    retry_policy: RetryPolicy
    can_write = True
    can_list = True
    most_deleted = 1
    serves_ranges = True

    @abstractmethod
    def get(self, path: str, limit: int) -> bytes | None:
        """Read a whole object; None if it does not exist.

        No more than ``limit + 1`` bytes are read, so that a longer result means a larger object.
        """

    @abstractmethod
    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Read `count` > 0 bytes from `start`, or fewer at the end of the object.

        A negative `start` counts from the end. None if the object does not exist.
        """

    @abstractmethod
    def version(self, path: str) -> Version | None:
        """Return the version of an object, with its size; None if it does not exist."""

    def size(self, path: str) -> int | None:
        """Return the size of an object in bytes; None if it does not exist."""
        version = self.version(path)
        return None if version is None else version.size

    @abstractmethod
    def address(self, path: str) -> str:
        """Return the URL by which other programs find an object."""

    @abstractmethod
    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> ListingPage:
        """List up to `most` objects and folders.

        `folder` is "" or has a slash at its end. With `deep`, list all objects below it, and no
        folders.
        """

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""
        raise read_only(self.address(""))

    def put_new(self, path: str, value: bytes) -> bool:
        """Create an object; return False if it exists.

        A server that cannot do so only if nothing exists replaces the object and returns True.
        """
        self.put(path, value)
        return True

    def delete(self, paths: Sequence[str]) -> None:
        """Delete up to `most_deleted` objects; missing ones are ignored."""
        raise read_only(self.address(""))

    @abstractmethod
    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """Return the `ZmapError` for an `error` of the library; `action` is "read", "write", ..."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections."""


# Errors of requests to a server: whether a retry may help, and their messages.

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


# Compare the bytes of whole objects with the checksums that a server states.
#
# S3 states the MD5 of an object that was sent in one piece as its ETag, unless a key of the user or
# of a key service encrypts it. Some servers state other checksums in headers.
#
# Sources: Amazon S3's API reference ("Object", "Checking object integrity"); Google Cloud Storage's
# "x-goog-hash"; RFC 1864 for Content-MD5.

_MD5 = re.compile(r"[0-9a-f]{32}")
_KEYED = ("aws:kms", "aws:kms:dsse")


class WrongBytesError(Exception):
    """An object's bytes do not have the checksum that the server states."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the bytes do not match the {name} that the server states")


def md5_of(value: bytes) -> bytes:
    """Return the MD5 of an object, which is a checksum here and protects nothing."""
    return hashlib.md5(value, usedforsecurity=False).digest()


def is_md5(etag: str) -> bool:
    """Return whether an ETag has the form of an MD5; that of an object in parts has another."""
    return bool(_MD5.fullmatch(etag.strip('"')))


def matches_etag(value: bytes, etag: str) -> bool:
    """Return False if an ETag has the form of an MD5, and is not that of the bytes."""
    return not is_md5(etag) or md5_of(value).hex() == etag.strip('"')


def check_s3(value: bytes, headers: Mapping[str, str], bucket: str) -> None:
    """Raise `WrongBytesError` if a whole object of S3 contradicts the headers of its response.

    Names of headers are in lower case.
    """
    encryption = headers.get("x-amz-server-side-encryption", "")
    has_md5 = (
        encryption not in _KEYED
        and "x-amz-server-side-encryption-customer-algorithm" not in headers
        and not bucket.endswith("--x-s3")  # the ETags of directory buckets are random
    )
    if has_md5 and not matches_etag(value, headers.get("etag", "")):
        raise WrongBytesError("ETag")
    check_headers(value, headers)


def check_headers(value: bytes, headers: Mapping[str, str]) -> None:
    """Raise `WrongBytesError` if a whole object contradicts a checksum in its headers."""
    for name, compute, stated in _checksums(headers):
        try:
            expected = base64.b64decode(stated, validate=True)
        except ValueError:
            continue  # the checksum of the parts, or nothing known
        if compute(value) != expected:
            raise WrongBytesError(name)


def _checksums(
    headers: Mapping[str, str],
) -> Iterator[tuple[str, Callable[[bytes], bytes], str]]:
    for name, compute in (
        ("content-md5", md5_of),
        ("x-amz-checksum-crc32", _crc32),
        ("x-amz-checksum-crc32c", _crc32c),
    ):
        if name in headers:
            yield name, compute, headers[name]
    for part in headers.get("x-goog-hash", "").split(","):
        kind, _, stated = part.strip().partition("=")
        if kind == "crc32c":
            yield "x-goog-hash", _crc32c, stated


def _crc32(value: bytes) -> bytes:
    return zlib.crc32(value).to_bytes(4, "big")


def _crc32c(value: bytes) -> bytes:
    import google_crc32c

    return int(google_crc32c.value(value)).to_bytes(4, "big")


# Give up downloads that make no real progress.
#
# A server that sends a few bytes now and then never lets a wait for the next bytes time out.


class SlowServerError(Exception):
    """A server sent fewer bytes than it must, for as long as a request may take.

    Its text says what the server did, if that is something else.
    It does not derive from `TimeoutError`, because fsspec replaces those by its own.
    """


class Pace:
    """The rate of one download, measured again and again over the timeout of a request."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._span = policy.timeout - policy.read  # the last wait for bytes comes on top
        self._least = policy.slowest_read
        self._start = time.monotonic()
        self._received = 0

    def received(self, count: int) -> None:
        """Count bytes that arrived; raise `SlowServerError` if they are too few."""
        self._received += count
        passed = time.monotonic() - self._start
        if passed < self._span:
            return
        if self._received < self._least * passed:
            raise SlowServerError
        self._start += passed
        self._received = 0


# Waits that an interrupt ends.
#
# A signal that arrives just before the main thread begins to wait for a lock does not end that
# wait, and Python raises ``KeyboardInterrupt`` only after it. A wait in steps has an end.

_T = TypeVar("_T")

_STEP = 0.5
"""Seconds after which a wait is begun again."""


def result_of(future: Future[_T]) -> _T:
    """Return the result of a future; see `Future.result`."""
    while True:
        try:
            return future.result(_STEP)
        except TimeoutError:
            if future.done():  # the error may be that of the future
                return future.result()


def result_within(seconds: float, call: Callable[[], _T]) -> _T:
    """Return the result of a call to a library that has no time limit of its own.

    The call runs in another thread, which is left to itself if it is late, and ends with the
    process at the latest.

    Raises
    ------
    TimeoutError
        If the call does not return in time.
    """
    future = Future[_T]()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # for the caller
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    end = time.monotonic() + seconds
    while not future.done() and (left := end - time.monotonic()) > 0:
        with contextlib.suppress(TimeoutError):
            return future.result(min(left, _STEP))
    return future.result(0)


def wait_for_change(changed: threading.Condition) -> None:
    """Wait for a condition, or for a moment; the caller checks what it waits for again."""
    changed.wait(_STEP)
