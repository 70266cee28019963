"""Remote object stores, one request at a time: S3, http(s), and any file system of fsspec.

A path here is the whole name of an object on its server; keys are `ncz.zmap.remote`'s business, and
so are retries. An absent object is None. What goes wrong comes out as the library under it has it;
`is_transient` says whether the same request may succeed when it is sent again, and an object
store's `refusal` puts the error in words. fsspec, s3fs and aiohttp are imported when a store is
made, and not before.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import quote, urlsplit

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.credentials import S3Settings
from ncz.zmap.key import clamp

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, how often to try, and how many requests to have under way at once.

    Times are in seconds; an upload slower than `slowest` bytes a second is given up. The wait
    before a request is sent again doubles each time, from `first_wait` to `longest_wait`, and is
    cut by chance by up to a half.
    """

    connect: float = 10.0
    read: float = 30.0
    attempts: int = 5
    first_wait: float = 0.25
    longest_wait: float = 10.0
    slowest: float = 8000.0
    parallel: int = 32


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a listing, as paths; `token` asks for the next part, and None is the end."""

    objects: Sequence[str]
    folders: Sequence[str] = ()
    token: str | None = None


class ObjectStore(Protocol):
    """What a server can be asked for."""

    most_deleted: int
    """How many objects one request can delete; 0 if the store is read-only and has no listing."""

    serves_ranges: bool
    """False once a part of an object was asked for and the whole of it came."""

    def get(self, path: str) -> bytes | None:
        """The whole object."""
        ...

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """`count` > 0 bytes from `start`, fewer at the end; a negative `start` is from the end."""
        ...

    def size(self, path: str) -> int | None:
        """The object's size in bytes."""
        ...

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """The objects and folders in a folder ("" or with a slash at its end), or all below it."""
        ...

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""
        ...

    def delete(self, paths: Sequence[str]) -> None:
        """Remove up to `most_deleted` objects; those that are absent are no error."""
        ...

    def refusal(self, error: Exception, where: str, deed: str) -> ZmapError:
        """The error that says what `error` means when `deed` ("read", "write", ...) failed."""
        ...

    def close(self) -> None:
        """Give back the connections."""
        ...


# --- what goes wrong ------------------------------------------------------------------------------

# By name, so that the libraries need not be imported: those of botocore, aiohttp and asyncio.
_TRANSIENT = frozenset(
    {"HTTPClientError", "ResponseParserError", "IncompleteReadError", "ClientPayloadError",
     "ClientConnectionError", "TimeoutError", "ConnectionError", "IncompleteRead"}
)  # fmt: skip
_LASTING = frozenset(
    {"SSLError", "ClientSSLError", "ProxyConnectionError", "InvalidProxiesConfigError"}
)
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
    names = _names(error)
    if names & _LASTING:
        return False
    return (
        bool(names & _TRANSIENT)
        or _code(error) in _TRANSIENT_CODES
        or _status(error) in _TRANSIENT_STATUS
    )


def is_denied(error: BaseException) -> bool:
    """Whether the server refused to say: S3 does so for an absent object that may not be listed."""
    return _code(error) in ("AccessDenied", "403") or (
        not _code(error) and (_status(error) == 403 or isinstance(error, PermissionError))
    )


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def _response(error: BaseException) -> Mapping[str, Any]:
    response = getattr(error, "response", None)
    return response if isinstance(response, dict) else {}


def _code(error: BaseException) -> str:
    """The code of S3's answer, such as NoSuchBucket, or ""."""
    return str(_response(error).get("Error", {}).get("Code", ""))


def _status(error: BaseException) -> int:
    """The HTTP status that came with an error, or 0."""
    found = _response(error).get("ResponseMetadata", {}).get("HTTPStatusCode")
    for name in ("status", "status_code", "code"):
        found = found or getattr(error, name, None)
    try:
        return int(found or 0)
    except (TypeError, ValueError):
        return 0


def _unreachable(
    error: Exception, where: str, deed: str, server: str, patience: Patience
) -> ZmapError:
    """What went wrong between here and the server."""
    inner = getattr(error, "kwargs", {}).get("error")  # botocore's wraps that of its transport
    names = _names(inner if isinstance(inner, Exception) else error)
    if (names | _names(error)) & _LASTING:
        return ZmapError(
            f"cannot {deed}: the certificate of {server} is not trusted",
            where,
            "set AWS_CA_BUNDLE or SSL_CERT_FILE to a file with its authority's certificate",
        )
    if names & {"ConnectTimeoutError", "ConnectionTimeoutError"}:
        reason = f"{server} cannot be reached within {patience.connect:g} s"
    elif names & {"TimeoutError", "ReadTimeoutError"}:
        reason = f"{server} did not answer within {patience.read:g} s"
    elif names & {"EndpointConnectionError", "ClientConnectorError", "ConnectionRefusedError"}:
        reason = f"{server} cannot be reached"
    elif names & {"IncompleteReadError", "ClientPayloadError"}:
        reason = f"{server} broke off within the object"
    elif names & {"ConnectionError", "ClientConnectionError", "HTTPClientError"}:
        reason = f"{server} broke the connection"
    elif "ResponseParserError" in names:
        reason = f"{server} gave an answer that cannot be understood"
    elif _status(error):
        reason = f"{server} answered {_status(error)}{f' ({_code(error)})' * bool(_code(error))}"
    else:
        reason = str(error).strip().partition("\n")[0][:200] or type(error).__name__
    do = "try again later, or check the URL" if is_transient(error) else None
    return ZmapError(f"cannot {deed}: {reason}", where, do)


# --- S3 -------------------------------------------------------------------------------------------

_ABSENT = ("NoSuchKey", "404")
_WRONG_KEYS = (
    "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "AuthFailure",
    "InvalidSecurity", "TokenRefreshRequired", "NotSignedUp",
)  # fmt: skip
_WRONG_REGION = (
    "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException",
    "301", "307", "TemporaryRedirect",
)  # fmt: skip


class S3Objects:
    """The objects of a bucket."""

    most_deleted = 1000
    serves_ranges = True

    def __init__(self, settings: S3Settings, patience: Patience) -> None:
        self._settings = settings
        self._patience = patience
        try:
            import s3fs
        except ImportError as error:
            raise _not_installed("s3fs", settings.endpoint) from error

        def made() -> Any:
            return s3fs.S3FileSystem(
                anon=settings.anonymous,
                key=settings.access_key,
                secret=settings.secret_key,
                token=settings.session_token,
                # Amazon's botocore finds itself, and follows to the bucket's region.
                endpoint_url=None if _is_amazon(settings) else settings.endpoint,
                client_kwargs={"region_name": settings.region},
                config_kwargs={
                    "s3": {"addressing_style": "path" if settings.path_style else "virtual"},
                    "connect_timeout": patience.connect,
                    "read_timeout": patience.read,
                    "retries": {"total_max_attempts": 1},
                    "ignore_configured_endpoint_urls": True,
                    "max_pool_connections": patience.parallel,
                    # Other servers than Amazon's often know no checksums, or send wrong ones.
                    "request_checksum_calculation": "when_required",
                    "response_checksum_validation": "when_required",
                },
                skip_instance_cache=True,
                use_listings_cache=False,
                **({"profile": settings.profile} if settings.profile else {}),
            )

        try:
            self._fs = made()
            self._client = self._run(self._fs.set_session)
            _expect_nothing(self._client)
        except Exception as error:
            raise self.refusal(error, settings.endpoint, "connect") from error

    def _run(self, call: Callable[..., Awaitable[_T]], *arguments: Any, **named: Any) -> _T:
        from fsspec.asyn import sync

        result: _T = sync(self._fs.loop, call, *arguments, **named)
        return result

    def get(self, path: str) -> bytes | None:
        """The whole object."""
        return self._get(path, {})

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Part of an object."""
        span = f"bytes={start}" if start < 0 else f"bytes={start}-{start + count - 1}"
        try:
            value = self._get(path, {"Range": span})
        except Exception as error:
            if _status(error) == 416:
                return b""
            raise
        return None if value is None else value[:count]

    def _get(self, path: str, more: Mapping[str, str]) -> bytes | None:
        async def got() -> bytes:
            answer = await self._client.get_object(Bucket=self._settings.bucket, Key=path, **more)
            async with answer["Body"] as body:
                value: bytes = await body.read()
                return value

        try:
            return self._run(got)
        except Exception as error:
            if _code(error) in _ABSENT:
                return None
            raise

    def size(self, path: str) -> int | None:
        """The object's size in bytes."""
        try:
            answer = self._run(self._client.head_object, Bucket=self._settings.bucket, Key=path)
        except Exception as error:
            if _code(error) in _ABSENT:
                return None
            if _code(error) in ("400", "403"):  # an answer to HEAD has no body to say why
                self._get(path, {"Range": "bytes=0-0"})
            raise
        return int(answer["ContentLength"])

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """Up to 1,000 objects and folders."""
        more = {} if deep else {"Delimiter": "/"}
        if token:
            more["ContinuationToken"] = token
        answer = self._run(
            self._client.list_objects_v2,
            Bucket=self._settings.bucket,
            Prefix=folder,
            MaxKeys=most,
            **more,
        )
        return Page(
            [entry["Key"] for entry in answer.get("Contents", ())],
            [entry["Prefix"] for entry in answer.get("CommonPrefixes", ())],
            answer.get("NextContinuationToken") if answer.get("IsTruncated") else None,
        )

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""

        async def sent() -> None:
            import asyncio

            # aiohttp's limits are on connecting and reading: a server may also stop listening.
            await asyncio.wait_for(
                self._client.put_object(Bucket=self._settings.bucket, Key=path, Body=value),
                self._patience.connect + self._patience.read + len(value) / self._patience.slowest,
            )

        self._run(sent)

    def delete(self, paths: Sequence[str]) -> None:
        """Remove up to 1,000 objects in one request, or one by one where a server knows no such."""
        bucket = self._settings.bucket
        listed = {"Objects": [{"Key": path} for path in paths], "Quiet": True}
        try:
            answer = self._run(self._client.delete_objects, Bucket=bucket, Delete=listed)
        except Exception as error:
            if _status(error) not in (400, 405, 411, 501):
                raise
            answer = {"Errors": listed["Objects"]}
        for entry in answer.get("Errors", ()):
            # Alone, it is refused with a reason, or it is gone.
            self._run(self._client.delete_object, Bucket=bucket, Key=entry["Key"])

    def refusal(self, error: Exception, where: str, deed: str) -> ZmapError:
        """What S3's answer means."""
        settings, code = self._settings, _code(error)
        server = settings.endpoint
        names = _names(error)
        if code == "NoSuchBucket":
            return StoreMissing(
                f"there is no bucket {settings.bucket} at {server}", where,
                "check the name, or make the bucket first",
            )  # fmt: skip
        if code in _WRONG_KEYS:
            late = " (they have expired)" if code == "ExpiredToken" else ""
            return ZmapError(
                f"credentials were refused for {server}{late}", where, f"check {settings.source}"
            )
        # botocore asks for ever where an answer sends it on and does not say to which region.
        if code in _WRONG_REGION or "RecursionError" in names:
            region = _region_of(error)
            return ZmapError(
                f"the bucket is not in the region {settings.region}", where,
                f"add #aws.region={region or 'REGION'}",
            )  # fmt: skip
        if settings.anonymous and (is_denied(error) or code in ("401", "UnsupportedAlgorithm")):
            return ZmapError(
                f"cannot {deed}: {server} lets nobody do this without credentials ({code})", where,
                "name a profile (#aws.profile=NAME) or set AWS_ACCESS_KEY_ID and"
                " AWS_SECRET_ACCESS_KEY; an object that is absent may be answered so too",
            )  # fmt: skip
        if is_denied(error):
            return ZmapError(
                f"cannot {deed}: {server} does not allow it ({code})", where,
                f"check {settings.source}; an object that is absent may be answered so too",
            )  # fmt: skip
        if names & {"NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError"}:
            return ZmapError("no credentials were found", where, f"check {settings.source}")
        if "ParamValidationError" in names or code == "InvalidBucketName":
            return ZmapError(
                f"{settings.bucket!r} cannot be the name of a bucket", where, "check the URL"
            )
        if names & {"ProfileNotFound", "ConfigParseError", "MissingDependencyException"}:
            return ZmapError(str(error), where, f"check {settings.source}")
        return _unreachable(error, where, deed, server, self._patience)

    def close(self) -> None:
        """Give back the connections."""
        self._run(self._client.close)


def _expect_nothing(client: Any) -> None:
    """Send bodies at once: to ask leave first ("Expect: 100-continue") is one more round trip."""
    from botocore import handlers  # type: ignore[import-untyped]

    asking = getattr(handlers, "add_expect_header", None)
    if asking:
        client.meta.events.unregister("before-call.s3", asking)


def _is_amazon(settings: S3Settings) -> bool:
    return settings.endpoint == f"https://s3.{settings.region}.amazonaws.com"


def _region_of(error: BaseException) -> str | None:
    """The right region, where an answer says it."""
    headers = _response(error).get("ResponseMetadata", {}).get("HTTPHeaders", {})
    said = _response(error).get("Error", {})
    found = headers.get("x-amz-bucket-region") or said.get("Region")
    told = re.search(r"expecting '([a-z0-9-]+)'", str(said.get("Message", "")))
    return found or (told and told[1]) or None


# --- http(s) --------------------------------------------------------------------------------------


class HttpObjects:
    """What lies below a URL of a web server, for reading. It cannot be listed.

    A path is what follows the URL; the URL's query goes with every request.
    """

    most_deleted = 0

    def __init__(self, url: str, patience: Patience) -> None:
        parts = urlsplit(url)
        self._server = f"{parts.scheme}://{parts.netloc}"
        self._base = self._server + quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~-._")
        self._query = f"?{parts.query}" if parts.query else ""
        self._patience = patience
        self.serves_ranges = True
        try:
            import aiohttp
            from fsspec.implementations.http import HTTPFileSystem
        except ImportError as error:
            raise _not_installed("aiohttp", self._base) from error
        self._fs = HTTPFileSystem(
            client_kwargs={
                "timeout": aiohttp.ClientTimeout(
                    total=None, connect=patience.connect, sock_read=patience.read
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
            first, length = clamp(len(value), start, count)
            return value[first : first + length]

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

    def refusal(self, error: Exception, where: str, deed: str) -> ZmapError:
        """What the status or the broken connection means."""
        status = _status(error)
        if status in (401, 403, 407):
            return ZmapError(
                f"cannot {deed}: {self._server} does not allow it ({status})", where,
                "for S3 with credentials add #mode=s3",
            )  # fmt: skip
        if status or is_transient(error) or _names(error) & _LASTING:
            return _unreachable(error, where, deed, self._server, self._patience)
        if _names(error) & {"InvalidURL", "InvalidUrlClientError", "TooManyRedirects"}:
            return ZmapError(f"cannot {deed}: this URL leads nowhere", where, "check the URL")
        # Not the error's own text: it may have the URL with its query, and a signature in that.
        return ZmapError(f"cannot {deed}: {type(error).__name__}", where)

    def close(self) -> None:
        """Give back the connections."""
        from fsspec.asyn import sync

        async def closed() -> None:
            await (await self._fs.set_session()).close()

        sync(self._fs.loop, closed)


# --- any file system of fsspec --------------------------------------------------------------------

_ABSENT_FILES = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


class FilesystemObjects:
    """The files of any fsspec file system; `root` is the store's path as it has it."""

    most_deleted = 1
    serves_ranges = True

    def __init__(self, url: str, options: Mapping[str, Any], patience: Patience) -> None:
        self._url = url
        self._patience = patience
        protocol = url.partition("://")[0]
        try:
            import fsspec
        except ImportError as error:
            raise _not_installed("fsspec", url) from error
        try:
            self._fs, root = fsspec.core.url_to_fs(
                url, skip_instance_cache=True, use_listings_cache=False, **options
            )
        except ImportError as error:
            raise _not_installed(_package(protocol, error), url) from error
        except Exception as error:
            raise self.refusal(error, url, "connect") from error
        self.root = str(root).rstrip("/")

    def get(self, path: str) -> bytes | None:
        """The whole object."""
        try:
            value: bytes = self._fs.cat_file(path)
        except _ABSENT_FILES:
            return None
        return value

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Part of an object, after a look at its size: file systems differ past the end."""
        size = self.size(path)
        if size is None:
            return None
        first, count = clamp(size, start, count)
        if count == 0:
            return b""
        try:
            value: bytes = self._fs.cat_file(path, start=first, end=first + count)
        except _ABSENT_FILES:
            return None
        return value

    def size(self, path: str) -> int | None:
        """The object's size in bytes."""
        try:
            found = self._fs.info(path)
        except _ABSENT_FILES:
            return None
        if found.get("type") == "directory":
            return None
        return int(found["size"])

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """Everything at once: fsspec has no pages."""
        path = folder.rstrip("/")
        self._fs.invalidate_cache()
        try:
            if deep:
                found = self._fs.find(path, detail=True)
                entries = list(found.values())
            else:
                entries = self._fs.ls(path, detail=True)
        except _ABSENT_FILES:
            return Page([])
        inside = path + "/"
        objects, folders = [], []
        for entry in entries:
            name = str(entry["name"]).rstrip("/")
            if not name.startswith("/") and inside.startswith("/"):
                name = "/" + name
            if not name.startswith(inside):
                continue  # a file lists itself
            if entry.get("type") == "directory":
                folders.append(name + "/")
            else:
                objects.append(name)
        return Page(objects, folders)

    def put(self, path: str, value: bytes) -> None:
        """Create or replace a file."""
        try:
            self._fs.pipe_file(path, value)
        except FileNotFoundError:  # a file system that has real folders
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._fs.pipe_file(path, value)

    def delete(self, paths: Sequence[str]) -> None:
        """Remove a file."""
        for path in paths:
            try:
                self._fs.rm_file(path)
            except FileNotFoundError:
                continue

    def refusal(self, error: Exception, where: str, deed: str) -> ZmapError:
        """What the file system says."""
        protocol = self._url.partition("://")[0]
        if isinstance(error, NotImplementedError):
            return ZmapError(f"a {protocol}: store has no way to {deed}", where)
        if is_denied(error):
            return ZmapError(
                f"cannot {deed}: permission was denied", where,
                f"check the credentials that fsspec finds for {protocol}:",
            )  # fmt: skip
        return _unreachable(error, where, deed, f"the {protocol}: server", self._patience)

    def close(self) -> None:
        """fsspec closes its connections itself."""


def _package(protocol: str, error: ImportError) -> str:
    """The name of the package on PyPI that has the file system of a protocol."""
    from fsspec.registry import known_implementations

    named = str(known_implementations.get(protocol, {}).get("class", "")).partition(".")[0]
    if named and named != "fsspec":
        return named
    missing = error.__cause__ or error.__context__ or error
    return str(getattr(missing, "name", None) or getattr(error, "name", None) or protocol)


def _not_installed(package: str, where: str) -> ZmapError:
    return ZmapError(f"this needs the package {package}", where, f"pip install {package}")
