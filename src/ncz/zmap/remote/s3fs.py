"""The objects of an S3 bucket, through s3fs."""

from __future__ import annotations

import base64
import io
import re
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.amazon_hosts import amazon_name
from ncz.zmap.key import is_document
from ncz.zmap.remote.credentials import S3Settings, no_alias
from ncz.zmap.remote.requests import (
    ListingPage,
    ObjectStore,
    Pace,
    RetryPolicy,
    SlowServerError,
    Version,
    Versions,
    all_seconds,
    check_s3,
    code_of,
    is_denied,
    md5_of,
    names_of,
    not_installed,
    response_of,
    status_of,
    unreachable,
    version_of,
)

# Send the body of a request, and notice when the server stops receiving it.


class WatchedBody(io.BytesIO):
    """A body that counts how often it is read, so that a transfer that stands still is noticed."""

    reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """Read some bytes; see `io.BytesIO.read`."""
        self.reads += 1
        return super().read(size)

    async def watch(self, sending: Coroutine[Any, Any, _T], stall: float, slowest: float) -> _T:
        """Wait until the body is sent, and return the answer.

        Parameters
        ----------
        sending
            The request that sends this body.
        stall
            The time in seconds in which something must happen.
        slowest
            The rate in bytes per second below which the transfer fails.

        Raises
        ------
        TimeoutError
            If nothing happens for too long, or the transfer is too slow.
        """
        import asyncio
        import time

        end = time.monotonic() + stall + len(self.getbuffer()) / slowest
        task = asyncio.ensure_future(sending)
        try:
            while not task.done():
                before = self.reads
                left = min(stall, end - time.monotonic())
                await asyncio.wait({task}, timeout=max(0.0, left))
                if not task.done() and (self.reads == before or time.monotonic() >= end):
                    raise TimeoutError
        finally:
            task.cancel()
        return await task


# Let s3fs follow no redirects, as boto3 does.
#
# aiohttp would follow them to any server. It removes the signature, but sends the token of
# temporary credentials along, and what the other server sends would be taken for data of the store.

_SERVER = re.compile(r"(https?://)(?:[^/?#@]*@)?([\w.:\[\]-]+)", re.ASCII | re.IGNORECASE)


class _Direct:
    """A session of aiohttp that follows no redirects."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def request(self, *arguments: Any, **named: Any) -> Any:
        return self._session.request(*arguments, **named, allow_redirects=False)


@cache
def no_redirects() -> dict[str, Any]:
    """Return options of aiobotocore's configuration; none if it is too old for them."""
    import inspect

    from aiobotocore.config import AioConfig  # type: ignore[import-untyped]
    from aiobotocore.httpsession import AIOHTTPSession  # type: ignore[import-untyped]

    can_choose = "http_session_cls" in inspect.signature(AioConfig.__init__).parameters
    if not (can_choose and hasattr(AIOHTTPSession, "_get_session")):
        return {}

    class DirectSession(AIOHTTPSession):  # type: ignore[misc]
        async def _get_session(self, proxy_url: str | None) -> _Direct:
            return _Direct(await super()._get_session(proxy_url))

    return {"http_session_cls": DirectSession}


def redirect_of(headers: Mapping[str, str]) -> str | None:
    """Return the server to which a response redirects, without user, path and query."""
    found = _SERVER.match(headers.get("location", ""))
    return f"{found[1]}{found[2]}" if found else None


# What failed requests to S3 mean.

_WRONG_KEYS = (
    "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "AuthFailure",
    "InvalidSecurity", "TokenRefreshRequired", "NotSignedUp",
)  # fmt: skip
_WRONG_REGION = (
    "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException",
    "301", "307", "TemporaryRedirect",
)  # fmt: skip


def storage_error(
    error: Exception, location: str, action: str, settings: S3Settings, retry_policy: RetryPolicy
) -> ZmapError:
    """Return the error for a response of S3; see `ObjectStore.storage_error`."""
    code = code_of(error)
    server = settings.endpoint
    names = names_of(error)
    other = redirect_of(headers_of(response_of(error)))
    if other and not _region_of(error):
        return ZmapError(
            f"cannot {action}: {server} redirects to {other}", location,
            "S3 servers that redirect are not read",
        )  # fmt: skip
    # s3://NAME/... may be meant for an alias that does not exist.
    looked = f"; {no_alias(settings, 2)}" if settings.not_alias else ""
    if code == "NoSuchBucket":
        return StoreMissing(
            f"the bucket {settings.bucket} does not exist at {server}", location,
            f"check the name, or create the bucket first{looked}",
        )  # fmt: skip
    if code in _WRONG_KEYS:
        late = " (they have expired)" if code == "ExpiredToken" else ""
        return ZmapError(
            f"{server} rejected the credentials{late}", location, f"check {settings.source}"
        )
    # botocore recurses without end on a redirect that does not name a region.
    if code in _WRONG_REGION or "RecursionError" in names:
        region = _region_of(error)
        return ZmapError(
            f"the bucket is not in the region {settings.region}", location,
            f"add #aws.region={region or 'REGION'}",
        )  # fmt: skip
    if settings.anonymous and (is_denied(error) or code in ("401", "UnsupportedAlgorithm")):
        return ZmapError(
            f"cannot {action}: {server} denied access without credentials ({code})",
            location,
            "name a profile (#aws.profile=NAME) or set AWS_ACCESS_KEY_ID and"
            f" AWS_SECRET_ACCESS_KEY; a missing object may give the same error{looked}",
        )  # fmt: skip
    if is_denied(error):
        return ZmapError(
            f"cannot {action}: {server} denied access ({code})", location,
            f"check {settings.source}; a missing object may give the same error"
            f"{_of_payer(settings)}{looked}",
        )  # fmt: skip
    if names & {"NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError"}:
        return ZmapError("no credentials were found", location, f"check {settings.source}")
    if "ParamValidationError" in names or code == "InvalidBucketName":
        return ZmapError(
            f"{settings.bucket!r} is not a valid bucket name", location,
            f"check the URL{looked}",
        )  # fmt: skip
    if names & {"ProfileNotFound", "ConfigParseError", "MissingDependencyException"}:
        return ZmapError(str(error), location, f"check {settings.source}")
    return unreachable(error, location, action, server, retry_policy)


def _of_payer(settings: S3Settings) -> str:
    """Return what to do where the requester pays, for the end of a hint."""
    if settings.requester_pays:
        return ""
    return ", and a bucket whose requester pays needs #aws.requester_pays=true"


def headers_of(answer: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the headers of a response; botocore writes their names in lower case."""
    headers: Mapping[str, str] = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    return headers


def _region_of(error: BaseException) -> str | None:
    """Return the bucket's region if the response contains it."""
    headers = headers_of(response_of(error))
    reply = response_of(error).get("Error", {})
    found = headers.get("x-amz-bucket-region") or reply.get("Region")
    stated = re.search(r"expecting '([a-z0-9-]+)'", str(reply.get("Message", "")))
    return found or (stated and stated[1]) or None


_T = TypeVar("_T")

_PIECE = 1 << 20  # bytes that are read at once
_ABSENT = ("NoSuchKey", "404")


class S3Objects(ObjectStore):
    """The objects of an S3 bucket, through s3fs.

    Parameters
    ----------
    settings
        The server, the bucket and the credentials.
    retry_policy
        Timeouts and retries.
    checks
        Whether bytes are compared with the checksums that the server states, and ETags with
        those of earlier reads.
    versions
        The versions that another client of the same bucket has seen.
    """

    most_deleted = 1000

    def __init__(
        self,
        settings: S3Settings,
        retry_policy: RetryPolicy,
        *,
        checks: bool = True,
        versions: Versions | None = None,
    ) -> None:
        self.versions = versions or Versions(is_used=checks)
        self._settings = settings
        self.retry_policy = retry_policy
        self._checks = checks
        self._under_way: set[Any] = set()
        try:
            import s3fs
        except ImportError as error:
            raise not_installed("s3fs", settings.endpoint) from error

        try:
            self._fs = s3fs.S3FileSystem(
                **filesystem_options(settings, retry_policy),
                skip_instance_cache=True,
                use_listings_cache=False,
            )
            self._fs.asynchronous = True  # or s3fs adds a finalizer that waits; see `_close_later`
            self._client = self._run(self._fs.set_session)
            self._finalizer = weakref.finalize(self, _close_later, self._fs.loop, self._client)
            self._finalizer.atexit = False
            _expect_nothing(self._client)
            if settings.requester_pays:
                self._client.meta.events.register("before-call.s3", _agree_to_pay)
        except Exception as error:
            raise self.storage_error(error, settings.endpoint, "connect") from error

    def _run(
        self,
        call: Callable[..., Awaitable[_T]],
        *arguments: Any,
        limit: float | None = None,
        **named: Any,
    ) -> _T:
        """Await a call; `limit` is how many seconds it may take, even if bytes arrive."""
        import asyncio

        from fsspec.asyn import sync

        async def tracked() -> _T:
            task = asyncio.current_task()
            self._under_way.add(task)
            try:
                async with asyncio.timeout(limit) as late:
                    return await call(*arguments, **named)
            except asyncio.CancelledError as error:
                raise ConnectionError("the connection was closed") from error
            except TimeoutError as error:
                if late.expired():
                    text = f"did not complete its answer within {limit:g} s"
                    raise SlowServerError(text) from error
                raise
            finally:
                self._under_way.discard(task)

        result: _T = sync(self._fs.loop, tracked)
        return result

    def address(self, path: str) -> str:
        """Return ``s3://BUCKET/KEY``, or with an alias; see `ObjectStore.address`."""
        return f"{self._settings.url}/{path}"

    def get(self, path: str, limit: int) -> bytes | None:
        """Read a whole object; see `ObjectStore.get`."""
        return self._get(path, {}, limit + 1)

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `ObjectStore.get_range`."""
        span = f"bytes={start}" if start < 0 else f"bytes={start}-{start + count - 1}"
        try:
            value = self._get(path, {"Range": span}, count)
        except Exception as error:
            if status_of(error) == 416:
                return b""
            raise
        return value

    def _get(self, path: str, more: Mapping[str, str], most: int) -> bytes | None:
        async def got() -> bytes:
            answer = await self._client.get_object(Bucket=self._settings.bucket, Key=path, **more)
            version = version_of(headers_of(answer), None)
            if "Range" in more:
                self.versions.require(path, version)
            elif is_document(path):
                self.versions.note(path, version)
            async with answer["Body"] as body:
                parts: list[bytes] = []
                left = most
                pace = Pace(self.retry_policy)
                while left and (part := await body.read(min(left, _PIECE))):
                    parts.append(part)
                    pace.received(len(part))
                    left -= len(part)
                value = b"".join(parts)
            if self._checks and left and "Range" not in more:
                check_s3(value, headers_of(answer), self._settings.bucket)
            return value

        try:
            return self._run(got)
        except Exception as error:
            if code_of(error) in _ABSENT:
                return None
            raise

    def version(self, path: str) -> Version | None:
        """Return the version of an object; None if it does not exist."""
        try:
            answer = self._run(self._client.head_object, Bucket=self._settings.bucket, Key=path)
        except Exception as error:
            if code_of(error) in _ABSENT:
                return None
            if code_of(error) in ("400", "403"):  # a response to HEAD has no body with a reason
                self._get(path, {"Range": "bytes=0-0"}, 1)
            raise
        return version_of(headers_of(answer), int(answer["ContentLength"]))

    def page(
        self, folder: str, *, deep: bool, token: str | None, most: int, after: str | None = None
    ) -> ListingPage:
        """List up to 1,000 objects and folders; see `ObjectStore.page`.

        The listing starts after the name `after`.
        """
        more = {} if deep else {"Delimiter": "/"}
        if after:
            more["StartAfter"] = after
        if token:
            more["ContinuationToken"] = token
        answer = self._run(
            self._client.list_objects_v2,
            Bucket=self._settings.bucket,
            Prefix=folder,
            MaxKeys=most,
            limit=self.retry_policy.timeout,
            **more,
        )
        return ListingPage(
            [entry["Key"] for entry in answer.get("Contents", ())],
            [entry["Prefix"] for entry in answer.get("CommonPrefixes", ())],
            answer.get("NextContinuationToken") if answer.get("IsTruncated") else None,
            [entry["Size"] for entry in answer.get("Contents", ())],
            all_seconds(entry.get("LastModified") for entry in answer.get("Contents", ())),
        )

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""
        self._put(path, value)

    def put_new(self, path: str, value: bytes) -> bool:
        """Create an object; see `ObjectStore.put_new`."""
        try:
            self._put(path, value, IfNoneMatch="*")
        except Exception as error:
            status = status_of(error)
            if status in (409, 412):  # it exists, or another process is creating it
                return False
            if status not in (400, 501) and type(error).__name__ != "ParamValidationError":
                raise
            self._put(path, value)  # a server, or a library, without conditions
        return True

    def _put(self, path: str, value: bytes, **conditions: str) -> None:
        policy = self.retry_policy
        self.versions.forget(path)

        async def sent() -> None:
            # aiohttp has timeouts for connecting and reading, but a server may also stop receiving.
            body = WatchedBody(value)
            sending = self._client.put_object(
                Bucket=self._settings.bucket,
                Key=path,
                Body=body,
                ContentMD5=base64.b64encode(md5_of(value)).decode(),
                **conditions,
            )
            answer = await body.watch(sending, policy.connect + policy.read, policy.slowest)
            if self._checks:
                check_s3(value, headers_of(answer), self._settings.bucket)

        self._run(sent)

    def delete(self, paths: Sequence[str]) -> None:
        """Delete up to 1,000 objects in one request, or one by one if the server requires it."""
        bucket = self._settings.bucket
        listed = {"Objects": [{"Key": path} for path in paths], "Quiet": True}
        try:
            answer = self._run(
                self._client.delete_objects,
                Bucket=bucket,
                Delete=listed,
                limit=self.retry_policy.timeout,
            )
        except Exception as error:
            if status_of(error) not in (400, 405, 411, 501):
                raise
            answer = {"Errors": listed["Objects"]}
        for entry in answer.get("Errors", ()):
            # A single request either deletes the object or gives a reason.
            self._run(self._client.delete_object, Bucket=bucket, Key=entry["Key"])

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """Return the error for a response of S3; see `ObjectStore.storage_error`."""
        return storage_error(error, location, action, self._settings, self.retry_policy)

    def close(self) -> None:
        """Close the connections. Requests that are under way fail; without this some never end."""

        async def closed() -> None:
            import asyncio

            for task in self._under_way - {asyncio.current_task()}:
                task.cancel()
            await self._client.close()

        self._finalizer.detach()
        self._run(closed)


def _close_later(loop: Any, client: Any) -> None:
    """Close the connections of a store that was not closed, without waiting.

    A garbage collection can begin while this thread holds a lock that the loop needs.
    """
    import asyncio

    if loop.is_running():
        asyncio.run_coroutine_threadsafe(client.close(), loop)


def _new_session(profile: str | None) -> Any:
    """Return a session of aiobotocore whose service descriptions are parsed once per process."""
    from aiobotocore.session import AioSession  # type: ignore[import-untyped]

    session = AioSession(profile=profile)
    descriptions = _descriptions(session.get_config_variable("data_path"))
    session.register_component("data_loader", descriptions)
    return session


@cache
def _descriptions(search_path: str | None) -> Any:
    """Return a loader of botocore's service descriptions, which keeps what it has parsed."""
    from botocore.loaders import create_loader  # type: ignore[import-untyped]

    return create_loader(search_path)


def filesystem_options(settings: S3Settings, retry_policy: RetryPolicy) -> dict[str, Any]:
    """Return the options of `s3fs.S3FileSystem` for a server and its credentials."""
    return {
        "anon": settings.anonymous,
        "key": settings.access_key,
        "secret": settings.secret_key,
        "token": settings.session_token,
        # botocore finds Amazon's endpoint itself and follows redirects to the region.
        "endpoint_url": None if is_amazon(settings) else settings.endpoint,
        "client_kwargs": {"region_name": settings.region},
        "config_kwargs": {
            "s3": {"addressing_style": "path" if settings.path_style else "virtual"},
            "connect_timeout": retry_policy.connect,
            "read_timeout": retry_policy.read,
            "retries": {"total_max_attempts": 1},
            "ignore_configured_endpoint_urls": True,
            "max_pool_connections": retry_policy.parallel,
            # Servers other than Amazon's often have no checksums, or send wrong ones.
            "request_checksum_calculation": "when_required",
            "response_checksum_validation": "when_required",
            **no_redirects(),
        },
        "session": _new_session(settings.profile),
    }


def _expect_nothing(client: Any) -> None:
    """Send bodies at once: "Expect: 100-continue" would cost another round trip."""
    from botocore import handlers  # type: ignore[import-untyped]

    asking = getattr(handlers, "add_expect_header", None)
    if asking:
        client.meta.events.unregister("before-call.s3", asking)


def _agree_to_pay(params: dict[str, Any], **_: object) -> None:
    params["headers"]["x-amz-request-payer"] = "requester"


def is_amazon(settings: S3Settings) -> bool:
    """Return whether the server is Amazon's own."""
    return settings.endpoint == f"https://{amazon_name(settings.region)}"
