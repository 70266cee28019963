"""The files of web servers as objects, read with urllib3 over connections that are kept."""

from __future__ import annotations

import contextlib
import string
from collections.abc import Callable, Iterator, Mapping
from http.client import InvalidURL
from typing import TypeVar
from urllib.parse import quote, urljoin, urlsplit

from ncz.errors import CONSOLIDATE, UrlError, ZmapError
from ncz.record import record, replace
from ncz.zmap.key import clamp, is_document
from ncz.zmap.location import Location
from ncz.zmap.remote.checksums import check_headers
from ncz.zmap.remote.connections import Connections
from ncz.zmap.remote.http_body import read_body
from ncz.zmap.remote.http_response import Response
from ncz.zmap.remote.object_store import ListingPage, ObjectStore
from ncz.zmap.remote.pace import Pace
from ncz.zmap.remote.request_errors import HttpStatusError, server_error
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.versions import Version, Versions, version_of
from ncz.zmap.whole_numbers import whole_number

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
    """The answer of a server to a request that is not for a file.

    Attributes
    ----------
    status
        The status.
    body
        The body, which is read up to one byte more than the limit.
    """

    status: int
    body: bytes


class HttpObjects(ObjectStore):
    """The files below a URL of a web server, which can be read but not listed.

    A path is relative to the URL; every request has the URL's query. `check_redirect` is called
    with the URL of each redirect, and raises for one that is not permitted.
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
        """Return the result of `read` for the response; None if the object does not exist."""
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
        """Request the URL with a suffix of its path and another query; accept any status."""
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
            raise ZmapError("this server does not report the size of an object", self._base)

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
        if isinstance(error, InvalidURL):
            return ZmapError(f"cannot {action}: the URL is not valid", location, "check the URL")
        hint = "for S3 with credentials add #mode=s3"
        return server_error(error, location, action, self._server, self.retry_policy, hint)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()


def _target(response: Response) -> str:
    """Return the target of a redirect, with only characters that a URL may have."""
    name = response.headers.get("location", "").encode("latin-1", "replace")
    return urljoin(response.url, quote(name, safe=string.punctuation))


def _version(response: Response) -> Version:
    """Return the version of an object; its size is known if the server states it."""
    total = response.headers.get("content-range", "").rpartition("/")[2]
    size = whole_number(total) if response.status in (206, 416) else None
    if response.status == 200:
        size = response.size
    return version_of(response.headers, size)
