"""Icechunk repositories: one snapshot as a store, and the files of its virtual chunks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from ncz.errors import NczError, UrlError, ZmapError, command, shorten
from ncz.record import replace
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.key import (
    LARGEST_DOCUMENT,
    ZARR_JSON,
    SortedKeys,
    check_inside,
    clamp,
    join_key,
    order,
    too_large,
)
from ncz.zmap.location import ICECHUNK_KEYS, Location
from ncz.zmap.opening import Claim, Opener
from ncz.zmap.permissions import RemotePlace, parse_remote
from ncz.zmap.reference.targets import Targets
from ncz.zmap.remote.credentials import S3Settings, find_settings
from ncz.zmap.remote.opening import policy_of
from ncz.zmap.remote.prefetch import Prefetch
from ncz.zmap.remote.requests import result_of, result_within

if TYPE_CHECKING:
    from icechunk import IcechunkStore, Repository, Session

# The keys for S3 that the icechunk library is given.


def with_keys(settings: S3Settings) -> S3Settings:
    """Return the settings of a server with the keys of the user, or as those of anonymous requests.

    Keys that come from elsewhere, such as those of a role, are asked for once.
    """
    if settings.anonymous or (settings.access_key and settings.secret_key):
        return settings
    from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]
    from botocore.session import Session  # type: ignore[import-untyped]

    try:
        found = Session(profile=settings.profile).get_credentials()
        frozen = found and found.get_frozen_credentials()
    except BotoCoreError as error:
        raise ZmapError(f"no credentials were found: {error}", settings.endpoint) from error
    if not frozen:
        return replace(settings, anonymous=True)
    return replace(
        settings,
        access_key=frozen.access_key,
        secret_key=frozen.secret_key,
        session_token=frozen.token,
    )


# Open one snapshot of an Icechunk repository, on the disk or on S3.

INSTALL = "pip install 'ncz[icechunk]'"

_MARKS = ("x ", "|-> ", "`-> ")
"""What the lines begin with that have the causes in a message of the library."""


class Snapshot:
    """A snapshot that can be read; see `open_icechunk`.

    Attributes
    ----------
    location
        Where the repository is.
    url
        Its name in messages.
    store
        The store of the snapshot.
    limit
        The time in seconds that the library may take for an answer, which it does not limit:
        damaged files can keep it busy for ever.
    """

    def __init__(self, location: Location) -> None:
        self.location = location
        self.url = location.address
        self.limit = 2 * policy_of(location).timeout
        self._version = _version_of(location)
        self._library = load_library(self.url)
        self._refused: Mapping[str, NczError] = {}
        storage = self._storage()
        with self.errors(self.url):
            self._repository: Repository = result_within(
                self.limit, lambda: self._library.Repository.open(storage)
            )
            result_within(self.limit, self._read)

    def _read(self) -> None:
        repository = self._repository
        ((what, name),) = self._version.items()
        try:
            self._session: Session = repository.readonly_session(**self._version)
        except self._library.IcechunkError as error:
            known = {"branch": repository.list_branches, "tag": repository.list_tags}
            names = known[what]() if what in known else {name}
            if name in names:
                raise
            raise ZmapError(
                f"the repository has no {what} {name}", self.url,
                f"it has {shorten(', '.join(sorted(names)) or 'none', 200)}",
            ) from error  # fmt: skip
        # Without its document, a snapshot would look empty.
        repository.lookup_snapshot(self._session.snapshot_id)
        self.store: IcechunkStore = self._session.store

    @property
    def containers(self) -> tuple[str, ...]:
        """The prefixes of the URLs of virtual chunks, longest first."""
        found = self._repository.config.virtual_chunk_containers or {}
        return tuple(sorted(found, key=len, reverse=True))

    def virtual_urls(self) -> frozenset[str]:
        """Return the URLs of the files of all virtual chunks."""
        with self.errors(self.url):
            return result_within(
                self.limit, lambda: frozenset(self._session.all_virtual_chunk_locations())
            )

    def permit(
        self, permitted: Mapping[str, S3Settings | None], refused: Mapping[str, NczError]
    ) -> None:
        """Read the virtual chunks of some containers too.

        The servers that the repository itself names for them are not used: it may come from anyone,
        and credentials must go to servers of the user only.

        Parameters
        ----------
        permitted
            The server of each container on S3, and None for others, by the prefix of its URLs.
        refused
            The errors for chunks of other containers.
        """
        library = self._library
        config = self._repository.config
        credentials: dict[str, Any] = {}
        for prefix, settings in permitted.items():
            # A sentinel of icechunk 2; in earlier versions files have no credentials.
            credentials[prefix] = getattr(library.credentials, "LocalFileSystemAccess", None)
            if settings is not None:
                keys = with_keys(settings)
                credentials[prefix] = library.s3_credentials(
                    access_key_id=keys.access_key, secret_access_key=keys.secret_key,
                    session_token=keys.session_token, anonymous=keys.anonymous or None,
                )  # fmt: skip
            config.set_virtual_chunk_container(
                library.VirtualChunkContainer(prefix, self._container(prefix, settings))
            )
        self._refused = refused
        storage, known = self._storage(), library.containers_credentials(credentials)
        with self.errors(self.url):
            self._repository = result_within(
                self.limit, lambda: library.Repository.open(storage, config, known)
            )
            result_within(self.limit, self._read)

    def _container(self, prefix: str, settings: S3Settings | None) -> Any:
        library = self._library
        if settings is not None:
            return library.s3_store(
                region=settings.region, endpoint_url=settings.endpoint,
                allow_http=settings.endpoint.startswith("http:"),
                anonymous=settings.anonymous, s3_compatible=True,
                force_path_style=settings.path_style,
            )  # fmt: skip
        if prefix.startswith("file:"):
            return library.local_filesystem_store(prefix.removeprefix("file://"))
        return library.http_store()

    def _storage(self) -> Any:
        """Return the library's description of where the repository is."""
        library, location = self._library, self.location
        if location.kind != "remote":
            return library.local_filesystem_storage(os.path.abspath(location.path))
        if not location.is_s3:
            raise ZmapError(
                "an Icechunk repository can be read from the disk and from S3 only", self.url,
                "copy the repository to a disk",
            )  # fmt: skip
        settings = with_keys(find_settings(location))
        return library.s3_storage(
            bucket=settings.bucket, prefix=settings.prefix, region=settings.region,
            endpoint_url=settings.endpoint, allow_http=settings.endpoint.startswith("http:"),
            access_key_id=settings.access_key, secret_access_key=settings.secret_key,
            session_token=settings.session_token, anonymous=settings.anonymous,
            force_path_style=settings.path_style,
            network_stream_timeout_seconds=max(1, round(policy_of(location).read)),
        )  # fmt: skip

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    @contextlib.contextmanager
    def errors(self, where: str) -> Iterator[None]:
        """Raise the library's errors as `ZmapError`; `where` is what is read, for messages."""
        try:
            yield
        except NczError:
            raise
        except TimeoutError as error:
            raise ZmapError(
                f"Icechunk gives no answer within {self.limit:g} s", where,
                "the repository may be damaged; restore it from a copy",
            ) from error  # fmt: skip
        except Exception as error:  # the library also raises ValueError, and panics of Rust
            text = str(error)
            for prefix, refused in self._refused.items():
                if prefix in text:
                    raise ZmapError(refused.message, where, refused.hint) from error
            raise ZmapError(f"Icechunk cannot read this: {_reason(text)}", where) from error


def load_library(url: str) -> Any:
    """Import and return the library; raise `ZmapError` if it is not installed."""
    is_first = "icechunk" not in sys.modules
    try:
        import icechunk
    except ImportError as error:
        raise ZmapError(
            "this is an Icechunk repository, and the package icechunk is required to read it",
            url, INSTALL,
        ) from error  # fmt: skip
    if is_first and "ICECHUNK_LOG" not in os.environ:
        icechunk.set_logs_filter("off")  # it warns of commits, and errors are raised too
    return icechunk


def _version_of(location: Location) -> dict[str, str]:
    """Return the branch, the tag or the snapshot that a location names, as the library names it."""
    names = dict(zip(ICECHUNK_KEYS, ("branch", "tag", "snapshot_id"), strict=True))
    found = {names[key]: value for key, value in location.options.items() if key in names}
    if len(found) > 1:
        raise UrlError(
            "the URL names more than one snapshot", location.display,
            f"give only one of {', '.join(ICECHUNK_KEYS)}",
        )  # fmt: skip
    if "" in found.values():
        raise UrlError("the name of the snapshot is empty", location.display)
    return found or {"branch": "main"}


def _reason(error: str) -> str:
    """Return what a message of the library says, which takes many lines, on one."""
    reasons: list[str] = []
    for line in error.splitlines():
        text = line.strip()
        mark = next((mark for mark in _MARKS if text.startswith(mark)), None)
        reason = text.removeprefix(mark or "")
        if mark is not None and not any(reason in known for known in reasons):
            reasons.append(reason)
    return ": ".join(reasons[:2]) or error.strip().partition("\n")[0]


# Decide which virtual chunks of a repository may be read.
#
# A repository may come from anyone, as a reference set may, so that the same policy applies to the
# files to which both lead: see `ncz.zmap.permissions`. The library permits whole containers, which
# are prefixes of URLs. A bucket or a folder of it is permitted as such; a folder of the disk is
# permitted if all files are that its chunks are in, because links and hidden files may be in it.


def permit_virtual_chunks(snapshot: Snapshot) -> None:
    """Let a snapshot read the virtual chunks that it may lead to.

    The first chunk of another container raises the error for it when it is read.
    """
    containers = snapshot.containers
    if not containers:
        return
    targets = Targets(snapshot.location, snapshot.url, what="repository")
    permitted: dict[str, S3Settings | None] = {}
    refused: dict[str, NczError] = {}
    local: list[str] = []
    for prefix in containers:
        try:
            if parse_remote(prefix) is None:
                local.append(prefix)
            else:
                permitted[prefix] = _server(prefix, targets, snapshot.url)
        except NczError as error:
            refused[prefix] = error
    for url in snapshot.virtual_urls() if local else ():
        prefix = next((prefix for prefix in containers if url.startswith(prefix)), "")
        if prefix in local and prefix not in refused:
            try:
                targets.place(url, snapshot.url)
            except NczError as error:
                refused[prefix] = error
    permitted.update((prefix, None) for prefix in local if prefix not in refused)
    snapshot.permit(permitted, refused)


def _server(prefix: str, targets: Targets, url: str) -> S3Settings | None:
    """Return the server of a container on S3; raise `ZmapError` if it is not permitted."""
    place = targets.place(prefix.rstrip("/") + "/", url)
    assert isinstance(place, RemotePlace)
    return find_settings(targets.root(place)) if place.protocol in ("s3", "gs3") else None


# A snapshot of an Icechunk repository as a zmap.

_T = TypeVar("_T")

_CHUNK = re.compile(r"(?:(.*)/)?c(?:/\d+)*", re.DOTALL)
"""The keys of chunks, and the key of the array; the library rejects keys of other objects."""


class IcechunkZmap(Zmap):
    """A snapshot that can be read. All methods may be called from many threads."""

    is_distant = True
    numbers_chunks = True

    def __init__(self, snapshot: Snapshot) -> None:
        from fsspec.asyn import get_loop

        self._snapshot = snapshot
        self.url = snapshot.url
        self._loop: asyncio.AbstractEventLoop = get_loop()
        self._lock = threading.Lock()
        self._is_permitted = False
        self._ahead = Prefetch(self._start)
        self._closed = False

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        self._refuse_closed()
        with self._snapshot.errors(self.where(check_inside(key))):
            expected = self._ahead.take(key)
            data = expected[0] if expected else result_of(self._start(key, limit))
        if data is not None and len(data) > limit:
            raise too_large(self.where(key), limit)
        return data

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        size = self.size(key)
        first, count = clamp(size or 0, start, count)
        if size is None or not count:
            return None if size is None else b""
        self._permit(key)
        return self._wait(key, self._read(key, first, count))

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        return self._wait(key, self._size(key))

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        names = self._wait(prefix, _all(self._snapshot.store.list_dir(prefix)))
        return sorted({name.rstrip("/") for name in names}, key=order)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        if prefix and self.size(prefix) is not None:
            return iter((prefix,))
        below = f"{prefix}/" if prefix else ""
        keys = self._wait(prefix, _all(self._snapshot.store.list_prefix(below)))
        return SortedKeys(keys).walk("")

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Start to fetch objects that will be read; see `Zmap.expect`."""
        self._refuse_closed()
        self._ahead.expect(wanted)

    def close(self) -> None:
        """Close the store. Reading afterwards raises `ZmapError`."""
        self._closed = True
        self._snapshot.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ZmapError("the store is closed", location=self.url)

    def _wait(self, key: str, call: Coroutine[Any, Any, _T]) -> _T:
        """Return the result of a coroutine that reads the store."""
        try:
            self._refuse_closed()
            check_inside(key)
        except ZmapError:
            call.close()
            raise
        with self._snapshot.errors(self.where(key) if key else self.url):
            return result_of(self._begin(call))

    def _begin(self, call: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Start a coroutine, which raises `TimeoutError` if it takes too long."""
        limited = asyncio.wait_for(call, self._snapshot.limit)
        return asyncio.run_coroutine_threadsafe(limited, self._loop)

    def _start(self, key: str, limit: int) -> Future[bytes | None]:
        """Start to read an object, of which one byte more than `limit` is read at most."""
        self._permit(key)
        return self._begin(self._read_up_to(key, limit))

    def _permit(self, key: str) -> None:
        """Permit virtual chunks to be read, before the first chunk is."""
        if not self._is_permitted and _CHUNK.fullmatch(key):
            with self._lock:
                if not self._is_permitted:
                    permit_virtual_chunks(self._snapshot)
                    self._is_permitted = True

    async def _read_up_to(self, key: str, limit: int) -> bytes | None:
        size = await self._size(key)
        if size is None:
            return None
        return await self._read(key, 0, min(size, limit + 1)) if size else b""

    async def _read(self, key: str, first: int, count: int) -> bytes | None:
        from zarr.abc.store import RangeByteRequest
        from zarr.core.buffer import default_buffer_prototype

        part = RangeByteRequest(first, first + count)
        found = await self._snapshot.store.get(key, default_buffer_prototype(), part)
        return None if found is None else found.to_bytes()

    async def _size(self, key: str) -> int | None:
        store = self._snapshot.store
        chunk = _CHUNK.fullmatch(key)
        if not chunk and key.rpartition("/")[2] != ZARR_JSON:
            return None
        try:
            size = await store.getsize(key)
            # The library returns 0 for a missing chunk.
            return size if size or await store.exists(key) else None
        except (KeyError, FileNotFoundError):
            return None
        except Exception:
            if chunk and not await self._is_array(chunk[1] or ""):
                return None
            raise

    async def _is_array(self, key: str) -> bool:
        document = await self._read_up_to(join_key(key, ZARR_JSON), LARGEST_DOCUMENT)
        return b'"array"' in (document or b"")


async def _all(names: AsyncIterator[str]) -> list[str]:
    return [name async for name in names]


def open_icechunk(location: Location) -> Zmap:
    """Open the snapshot of a repository that a location names, or the one of its main branch.

    Raises
    ------
    UrlError
        If the location names several snapshots.
    ZmapError
        If the repository or the snapshot does not exist, or cannot be read.
    """
    return IcechunkZmap(Snapshot(location))


def _refuse_change(location: Location) -> WritableZmap:
    raise ZmapError(
        "an Icechunk repository can only be read", location.address,
        f"write a changed copy with {command('copy')}",
    )  # fmt: skip


def _create(location: Location, _: bool, __: Claim | None) -> AbstractContextManager[WritableZmap]:
    raise ZmapError(
        "an Icechunk repository cannot be written", location.address,
        "write a Zarr store, and import it with icechunk and zarr-python",
    )  # fmt: skip


ICECHUNK = Opener(open=open_icechunk, open_to_write=_refuse_change, create=_create)
"""The functions of Icechunk repositories."""
