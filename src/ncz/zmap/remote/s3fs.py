"""The objects of an S3 bucket, through s3fs."""

from __future__ import annotations

import base64
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from ncz.errors import ZmapError
from ncz.zmap.amazon_hosts import amazon_name
from ncz.zmap.key import is_document
from ncz.zmap.remote.checksums import check_s3, md5_of
from ncz.zmap.remote.credentials import S3Settings
from ncz.zmap.remote.library_errors import is_of, own_error
from ncz.zmap.remote.object_store import ListingPage, ObjectStore
from ncz.zmap.remote.pace import Pace, SlowServerError
from ncz.zmap.remote.request_errors import (
    BrokenConnectionError,
    HttpStatusError,
    missing_package_error,
)
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.s3_errors import headers_of, storage_error
from ncz.zmap.remote.s3_redirects import no_redirects
from ncz.zmap.remote.versions import Version, Versions, all_seconds, version_of
from ncz.zmap.remote.watched_body import WatchedBody

_T = TypeVar("_T")

_PIECE = 1 << 20  # bytes that are read in one call
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
        the versions of earlier reads.
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
            raise missing_package_error("s3fs", settings.endpoint) from error

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
        """Await a call; `limit` is its time limit in seconds, even if bytes arrive."""
        import asyncio

        from fsspec.asyn import sync

        async def track() -> _T:
            task = asyncio.current_task()
            self._under_way.add(task)
            try:
                async with asyncio.timeout(limit) as late:
                    return await call(*arguments, **named)
            except asyncio.CancelledError as error:
                raise BrokenConnectionError from error
            except TimeoutError as error:
                if late.expired():
                    text = f"did not complete its answer within {limit:g} s"
                    raise SlowServerError(text) from error
                raise
            finally:
                self._under_way.discard(task)

        try:
            result: _T = sync(self._fs.loop, track)
        except Exception as error:
            known = own_error(error)
            if known is error:
                raise
            raise known from error
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
        except HttpStatusError as error:
            if error.status == 416:
                return b""
            raise
        return value

    def _get(self, path: str, more: Mapping[str, str], most: int) -> bytes | None:
        async def get() -> bytes:
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
                    pace.count_bytes(len(part))
                    left -= len(part)
                value = b"".join(parts)
            if self._checks and left and "Range" not in more:
                check_s3(value, headers_of(answer), self._settings.bucket)
            return value

        try:
            return self._run(get)
        except HttpStatusError as error:
            if error.code in _ABSENT:
                return None
            raise

    def version(self, path: str) -> Version | None:
        """Return the version of an object; None if it does not exist."""
        try:
            answer = self._run(self._client.head_object, Bucket=self._settings.bucket, Key=path)
        except HttpStatusError as error:
            if error.code in _ABSENT:
                return None
            if error.code in ("400", "403"):  # a response to HEAD has no body with a reason
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
            status = error.status if isinstance(error, HttpStatusError) else 0
            if status in (409, 412):  # it exists, or another process is creating it
                return False
            is_unknown = is_of("botocore.exceptions", "ParamValidationError", error)
            if status not in (400, 501) and not is_unknown:
                raise
            self._put(path, value)  # a server, or a library, without conditions
        return True

    def _put(self, path: str, value: bytes, **conditions: str) -> None:
        policy = self.retry_policy
        self.versions.forget(path)

        async def send() -> None:
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

        self._run(send)

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
        except HttpStatusError as error:
            if error.status not in (400, 405, 411, 501):
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

        async def close() -> None:
            import asyncio

            for task in self._under_way - {asyncio.current_task()}:
                task.cancel()
            await self._client.close()

        self._finalizer.detach()
        self._run(close)


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
    """Return a loader of botocore's service descriptions, which keeps the parsed ones."""
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
    """Send bodies without waiting: "Expect: 100-continue" would cost another round trip."""
    from botocore import handlers  # type: ignore[import-untyped]

    asking = getattr(handlers, "add_expect_header", None)
    if asking:
        client.meta.events.unregister("before-call.s3", asking)


def _agree_to_pay(params: dict[str, Any], **_: object) -> None:
    params["headers"]["x-amz-request-payer"] = "requester"


def is_amazon(settings: S3Settings) -> bool:
    """Return whether the server is Amazon's own."""
    return settings.endpoint == f"https://{amazon_name(settings.region)}"
