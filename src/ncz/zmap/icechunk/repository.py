"""Open one snapshot of an Icechunk repository, on the disk or on S3."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ncz.errors import NczError, UrlError, ZmapError, shorten
from ncz.zmap.fragment import ICECHUNK_KEYS
from ncz.zmap.icechunk.keys import find_keys
from ncz.zmap.location import Location
from ncz.zmap.remote.opening import policy_of
from ncz.zmap.remote.s3.credentials import find_settings

if TYPE_CHECKING:
    from icechunk import IcechunkStore, Repository, Session

    from ncz.zmap.remote.s3.credentials import S3Settings

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
    """

    def __init__(self, location: Location) -> None:
        self.location = location
        self.url = location.address
        self._version = _chosen(location)
        self._library = load_library(self.url)
        self._refused: Mapping[str, NczError] = {}
        with self.errors(self.url):
            self._repository: Repository = self._library.Repository.open(self._storage())
        self._read()

    def _read(self) -> None:
        repository = self._repository
        ((what, name),) = self._version.items()
        with self.errors(self.url):
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
            return frozenset(self._session.all_virtual_chunk_locations())

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
                keys = find_keys(settings)
                credentials[prefix] = library.s3_credentials(
                    access_key_id=keys and keys.access, secret_access_key=keys and keys.secret,
                    session_token=keys and keys.token, anonymous=keys is None or None,
                )  # fmt: skip
            config.set_virtual_chunk_container(
                library.VirtualChunkContainer(prefix, self._container(prefix, settings))
            )
        self._refused = refused
        with self.errors(self.url):
            self._repository = library.Repository.open(
                self._storage(), config, library.containers_credentials(credentials)
            )
        self._read()

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
        if not {"s3", "gs3"} & location.modes:
            raise ZmapError(
                "an Icechunk repository can be read from the disk and from S3 only", self.url,
                "copy the repository to a disk",
            )  # fmt: skip
        settings = find_settings(location)
        keys = find_keys(settings)
        return library.s3_storage(
            bucket=settings.bucket, prefix=settings.prefix, region=settings.region,
            endpoint_url=settings.endpoint, allow_http=settings.endpoint.startswith("http:"),
            access_key_id=keys and keys.access, secret_access_key=keys and keys.secret,
            session_token=keys and keys.token, anonymous=keys is None,
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


def _chosen(location: Location) -> dict[str, str]:
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
