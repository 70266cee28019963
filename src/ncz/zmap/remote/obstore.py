"""The objects of a bucket of S3, Google or Azure, through obstore.

obstore is much faster than s3fs and starts immediately. For S3, s3fs, which takes long to import,
does what `ncz.zmap.remote.obstore_limits.LIMITS` lists.
"""

from __future__ import annotations

import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, TypeVar

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.key import clamp, is_document
from ncz.zmap.location import Location
from ncz.zmap.remote.checksums import WrongBytesError, matches_etag
from ncz.zmap.remote.credentials import S3Settings, find_settings
from ncz.zmap.remote.fsspec import connect as connect_files
from ncz.zmap.remote.object_store import ListingPage, ObjectStore
from ncz.zmap.remote.obstore_errors import is_of_obstore, own_error
from ncz.zmap.remote.obstore_limits import UncertainListingError, makes, repeats, serves
from ncz.zmap.remote.pace import Pace
from ncz.zmap.remote.request_errors import NoAnswerError, is_timeout, server_error
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.s3_errors import storage_error
from ncz.zmap.remote.s3fs import S3Objects
from ncz.zmap.remote.versions import Version, Versions
from ncz.zmap.remote.waits import result_of, result_within

_T = TypeVar("_T")

_AFTER = "\0after\0"
_MOST_STREAMS = 8
"""The number of listings that can be continued without asking the server to skip names."""

_MOST_REPEATED = 3
"""Limit of the repeated requests of a kind; above it, s3fs makes all of them."""

_GOOGLE = (
    r"GOOGLE_(?:SERVICE_ACCOUNT|APPLICATION_CREDENTIALS|BEARER_TOKEN|SKIP_SIGNATURE).*",
    "~/.config/gcloud/application_default_credentials.json",
    ("GOOGLE_BASE_URL",),
)
_AZURE = (
    r"AZURE_(?:.*(?:KEY|TOKEN|CLIENT_ID|FILE|CLI|_ENDPOINT|SKIP_SIGNATURE)|STORAGE_USE_EMULATOR)",
    "",
    ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"),
)
"""The variables that give obstore credentials, or permit it to ask the metadata service; the file
that may contain credentials; and the variables that name the server."""


def s3_objects(
    settings: S3Settings,
    retry_policy: RetryPolicy,
    environment: Mapping[str, str] | None = None,
    *,
    checks: bool = True,
) -> ObjectStore:
    """Return the objects of a bucket, through the fastest library that is installed and suitable.

    Parameters
    ----------
    settings
        The server, the bucket and the credentials.
    retry_policy
        Timeouts and retries.
    environment
        The environment variables; by default the process's own.
    checks
        Whether bytes are compared with the checksums that the server states.
    """
    env = os.environ if environment is None else environment
    if serves(settings, env):
        versions = Versions(is_used=checks)
        try:
            return ObstoreObjects(
                _s3_store(settings, retry_policy),
                settings.url,
                retry_policy,
                versions,
                settings,
                lambda: S3Objects(settings, retry_policy, checks=checks, versions=versions),
                checks=checks,
            )
        except ImportError:  # not installed
            pass
        except Exception as error:
            # It also reads the environment, and may reject it; its errors share only Exception.
            if not is_of_obstore(error):
                raise
    return S3Objects(settings, retry_policy, checks=checks)


def connect_s3(
    location: Location, retry_policy: RetryPolicy, _: Callable[[str], None]
) -> tuple[ObjectStore, str]:
    """Connect to a bucket of S3; see `ncz.zmap.kinds.TRANSPORTS`."""
    settings = find_settings(location)
    return s3_objects(settings, retry_policy, checks=location.checks), settings.prefix


def connect_cloud(
    location: Location, retry_policy: RetryPolicy, check_redirect: Callable[[str], None]
) -> tuple[ObjectStore, str]:
    """Connect to a bucket of Google's or a container of Azure; see `connect_s3`.

    fsspec does so if the URL has options for it, or if obstore rejects the URL or the environment.
    """
    scheme, _, rest = location.path.partition("://")
    bucket, _, root = rest.partition("/")
    if not any(key.startswith("fsspec.") for key in location.options):
        url = f"{scheme}://{bucket}"
        versions = Versions(is_used=location.checks)
        try:
            store = _cloud_store(url, retry_policy, os.environ)
            return ObstoreObjects(store, url, retry_policy, versions), root.strip("/")
        except ImportError:  # not installed
            pass
        except Exception as rejected:
            if not is_of_obstore(rejected):
                raise
            try:
                return connect_files(location, retry_policy, check_redirect)
            except ZmapError as error:
                if not url.startswith("gs:"):
                    error.hint = f"set AZURE_STORAGE_ACCOUNT_NAME, or {error.hint}"
                raise
    return connect_files(location, retry_policy, check_redirect)


def _s3_store(settings: S3Settings, retry_policy: RetryPolicy) -> Any:
    from obstore.store import S3Store

    credentials: Any = {
        "access_key_id": settings.access_key,
        "secret_access_key": settings.secret_key,
        "token": settings.session_token,
        "expires_at": None,
    }
    return S3Store(
        settings.bucket,
        # Not in `config`, because obstore takes missing settings from the environment.
        credential_provider=None if settings.anonymous else lambda: credentials,
        config={
            "endpoint": settings.endpoint,
            "region": settings.region,
            "skip_signature": settings.anonymous,
            "virtual_hosted_style_request": False,
            "request_payer": settings.requester_pays,
        },
        client_options=_client(settings.endpoint, retry_policy),
        retry_config={"max_retries": 0},
    )


def _cloud_store(url: str, retry_policy: RetryPolicy, env: Mapping[str, str]) -> Any:
    """Return the bucket of a URL; without credentials in the environment, reads are anonymous.

    obstore would ask the metadata service of the machine, and others wait for it without success.
    """
    from obstore.store import from_url

    pattern, file, endpoints = _GOOGLE if url.startswith("gs:") else _AZURE
    endpoint = next((env[name] for name in endpoints if env.get(name)), "")
    has_credentials = os.path.isfile(os.path.expanduser(file)) or any(
        value and name not in endpoints and re.fullmatch(pattern, name)
        for name, value in env.items()
    )
    return from_url(
        url,
        config={} if has_credentials else {"skip_signature": True},
        client_options=_client(endpoint, retry_policy),
        retry_config={"max_retries": 0},
    )


def _client(endpoint: str, retry_policy: RetryPolicy) -> Any:
    return {
        "allow_http": endpoint.startswith("http://"),
        "connect_timeout": timedelta(seconds=retry_policy.connect),
        "read_timeout": timedelta(seconds=retry_policy.read),
        "timeout": timedelta(days=1),
    }


class ObstoreObjects(ObjectStore):
    """The objects of a bucket, through obstore.

    obstore removes a slash at the end of a name, so that an object that represents a folder looks
    like an empty object, and fails for names that it regards as invalid. s3fs lists such parts, and
    continues after the last name.

    Parameters
    ----------
    store
        The bucket as an object of obstore.
    url
        The URL of the bucket.
    retry_policy
        Timeouts; it makes the retries of no request.
    versions
        The versions of objects, which are shared with `connect_other`.
    settings
        The server and the credentials of a bucket of S3.
    connect_other
        Connects to the same bucket through s3fs, for requests that obstore cannot make.
    checks
        Whether bytes are compared with an ETag that may be an MD5; only s3fs knows whether it is.
    """

    most_deleted = S3Objects.most_deleted

    def __init__(
        self,
        store: Any,
        url: str,
        retry_policy: RetryPolicy,
        versions: Versions,
        settings: S3Settings | None = None,
        connect_other: Callable[[], S3Objects] | None = None,
        *,
        checks: bool = False,
    ) -> None:
        import obstore

        self._url = url
        self.retry_policy = retry_policy
        self._settings = settings
        self._connect_other = connect_other
        self._other: S3Objects | None = None
        self._checks = checks
        self.versions = versions
        self._lock = threading.Lock()
        self._repeated = Counter[str]()
        self._pool = ThreadPoolExecutor(1, "ncz-obstore")
        self._obstore = obstore
        self._store = store
        self._streams: dict[str, Iterator[Sequence[Mapping[str, Any]]]] = {}
        if connect_other is None:
            self.most_deleted = 100  # one by one, on Google

    def address(self, path: str) -> str:
        """Return ``s3://BUCKET/KEY``, or with an alias; see `ObjectStore.address`."""
        return f"{self._url}/{path}"

    def get(self, path: str, limit: int) -> bytes | None:
        """Read a whole object; see `ObjectStore.get`."""

        def fast() -> bytes:
            answer = self._obstore.get(self._store, path)
            value = self._body(answer, limit + 1)
            if len(value) <= limit:
                self._check(value, answer.meta["e_tag"])
            if is_document(path):
                self.versions.note(path, _version(answer.meta))
            return value

        return self._try("read", path, fast, lambda other: other.get(path, limit))

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `ObjectStore.get_range`."""

        def part(span: object) -> bytes:
            answer = self._obstore.get(self._store, path, options={"range": span})
            self.versions.require(path, _version(answer.meta))
            return self._body(answer, count)

        def fast() -> bytes:
            try:
                return part({"suffix": -start} if start < 0 else (start, start + count))
            except Exception as error:
                if self._connect_other:
                    if getattr(own_error(error, is_s3=True), "status", 0) == 416:
                        return b""  # past the end
                    raise
                if is_timeout(own_error(error, is_s3=False)) or not is_of_obstore(error):
                    raise
                # Azure has no parts that count from the end, and none has parts past the end.
                size = self._obstore.head(self._store, path)["size"]
                first, left = clamp(size, start, count)
                if left and start >= 0:
                    raise
                return part((first, first + left)) if left else b""

        return self._try(
            "read a part", path, fast, lambda other: other.get_range(path, start, count)
        )

    def version(self, path: str) -> Version | None:
        """Return the version of an object; None if it does not exist."""

        def fast() -> Version:
            return _version(self._obstore.head(self._store, path))

        return self._try("look", path, fast, lambda other: other.version(path))

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""

        def fast() -> None:
            self.versions.forget(path)
            answer = self._obstore.put(self._store, path, value, use_multipart=False)
            self._check(value, answer["e_tag"])

        self._try("write", path, fast, lambda other: other.put(path, value), missing=False)

    def put_new(self, path: str, value: bytes) -> bool:
        """Create an object; see `ObjectStore.put_new`."""

        def fast() -> bool:
            self.versions.forget(path)
            try:
                self._obstore.put(self._store, path, value, use_multipart=False, mode="create")
            except self._obstore.exceptions.AlreadyExistsError:
                return False
            return True

        def through(other: S3Objects) -> bool:
            return other.put_new(path, value)

        return bool(self._try("create", path, fast, through, missing=False))

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> ListingPage:
        """List objects and folders; see `ObjectStore.page`."""
        after = token.removeprefix(_AFTER) if token and token.startswith(_AFTER) else None

        def through(other: S3Objects) -> ListingPage:
            rest = None if after else token
            return other.page(folder, deep=deep, token=rest, most=most, after=after)

        def fast() -> ListingPage:
            if deep:
                return self._in_time(lambda: self._deep_page(folder, token or "", after, most))
            level = self._in_time(lambda: self._obstore.list_with_delimiter(self._store, folder))
            folders = [f"{path}/" for path in level["common_prefixes"]]
            return self._page(folder, level["objects"], folders)

        if token and not after:  # the token is one of s3fs
            return through(self._through_other())
        page = self._try("list", folder.rstrip("/"), fast, through)
        return page or ListingPage([])  # the container does not exist

    def _deep_page(self, folder: str, token: str, after: str | None, most: int) -> ListingPage:
        with self._lock:
            stream = self._streams.pop(token, None)
        if stream is None:
            named = {"offset": after} if after else {}
            stream = iter(self._obstore.list(self._store, folder, chunk_size=most, **named))
        found: Sequence[Mapping[str, Any]] = next(stream, ())
        if len(found) < most:
            return self._page(folder, found)
        token = f"{_AFTER}{found[-1]['path']}"
        with self._lock:
            while len(self._streams) >= _MOST_STREAMS:
                del self._streams[next(iter(self._streams))]
            self._streams[token] = stream
        return self._page(folder, found, token=token)

    def _page(
        self,
        folder: str,
        found: Sequence[Mapping[str, Any]],
        folders: Sequence[str] = (),
        token: str | None = None,
    ) -> ListingPage:
        sizes = {entry["path"]: entry["size"] for entry in found}
        times = {entry["path"]: entry["last_modified"].timestamp() for entry in found}
        if 0 in sizes.values():
            sizes = {folder if f"{path}/" == folder else path: sizes[path] for path in sizes}
            empty = [path for path, size in sizes.items() if not size and path != folder]
            if empty and self._connect_other:
                raise UncertainListingError
            for path in empty:
                try:  # an object whose name ends in a slash is not found without it
                    self._obstore.head(self._store, path)
                except FileNotFoundError:
                    del sizes[path]
        modified = [times.get(path) or times[path.rstrip("/")] for path in sizes]
        return ListingPage(list(sizes), folders, token, list(sizes.values()), modified)

    def delete(self, paths: Sequence[str]) -> None:
        """Delete up to `most_deleted` objects; missing ones are ignored."""

        def fast() -> None:
            try:
                self._in_time(lambda: self._obstore.delete(self._store, list(paths)))
            except FileNotFoundError:  # Google stops at an object that is missing
                if self._connect_other or len(paths) == 1:
                    raise
                for path in paths:
                    self.delete([path])

        odd = [path for path in paths if not makes("delete", path)]
        self._try("delete", (odd or paths)[0], fast, lambda other: other.delete(paths))

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """Return the error for a response; see `ObjectStore.storage_error`."""
        if self._settings:
            return storage_error(error, location, action, self._settings, self.retry_policy)
        if isinstance(error, FileNotFoundError):
            return StoreMissing(
                f"cannot {action}: {self._url} does not exist", location,
                "check the name, or create the bucket first",
            )  # fmt: skip
        return server_error(
            error, location, action, self._url, self.retry_policy,
            f"set the variables for credentials of {self._url.partition('://')[0]}:",
        )  # fmt: skip

    def close(self) -> None:
        """Close the connections."""
        self._pool.shutdown(wait=False)
        if self._other is not None:
            self._other.close()

    def _in_time(self, call: Callable[[], _T]) -> _T:
        """Limit the time for answers that arrive slowly, or in any number of empty pages."""
        try:
            return result_within(self.retry_policy.read, call)
        except TimeoutError as error:
            raise NoAnswerError from error

    def _body(self, answer: Any, most: int) -> bytes:
        """Return the body of a response up to a limit; its pieces are counted as they arrive."""
        pace = Pace(self.retry_policy)
        parts = []
        left = most
        for part in answer.stream(min_chunk_size=1):
            pace.count_bytes(len(part))
            parts.append(bytes(part)[:left])
            left -= len(parts[-1])
            if not left:
                break
        return b"".join(parts)

    def _check(self, value: bytes, etag: str | None) -> None:
        """Raise `WrongBytesError` if the ETag is the MD5 of other bytes.

        It may not be an MD5 at all, which only s3fs reports.
        """
        if self._checks and etag is not None and not matches_etag(value, etag):
            raise WrongBytesError("ETag")

    def _through_other(self) -> S3Objects:
        assert self._connect_other is not None
        with self._lock:
            self._other = self._other or self._connect_other()
            return self._other

    def _call(self, call: Callable[[], _T]) -> _T:
        """Call obstore; the main thread must handle signals, which it cannot do within obstore."""
        here = threading.current_thread() is not threading.main_thread()
        return call() if here else result_of(self._pool.submit(call))

    def _try(
        self,
        action: str,
        path: str,
        fast: Callable[[], _T],
        through: Callable[[S3Objects], _T | None],
        *,
        missing: bool = True,
    ) -> _T | None:
        """Return the result of obstore, or of s3fs for requests that obstore cannot make.

        With `missing`, None is the result for an object that does not exist.
        """
        is_other = self._connect_other is not None
        if is_other and (self._repeated[action] >= _MOST_REPEATED or not makes(action, path)):
            return through(self._through_other())
        try:
            return self._call(fast)
        except Exception as error:
            known = own_error(error, is_s3=is_other)
            if missing and isinstance(known, FileNotFoundError):
                return None
            if not (is_other and repeats(known)):
                if known is error:
                    raise
                raise known from error
            result = through(self._through_other())
            if isinstance(known, WrongBytesError):
                self._checks = False  # s3fs found nothing wrong, so this ETag is not an MD5
            elif not isinstance(known, UncertainListingError):
                self._repeated[action] += 1
            return result


def _version(meta: Mapping[str, Any]) -> Version:
    """Return the version of an object; its tag is the ETag as the server sends it."""
    return Version(meta["e_tag"], meta["last_modified"].isoformat(), int(meta["size"]))
