"""The files of a web server as an object store."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import TypeVar
from urllib.parse import quote, urljoin, urlsplit

from ncz.errors import UrlError, ZmapError
from ncz.record import replace
from ncz.zmap.key import clamp, is_document
from ncz.zmap.remote.requests.errors import (
    LASTING,
    HttpStatusError,
    is_transient,
    names_of,
    read_only,
    status_of,
    unreachable,
)
from ncz.zmap.remote.requests.integrity import check_headers
from ncz.zmap.remote.requests.objects import Page, RetryPolicy
from ncz.zmap.remote.requests.pace import Pace
from ncz.zmap.remote.requests.versions import Version, Versions, version_of
from ncz.zmap.remote.web.body import read_body
from ncz.zmap.remote.web.connections import Connections
from ncz.zmap.remote.web.response import Response

_T = TypeVar("_T")

_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 10


class HttpObjects:
    """The files below a URL of a web server, which can be read but not listed.

    A path is relative to the URL; every request has the URL's query. `check_redirect` is called
    with each URL to which the server redirects, and raises for one that is not permitted.
    """

    most_deleted = 0

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
        self._retry_policy = retry_policy
        self._checks = checks
        self.versions = Versions(is_used=checks)
        self.serves_ranges = True
        self._connections = Connections(retry_policy.connect, retry_policy.read)

    def _fetch(self, path: str, span: str | None, read: Callable[[Response], _T]) -> _T | None:
        """Return what `read` returns for the response; None if the object does not exist."""
        address = f"/{quote(path, safe='/', errors='surrogateescape')}" if path else ""
        url = self._base + address + self._query
        headers = {"Range": span} if span else {}
        for _ in range(_MOST_REDIRECTS):
            with self._connections.get(url, headers) as response:
                if response.status in _REDIRECTS:
                    url = _target(response)
                    self._check_redirect(url)
                    continue
                if response.status in (404, 410):
                    return None
                if response.status not in (200, 206, 416):
                    raise HttpStatusError(response.status)
                if path and urlsplit(url).path.endswith("/"):
                    return None  # a redirect to the page of a folder
                return read(response)
        raise ZmapError("the server redirects too often", self._base)

    def _pace(self) -> Pace:
        return Pace(self._retry_policy)

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
            if self._checks and len(value) <= limit and "content-encoding" not in response.headers:
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

    def size(self, path: str) -> int | None:
        """Return the size of an object in bytes; None if it does not exist."""
        version = self.version(path)
        return None if version is None else version.size

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

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """Raise `ZmapError`: a web server has no listing."""
        raise ZmapError(
            "a web server cannot list its keys",
            self._base,
            "add consolidated metadata with ncz consolidate; NCZarr can be dumped without it",
        )

    def put(self, path: str, value: bytes) -> None:
        """Raise `ZmapError`: a web server is read-only."""
        raise read_only(self._base)

    def put_new(self, path: str, value: bytes) -> bool:
        """Raise `ZmapError`: a web server is read-only."""
        raise read_only(self._base)

    def delete(self, paths: Sequence[str]) -> None:
        """Raise `ZmapError`: a web server is read-only."""
        raise read_only(self._base)

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """Return the error for a status or a failed connection; see `ObjectStore.storage_error`."""
        status = status_of(error)
        if status in (401, 403, 407):
            return ZmapError(
                f"cannot {action}: {self._server} denied access ({status})", location,
                "for S3 with credentials add #mode=s3",
            )  # fmt: skip
        if status or is_transient(error) or names_of(error) & LASTING:
            return unreachable(error, location, action, self._server, self._retry_policy)
        if names_of(error) & {"InvalidURL", "InvalidUrlClientError", "TooManyRedirects"}:
            return ZmapError(f"cannot {action}: the URL is not valid", location, "check the URL")
        # Not the error's own text, which may contain the URL and a signature in its query.
        return ZmapError(f"cannot {action}: {type(error).__name__}", location)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()


def _target(response: Response) -> str:
    """Return the URL to which a response redirects, with only characters that a URL may have."""
    name = response.headers.get("location", "").encode("latin-1", "replace")
    return urljoin(response.url, quote(name, safe=string.punctuation))


def _version(response: Response) -> Version:
    """Return the version of an object; its size is known if the server states it."""
    told = response.headers.get("content-range", "").rpartition("/")[2]
    size = int(told) if response.status in (206, 416) and told.isdigit() else None
    if response.status == 200:
        size = response.size
    return version_of(response.headers, size)
