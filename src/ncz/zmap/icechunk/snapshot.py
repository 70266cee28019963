"""Open one snapshot of an Icechunk repository."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ncz.errors import NczError, StoreMissing, UrlError, shorten
from ncz.zmap.fragment import ICECHUNK_KEYS, SEALS
from ncz.zmap.icechunk.containers import absolute_url
from ncz.zmap.icechunk.library import is_old, library_errors, load_library, newer_library_error
from ncz.zmap.icechunk.storage import has_root, storage_of, with_keys
from ncz.zmap.location import Location
from ncz.zmap.reference.seals import MEMBER, Seal, read_seals
from ncz.zmap.remote.credentials import S3Settings
from ncz.zmap.remote.opening import policy_of
from ncz.zmap.remote.waits import result_within

if TYPE_CHECKING:
    from icechunk import IcechunkStore, Repository, Session


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
        damaged files can keep it busy without end.
    """

    def __init__(self, location: Location) -> None:
        self.location = location
        self.url = location.address
        self.limit = 2 * policy_of(location).timeout
        self._version = _version_of(location)
        self._library = load_library(self.url)
        self._refused: Mapping[str, NczError] = {}
        self._storage = storage_of(self._library, location)
        with self.errors(self.url):
            self._repository: Repository = result_within(self.limit, self._open)
            result_within(self.limit, self._read)

    def _open(self) -> Repository:
        library = self._library
        try:
            repository: Repository = library.Repository.open(self._storage)
        except library.IcechunkError as error:
            if is_old(library) and has_root(self.location):
                what = "read a repository of format 2"
                raise newer_library_error(library, what, self.url) from error
            if _MISSING in str(error):
                raise StoreMissing(
                    "no Icechunk repository exists here", self.url, "check the name"
                ) from error
            raise
        return repository

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
            raise StoreMissing(
                f"the repository has no {what} {name}", self.url,
                f"it has {shorten(', '.join(sorted(names)) or 'none', 200)}",
            ) from error  # fmt: skip
        # Without its document, a snapshot would look empty.
        repository.lookup_snapshot(self._session.snapshot_id)
        self.store: IcechunkStore = self._session.store

    @property
    def repository(self) -> Repository:
        """The repository."""
        return self._repository

    @property
    def name(self) -> str:
        """The name of the snapshot."""
        return str(self._session.snapshot_id)

    @property
    def containers(self) -> tuple[str, ...]:
        """The prefixes of the URLs of virtual chunks, longest first."""
        found = self._repository.config.virtual_chunk_containers or {}
        return tuple(sorted(found, key=len, reverse=True))

    @property
    def virtual_kind(self) -> object:
        """The kind of virtual chunks, as the library names it."""
        return self._library.ChunkType.virtual

    @property
    def write_time(self) -> int:
        """The time when the snapshot was written, in nanoseconds since 1970."""
        with self.errors(self.url):
            found = result_within(self.limit, lambda: self._repository.lookup_snapshot(self.name))
        return int(found.written_at.timestamp() * 1e9)

    def seals(self) -> dict[str, Seal]:
        """Return the states that the files of virtual chunks had when ncz referred to them, by URL.

        Each snapshot keeps its own new chunks' sizes. None are returned if the location turns them
        off.
        """
        if self.location.options.get(SEALS) == "off":
            return {}
        with self.errors(self.url):
            return result_within(self.limit, self._read_seals)

    def _read_seals(self) -> dict[str, Seal]:
        known = self._repository.config.virtual_chunk_containers or {}
        named = {getattr(one, "name", None): prefix for prefix, one in known.items()}
        found: dict[str, Seal] = {}
        for one in self._repository.ancestry(snapshot_id=self.name):
            seals = read_seals(one.metadata) if MEMBER in one.metadata else {}
            for name, seal in seals.items():
                found.setdefault(absolute_url(name, named), seal)
        return found

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
            config.set_virtual_chunk_container(self._container(prefix, settings))
        self._refused = refused
        storage, known = self._storage, library.containers_credentials(credentials)
        with self.errors(self.url):
            self._repository = result_within(
                self.limit, lambda: library.Repository.open(storage, config, known)
            )
            result_within(self.limit, self._read)

    def _container(self, prefix: str, settings: S3Settings | None) -> Any:
        """Return a container for the library, with the name that relative chunks have for it."""
        library = self._library
        known = self._repository.config.virtual_chunk_containers or {}
        name = getattr(known.get(prefix), "name", None)
        named = {} if name is None else {"name": name}
        return library.VirtualChunkContainer(prefix, self._server(prefix, settings), **named)

    def _server(self, prefix: str, settings: S3Settings | None) -> Any:
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

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def errors(self, where: str) -> AbstractContextManager[None]:
        """Raise the library's errors as `ZmapError`; `where` names the object, for messages."""
        return library_errors(where, self.limit, "read", lambda: self._refused)


_MISSING = "the repository doesn't exist"
"""The library's message about it; icechunk 2 has an error class for it."""


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
