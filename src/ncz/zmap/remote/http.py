"""What a web server has below a URL, through fsspec; for reading."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from ncz.errors import ZmapError
from ncz.zmap.key import part
from ncz.zmap.remote.errors import (
    LASTING,
    HttpStatusError,
    is_transient,
    names_of,
    not_installed,
    status_of,
    unreachable,
)
from ncz.zmap.remote.objects import Page, RetryPolicy

_T = TypeVar("_T")


class HttpObjects:
    """What lies below a URL of a web server, for reading. It cannot be listed.

    A path is what follows the URL; the URL's query goes with every request.
    """

    most_deleted = 0

    def __init__(self, url: str, retry_policy: RetryPolicy) -> None:
        parts = urlsplit(url)
        self._server = f"{parts.scheme}://{parts.netloc}"
        self._base = self._server + quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~-._")
        self._query = f"?{parts.query}" if parts.query else ""
        self._retry_policy = retry_policy
        self.serves_ranges = True
        try:
            import aiohttp
            from fsspec.implementations.http import HTTPFileSystem
        except ImportError as error:
            raise not_installed("aiohttp", self._base) from error
        self._fs = HTTPFileSystem(
            client_kwargs={
                "timeout": aiohttp.ClientTimeout(
                    total=None, connect=retry_policy.connect, sock_read=retry_policy.read
                ),
                "trust_env": True,
                "headers": {"Accept-Encoding": "identity"},  # sizes and ranges are of the object
            },
            skip_instance_cache=True,
        )

    def _fetch(
        self, path: str, span: str | None, read: Callable[[Any], Awaitable[_T]]
    ) -> _T | None:
        """What `read` makes of the response, or None if there is no such object."""
        from fsspec.asyn import sync

        address = f"/{quote(path, safe='/', errors='surrogateescape')}" if path else ""

        async def fetched() -> _T | None:
            import yarl

            session = await self._fs.set_session()
            url = yarl.URL(self._base + address + self._query, encoded=True)
            async with session.get(url, headers={"Range": span} if span else {}) as response:
                if response.status in (404, 410):
                    return None
                if response.status not in (200, 206, 416):
                    raise HttpStatusError(response.status)
                if path and response.url.path.endswith("/"):
                    return None  # it sent us on to a folder's page
                return await read(response)

        result: _T | None = sync(self._fs.loop, fetched)
        return result

    def get(self, path: str) -> bytes | None:
        """The whole object."""

        async def read(response: Any) -> bytes:
            if response.status != 200:
                raise HttpStatusError(response.status)
            value: bytes = await response.read()
            return value

        return self._fetch(path, None, read)

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Part of an object; a server that knows no ranges sends the whole of it."""

        async def read(response: Any) -> bytes:
            if response.status == 416:
                return b""
            value: bytes = await response.read()
            if response.status == 206:
                return value[:count]
            self.serves_ranges = False
            return part(value, start, count)

        span = f"bytes={start}" if start < 0 else f"bytes={start}-{start + count - 1}"
        return self._fetch(path, span, read)

    def size(self, path: str) -> int | None:
        """The object's size in bytes."""

        async def read(response: Any) -> int:
            told = response.headers.get("Content-Range", "").rpartition("/")[2]
            if response.status in (206, 416) and told.isdigit():
                return int(told)
            if response.status == 416:
                return 0  # there is no first byte
            if response.content_length is not None and response.status == 200:
                return int(response.content_length)
            return len(await response.read())

        return self._fetch(path, "bytes=0-0", read)

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """A web server has no listing."""
        raise ZmapError(
            "a web server cannot be asked which keys there are",
            self._base,
            "consolidated metadata (.zmetadata) or NCZarr's lists make it needless",
        )

    def put(self, path: str, value: bytes) -> None:
        """Web servers are not written to."""
        raise self._read_only()

    def delete(self, paths: Sequence[str]) -> None:
        """Web servers are not written to."""
        raise self._read_only()

    def _read_only(self) -> ZmapError:
        return ZmapError("a web server can only be read", self._base, "for S3 add #mode=s3")

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """What the status or the broken connection means."""
        status = status_of(error)
        if status in (401, 403, 407):
            return ZmapError(
                f"cannot {action}: {self._server} does not allow it ({status})", location,
                "for S3 with credentials add #mode=s3",
            )  # fmt: skip
        if status or is_transient(error) or names_of(error) & LASTING:
            return unreachable(error, location, action, self._server, self._retry_policy)
        if names_of(error) & {"InvalidURL", "InvalidUrlClientError", "TooManyRedirects"}:
            return ZmapError(f"cannot {action}: this URL leads nowhere", location, "check the URL")
        # Not the error's own text: it may have the URL with its query, and a signature in that.
        return ZmapError(f"cannot {action}: {type(error).__name__}", location)

    def close(self) -> None:
        """Give back the connections."""
        from fsspec.asyn import sync

        async def closed() -> None:
            await (await self._fs.set_session()).close()

        sync(self._fs.loop, closed)
