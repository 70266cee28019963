"""The history of a store that keeps old versions of itself."""

from __future__ import annotations

from ncz.record import record


@record(kw_only=True)
class StoredVersion:
    """A version of a store: its name, when it was written, and the change."""

    name: str
    time: str
    message: str


@record(kw_only=True)
class History:
    """The names of the branches and tags of a store, and its last versions, the newest first.

    `has_more` says whether there are older versions.
    """

    branches: tuple[str, ...]
    tags: tuple[str, ...]
    versions: tuple[StoredVersion, ...]
    has_more: bool = False
