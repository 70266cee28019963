"""The objects of an S3 bucket, through obstore: many times as fast as s3fs, and started at once.

obstore (the extra ``ncz[fast]``) reads and writes objects with plain names, where the credentials
are known. The rest is for s3fs: lists and deletes, other names (which obstore's paths may spell
anew), and whatever obstore failed to do, so that errors and retries are as without it.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, TypeVar

from ncz.errors import ZmapError
from ncz.zmap.remote.errors import names_of
from ncz.zmap.remote.objects import ObjectStore, Page, RetryPolicy
from ncz.zmap.remote.s3.credentials import S3Settings
from ncz.zmap.remote.s3.s3fs import S3Objects

_T = TypeVar("_T")

LIBRARY = "NCZ_S3"
"""The environment variable that can forbid obstore, as s3fs."""

_PLAIN = re.compile(r"(?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_.-]+")
_TRUSTED = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE")  # in place of the system's certificates
_MOST_FAILURES = 3
"""After so many of one kind of request s3fs does it; some servers have answers of their own."""

_ANSWERS = frozenset({"PermissionDeniedError", "UnauthenticatedError"})
"""Errors that are no failures of the library."""


def s3_objects(
    settings: S3Settings, retry_policy: RetryPolicy, environment: Mapping[str, str] | None = None
) -> ObjectStore:
    """The objects of a bucket, by the fastest library that is here and can serve."""
    env = os.environ if environment is None else environment
    serves = (
        settings.path_style
        and (settings.anonymous or (settings.access_key and settings.secret_key))
        and (settings.endpoint.startswith("http:") or not any(env.get(name) for name in _TRUSTED))
    )
    if serves and env.get(LIBRARY) != "s3fs":
        # It is not installed, too old, or takes offence at the environment, which it reads too.
        with contextlib.suppress(Exception):
            return ObstoreObjects(settings, retry_policy)
    return S3Objects(settings, retry_policy)


class ObstoreObjects:
    """The objects of a bucket; what obstore cannot do is done by `S3Objects`, made when needed."""

    most_deleted = S3Objects.most_deleted
    serves_ranges = True

    def __init__(self, settings: S3Settings, retry_policy: RetryPolicy) -> None:
        import obstore
        from obstore.store import S3Store

        self._settings = settings
        self._retry_policy = retry_policy
        self._s3fs: S3Objects | None = None
        self._lock = threading.Lock()
        self._failures = Counter[str]()
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
            # Not by configuration: what that does not say is taken from the environment.
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

    def get(self, path: str) -> bytes | None:
        """The whole object."""

        def fast() -> bytes:
            value: bytes = self._obstore.get(self._store, path).bytes().to_bytes()
            return value

        return self._try("read", path, fast, lambda: self._slow().get(path))

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Part of an object."""

        def fast() -> bytes:
            span = {"suffix": -start} if start < 0 else (start, start + count)
            answer = self._obstore.get(self._store, path, options={"range": span})
            value: bytes = answer.bytes().to_bytes()
            return value[:count]

        return self._try(
            "read a part", path, fast, lambda: self._slow().get_range(path, start, count)
        )

    def size(self, path: str) -> int | None:
        """The object's size in bytes."""

        def fast() -> int:
            return int(self._obstore.head(self._store, path)["size"])

        return self._try("look", path, fast, lambda: self._slow().size(path))

    def put(self, path: str, value: bytes) -> None:
        """Create or replace an object."""

        def fast() -> None:
            self._obstore.put(self._store, path, value, use_multipart=False)

        self._try("write", path, fast, lambda: self._slow().put(path, value))

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """Up to 1,000 objects and folders."""
        return self._slow().page(folder, deep=deep, token=token, most=most)

    def delete(self, paths: Sequence[str]) -> None:
        """Remove up to 1,000 objects."""
        self._slow().delete(paths)

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """What S3's answer means."""
        return self._slow().storage_error(error, location, action)

    def close(self) -> None:
        """Give back the connections."""
        self._pool.shutdown(wait=False)
        if self._s3fs is not None:
            self._s3fs.close()

    def _slow(self) -> S3Objects:
        with self._lock:
            if self._s3fs is None:
                self._s3fs = S3Objects(self._settings, self._retry_policy)
            return self._s3fs

    def _try(
        self, action: str, path: str, fast: Callable[[], _T], slow: Callable[[], _T | None]
    ) -> _T | None:
        """The answer of obstore if it gives one that is sure, else that of s3fs."""
        if self._failures[action] >= _MOST_FAILURES or not _is_plain(path):
            return slow()
        try:
            # The main thread has to hear of signals, which it does not within obstore.
            here = threading.current_thread() is not threading.main_thread()
            return fast() if here else self._pool.submit(fast).result()
        except FileNotFoundError as error:
            if "<Code>NoSuchKey</Code>" in str(error):
                return None
        except Exception as error:
            self._failures[action] += not names_of(error) & _ANSWERS
        return slow()


def _is_plain(path: str) -> bool:
    return bool(_PLAIN.fullmatch(path)) and not {".", ".."} & set(path.split("/"))
