"""Write to a branch of a repository: all changes of a command are one commit, or none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ncz.errors import UrlError, ZmapError, shorten
from ncz.zmap.fragment import ICECHUNK_KEYS
from ncz.zmap.icechunk.library import library_errors, load_library
from ncz.zmap.icechunk.storage import storage_of
from ncz.zmap.location import Location
from ncz.zmap.reference.seals import MEMBER
from ncz.zmap.remote.opening import policy_of
from ncz.zmap.remote.waits import result_within

if TYPE_CHECKING:
    from icechunk import IcechunkStore, Repository, Session

_BRANCH = ICECHUNK_KEYS[0]

NO_PROPERTIES: Mapping[str, Any] = {}

MAIN = "main"
"""The branch that every repository has."""


class Transaction:
    """The changes of one branch, which others see when they are committed.

    Parameters
    ----------
    location
        The repository; its key ``icechunk.branch`` names the branch, by default "main".
    path
        Where a new repository on the disk is built; None for the one at the location.
    must_exist
        Whether the repository and the branch must exist.

    Attributes
    ----------
    url
        The name of the repository in messages.
    store
        The store of the session.
    is_new_repository, is_new_branch
        Whether the repository or the branch was created by this object.
    """

    def __init__(
        self, location: Location, path: str | None = None, *, must_exist: bool = False
    ) -> None:
        self.location = location
        self.url = location.address
        self.limit = 2 * policy_of(location).timeout
        self.library = load_library(self.url)
        self.branch = _branch_of(location)
        self._storage = (
            storage_of(self.library, location)
            if path is None
            else self.library.local_filesystem_storage(path)
        )
        self.is_new_repository = self.is_new_branch = False
        with self.errors(self.url):
            result_within(self.limit, lambda: self._open(must_exist))

    def _open(self, must_exist: bool) -> None:
        library = self.library
        if must_exist or library.Repository.exists(self._storage):
            self._repository: Repository = library.Repository.open(self._storage)
        else:
            self._repository = library.Repository.create(self._storage)
            self.is_new_repository = True
        branches = self._repository.list_branches()
        if self.branch not in branches:
            if must_exist:
                raise ZmapError(
                    f"the repository has no branch {self.branch}", self.url,
                    f"it has {shorten(', '.join(sorted(branches)), 200)}",
                )  # fmt: skip
            tip = self._repository.lookup_branch(MAIN)
            self._repository.create_branch(self.branch, tip)
            self.is_new_branch = True
        self._session: Session = self._repository.writable_session(self.branch)
        self.store: IcechunkStore = self._session.store

    @property
    def prefixes(self) -> dict[str, str | None]:
        """The names of the containers of virtual chunks, by the prefixes of their URLs."""
        found = self._repository.config.virtual_chunk_containers or {}
        return {prefix: getattr(one, "name", None) for prefix, one in found.items()}

    def add_containers(self, containers: list[Any]) -> None:
        """Add containers of virtual chunks, as the library describes them, to the repository."""

        def add() -> None:
            config = self._repository.config
            for container in containers:
                config.set_virtual_chunk_container(container)
            self.library.Repository.open(self._storage, config).save_config()

        if containers:
            with self.errors(self.url):
                result_within(self.limit, add)

    def replace_containers(self, containers: Mapping[str, Any]) -> None:
        """Replace containers of virtual chunks, by the prefixes of their URLs; others stay."""

        def change() -> None:
            config = self._repository.config
            known = {**(config.virtual_chunk_containers or {})}
            config.clear_virtual_chunk_containers()
            for prefix, container in known.items():
                config.set_virtual_chunk_container(containers.get(prefix, container))
            self.library.Repository.open(self._storage, config).save_config()

        with self.errors(self.url):
            result_within(self.limit, change)

    def commit(self, message: str, properties: Mapping[str, Any] = NO_PROPERTIES) -> str:
        """Commit the changes, if there are some; return the name of the snapshot that has them.

        `properties` are values of JSON that the snapshot keeps next to the version of ncz.

        Raises
        ------
        ZmapError
            If another writer has changed the branch since this transaction began. The branch stays
            as the other writer left it.
        """
        from ncz import __version__

        with self.errors(self.url):
            if not self._session.has_uncommitted_changes:  # which the library does not commit
                return str(self._session.snapshot_id)
            try:
                snapshot: str = self._session.commit(message, {MEMBER: __version__, **properties})
            except self.library.ConflictError as error:
                raise ZmapError(
                    f"another program changed the branch {self.branch} in the meantime", self.url,
                    "nothing was changed; run the same command again",
                ) from error  # fmt: skip
        return snapshot

    def abandon(self) -> None:
        """Remove the branch that this transaction created; changes were seen by nobody."""
        if self.is_new_branch and not self.is_new_repository:
            with self.errors(self.url):
                self._repository.delete_branch(self.branch)

    def errors(self, where: str) -> AbstractContextManager[None]:
        """Raise the library's errors as `ZmapError`; `where` names the object, for messages."""
        return library_errors(where, self.limit, "write")

    def close(self) -> None:
        """Close the store."""
        self.store.close()


def _branch_of(location: Location) -> str:
    """Return the branch that a location names; raise `UrlError` if it names a snapshot."""
    fixed = [key for key in ICECHUNK_KEYS if key != _BRANCH and key in location.options]
    if fixed:
        raise UrlError(
            "a snapshot of a repository cannot be changed", location.display,
            f"give a branch with {_BRANCH}, or omit {fixed[0]}",
        )  # fmt: skip
    return location.options.get(_BRANCH) or MAIN
