"""The objects of an S3 bucket, through obstore, which is much faster than s3fs and starts at once.

obstore makes the requests for objects with plain names if the credentials are known. s3fs, which
takes long to import, does the rest: it handles other names (which obstore may normalize), and
repeats every request that obstore could not complete, so that errors and retries are the same with
and without obstore.
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

from ncz.errors import ZmapError
from ncz.zmap.key import is_document
from ncz.zmap.remote.credentials import S3Settings
from ncz.zmap.remote.requests import (
    ObjectChangedError,
    ObjectStore,
    Pace,
    Page,
    RetryPolicy,
    SlowServerError,
    Version,
    Versions,
    WrongBytesError,
    matches_etag,
    names_of,
    result_of,
    result_within,
)
from ncz.zmap.remote.s3fs import S3Objects, is_amazon

# List the objects of a bucket with obstore, as far as its answer is certain.
#
# obstore removes a slash at the end of a name, so that an object that represents a folder looks
# like an empty object; and it fails for names that it regards as invalid. Such parts of a listing
# are for another library, which continues after the last name.

_AFTER = "\0after\0"
_MOST_STREAMS = 8
"""The number of listings that can be continued without asking the server to skip names."""


class UncertainListingError(Exception):
    """A part of a listing holds names that obstore may have changed."""


def last_name(token: str | None) -> str | None:
    """Return the name after which a listing continues, if its token comes from `ObstoreListing`."""
    return token.removeprefix(_AFTER) if token and token.startswith(_AFTER) else None


class ObstoreListing:
    """The listings of one bucket; `obstore` is the module, `store` its object for the bucket."""

    def __init__(self, obstore: Any, store: Any) -> None:
        self._obstore = obstore
        self._store = store
        self._streams: dict[str, Iterator[Sequence[Mapping[str, Any]]]] = {}
        self._lock = threading.Lock()

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """List objects and folders; see `ObjectStore.page`.

        Without `deep`, one page has all names of the folder.

        Raises
        ------
        UncertainListingError
            If obstore may have changed a name.
        """
        if not folder:  # a slash at the start of a name is removed too
            raise UncertainListingError
        if not deep:
            level = self._obstore.list_with_delimiter(self._store, folder)
            return _page(
                folder, level["objects"], [f"{path}/" for path in level["common_prefixes"]]
            )
        after = last_name(token)
        with self._lock:
            stream = self._streams.pop(token or "", None)
        if stream is None:
            named = {"offset": after} if after else {}
            stream = iter(self._obstore.list(self._store, folder, chunk_size=most, **named))
        found: Sequence[Mapping[str, Any]] = next(stream, ())
        if len(found) < most:
            return _page(folder, found)
        token = f"{_AFTER}{found[-1]['path']}"
        with self._lock:
            while len(self._streams) >= _MOST_STREAMS:
                del self._streams[next(iter(self._streams))]
            self._streams[token] = stream
        return _page(folder, found, token=token)


def _page(
    folder: str,
    found: Sequence[Mapping[str, Any]],
    folders: Sequence[str] = (),
    token: str | None = None,
) -> Page:
    paths = [entry["path"] for entry in found]
    sizes = [entry["size"] for entry in found]
    if 0 in sizes:
        paths = [folder if f"{path}/" == folder else path for path in paths]
        if any(not size and path != folder for path, size in zip(paths, sizes, strict=True)):
            raise UncertainListingError
    return Page(paths, folders, token, sizes)


_T = TypeVar("_T")

LIBRARY = "NCZ_S3"
"""The environment variable that disables obstore if it is ``s3fs``."""

_PLAIN = re.compile(r"(?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_.-]+")
_TRUSTED = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE")  # these replace the system's certificates
_MOST_FAILURES = 3
"""The number of failures after which s3fs makes all requests of a kind: some servers differ."""

_ANSWERS = frozenset({"PermissionDeniedError", "UnauthenticatedError"})
"""Errors that are valid responses, and not failures of the library."""


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
        The environment variables; those of the process if left out.
    checks
        Whether bytes are compared with the checksums that the server states.
    """
    env = os.environ if environment is None else environment
    serves = (
        settings.path_style
        and (settings.anonymous or (settings.access_key and settings.secret_key))
        and (not settings.session_token or is_amazon(settings))  # it sends it to where others lead
        and (settings.endpoint.startswith("http:") or not any(env.get(name) for name in _TRUSTED))
    )
    if serves and env.get(LIBRARY) != "s3fs":
        try:
            return ObstoreObjects(settings, retry_policy, checks=checks)
        except ImportError:  # not installed
            pass
        except Exception as error:
            # It also reads the environment, and may reject it; its errors share only Exception.
            if not type(error).__module__.startswith("obstore"):
                raise
    return S3Objects(settings, retry_policy, checks=checks)


class ObstoreObjects:
    """The objects of a bucket; `S3Objects`, created when needed, does what obstore cannot."""

    most_deleted = S3Objects.most_deleted
    serves_ranges = True

    def __init__(
        self, settings: S3Settings, retry_policy: RetryPolicy, *, checks: bool = True
    ) -> None:
        import obstore
        from obstore.store import S3Store

        self._settings = settings
        self._retry_policy = retry_policy
        self._states_checksums = self._checks = checks
        self.versions = Versions(is_used=checks)
        self._s3fs: S3Objects | None = None
        self._lock = threading.Lock()
        self._failures = Counter[str]()
        self._has_bucket = False  # not known yet
        self._pool = ThreadPoolExecutor(1, "ncz-s3")
        self._obstore = obstore
        credentials: Any = {
            "access_key_id": settings.access_key,
            "secret_access_key": settings.secret_key,
            "token": settings.session_token,
            "expires_at": None,
        }
        self._store = S3Store(
            settings.bucket,
            # Not in `config`, because obstore takes what is missing there from the environment.
            credential_provider=None if settings.anonymous else lambda: credentials,
            config={
                "endpoint": settings.endpoint,
                "region": settings.region,
                "skip_signature": settings.anonymous,
                "virtual_hosted_style_request": False,
            },
            client_options={
                "allow_http": settings.endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=retry_policy.connect),
                "read_timeout": timedelta(seconds=retry_policy.read),
                "timeout": timedelta(days=1),
            },
            retry_config={"max_retries": 0},
        )
        self._listing = ObstoreListing(obstore, self._store)

    def address(self, path: str) -> str:
        """Return ``s3://BUCKET/KEY``, or with an alias; see `ObjectStore.address`."""
        return f"{self._settings.url}/{path}"

    def get(self, path: str, limit: int) -> bytes | None:
        """Read a whole object; see `ObjectStore.get`."""

        def fast() -> bytes:
            answer = self._obstore.get(self._store, path)
            if answer.meta["size"] > limit:
                raise ValueError("the object is too large")  # s3fs reads it up to the limit
            value: bytes = self._body(answer)
            self._check(value, answer.meta["e_tag"])
            if is_document(path):
                self.versions.note(path, _version(answer.meta))
            return value

        return self._try("read", path, fast, lambda: self._slow().get(path, limit))

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `ObjectStore.get_range`."""

        def fast() -> bytes:
            span = {"suffix": -start} if start < 0 else (start, start + count)
            answer = self._obstore.get(self._store, path, options={"range": span})
            self.versions.require(path, _version(answer.meta))
            value: bytes = self._body(answer)
            return value[:count]

        return self._try(
            "read a part", path, fast, lambda: self._slow().get_range(path, start, count)
        )

    def size(self, path: str) -> int | None:
        """Return the size of an object in bytes; None if it does not exist."""
        version = self.version(path)
        return None if version is None else version.size

    def version(self, path: str) -> Version | None:
        """Return the version of an object; None if it does not exist."""

        def fast() -> Version:
            return _version(self._obstore.head(self._store, path))

        return self._try("look", path, fast, lambda: self._slow().version(path))

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""

        def fast() -> None:
            self.versions.forget(path)
            answer = self._obstore.put(self._store, path, value, use_multipart=False)
            self._check(value, answer["e_tag"])

        self._try("write", path, fast, lambda: self._slow().put(path, value))

    def put_new(self, path: str, value: bytes) -> bool:
        """Create an object; see `ObjectStore.put_new`."""
        return self._slow().put_new(path, value)

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """List objects and folders; see `ObjectStore.page`."""
        after = last_name(token)

        def slow() -> Page:
            rest = None if after else token
            return self._slow().page(folder, deep=deep, token=rest, most=most, after=after)

        if token and not after:  # the token is one of s3fs
            return slow()
        page = self._try(
            "list",
            folder.rstrip("/"),
            lambda: self._in_time(
                lambda: self._listing.page(folder, deep=deep, token=token, most=most)
            ),
            slow,
        )
        return slow() if page is None else page

    def delete(self, paths: Sequence[str]) -> None:
        """Delete up to 1,000 objects; missing ones are ignored."""
        if not all(map(_is_plain, paths)):
            self._slow().delete(paths)
            return
        self._try(
            "delete",
            paths[0],
            lambda: self._in_time(lambda: self._obstore.delete(self._store, list(paths))),
            lambda: self._slow().delete(paths),
        )

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """Return the error for a response of S3; see `ObjectStore.storage_error`."""
        return self._slow().storage_error(error, location, action)

    def close(self) -> None:
        """Close the connections."""
        self._pool.shutdown(wait=False)
        if self._s3fs is not None:
            self._s3fs.close()

    def _in_time(self, call: Callable[[], _T]) -> _T:
        """Limit the time for answers that arrive slowly, or in any number of empty pages."""
        return result_within(self._retry_policy.read, call)

    def _body(self, answer: Any) -> bytes:
        """Return the body of a response, whose pieces are counted as they arrive."""
        pace = Pace(self._retry_policy)
        parts = []
        for part in answer.stream(min_chunk_size=1):
            pace.received(len(part))
            parts.append(bytes(part))
        return b"".join(parts)

    def _check(self, value: bytes, etag: str | None) -> None:
        """Raise `WrongBytesError` if the ETag is the MD5 of other bytes.

        It may be no MD5 at all, which obstore does not tell; s3fs does.
        """
        if self._checks and etag is not None and not matches_etag(value, etag):
            raise WrongBytesError("ETag")

    def _slow(self) -> S3Objects:
        with self._lock:
            if self._s3fs is None:
                self._s3fs = S3Objects(
                    self._settings,
                    self._retry_policy,
                    checks=self._states_checksums,
                    versions=self.versions,
                )
            return self._s3fs

    def _try(
        self, action: str, path: str, fast: Callable[[], _T], slow: Callable[[], _T | None]
    ) -> _T | None:
        """Return the result of obstore if it is certain, and otherwise that of s3fs."""
        if self._failures[action] >= _MOST_FAILURES or not _is_plain(path):
            return slow()
        try:
            # The main thread must handle signals, which it cannot do within obstore.
            here = threading.current_thread() is not threading.main_thread()
            answer = fast() if here else result_of(self._pool.submit(fast))
            self._has_bucket = True
            return answer
        except FileNotFoundError as error:
            # A response to HEAD does not say whether the object or the bucket is missing.
            if "<Code>NoSuchKey</Code>" in str(error) or (action == "look" and self._has_bucket):
                return None
        except (ObjectChangedError, SlowServerError):
            raise
        except UncertainListingError:
            return slow()
        except Exception as error:
            if _is_late(error):  # another library need not wait as long again
                self._failures[action] = _MOST_FAILURES
                raise TimeoutError(f"{self._settings.endpoint} did not answer") from error
            if isinstance(error, WrongBytesError):
                result = slow()
                self._checks = False  # s3fs found nothing wrong, so this ETag is no MD5
                return result
            self._failures[action] += not names_of(error) & _ANSWERS
        return slow()


def _version(meta: Mapping[str, Any]) -> Version:
    """Return the version of an object; its tag is the ETag as the server sends it."""
    return Version(meta["e_tag"], size=int(meta["size"]))


def _is_late(error: Exception) -> bool:
    """Return whether an error is a timeout; that of obstore has no class of its own."""
    return isinstance(error, TimeoutError) or bool(
        re.search(r"\b(?:kind: Timeout|TimedOut)\b", str(error))
    )


def _is_plain(path: str) -> bool:
    return bool(_PLAIN.fullmatch(path)) and not {".", ".."} & set(path.split("/"))
