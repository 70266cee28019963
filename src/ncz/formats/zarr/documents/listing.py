"""Compare the list of a store with its documents, where listing costs next to nothing.

A document can hide a part of a store: an array without its document, a list of children that is
too short, or consolidated metadata that is out of date. Each difference is reported as a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.errors import (
    CONSOLIDATE,
    FormatError,
    Notice,
    Notify,
    ZmapError,
    either,
    list_names,
    option,
)
from ncz.formats.zarr.json import Json
from ncz.record import field, record
from ncz.zmap import Zmap
from ncz.zmap.key import ROOT_DOCUMENTS, check_inside, display, is_chunk_name, join_key

if TYPE_CHECKING:
    from ncz.formats.zarr.documents.document import ArrayDocument


_MOST_LISTED = 1000
"""Folders without a document that are searched for groups and arrays."""

_MOST_REQUESTED = 16
"""Requests to a server for listing folders without a document."""

_MOST_COMPARED = 1000
"""Nodes of a store whose documents are compared with consolidated metadata."""


@record
class ListingReport:
    """The objects that listing a store shows next to its documents.

    `documents` are the names of documents; every node has one of them.
    """

    zmap: Zmap
    documents: Sequence[str]
    notify: Notify
    has_own: bool
    """Whether nodes have documents in addition to consolidated metadata."""
    budget: list[int] = field(default_factory=lambda: [_MOST_REQUESTED])
    """The number of requests that may still be spent on listing a server for messages alone."""
    _last: dict[str, Sequence[str]] = field(default_factory=dict)
    """The names below the key that was listed last, because several reports need them."""

    def is_readable_name(self, name: str, location: str) -> bool:
        """Return whether a name can belong to a node; report one that leads out of the store."""
        try:
            check_inside(name or "/")  # a name, unlike a key, cannot be empty
        except ZmapError as error:
            text = f"{name!r}: {error.message}; left out"
            self.notify(Notice("object-left-out", text, location, lost=True))
            return False
        return True

    def is_hidden(self, key: str, name: str) -> bool:
        """Return whether a name in the group at `key` begins with a dot, and report a node of it.

        Only documents of Zarr V2 have such names.
        """
        if name in (".", ".."):
            return False
        path = join_key(key, name)
        if name not in ROOT_DOCUMENTS and self._names(path) and self._is_node(path):
            text = "readers of Zarr V2 skip names that begin with a dot; left out"
            location, hint = self.zmap.where(path), "rename its folder"
            self.notify(Notice("object-left-out", text, location, hint, lost=True))
        return True

    def report_orphan(self, key: str, *, is_group: bool = False) -> None:
        """Report the objects at `key`, which has no document of a group or an array.

        `is_group` is true if consolidated metadata have a document below it.
        """
        location = self.zmap.where(key)
        is_document = key.rpartition("/")[2] in ROOT_DOCUMENTS  # which listing a server shows too
        if is_group or (not is_document and self._holds_nodes(key)):
            text = "groups or arrays without the document of their group; left out"
            fix = either("ncz check --fix", "ncz.check(..., fix=True)")
            hint = f"create the document with {fix}"
            self.notify(Notice("group-missing", text, location, hint, lost=True))
            return
        names = self._names(key)
        if "c" in names:
            names = [*names, *self.zmap.names(join_key(key, "c"))]
        if any(is_chunk_name(name) for name in names):
            self._report_orphaned_chunks(location)

    def _holds_nodes(self, key: str) -> bool:
        """Return whether a group or an array is found below `key`, within a number of listings."""
        location = self.zmap.where(key)
        places = [key]
        for _ in range(_MOST_LISTED):
            if not places:
                return False
            place = places.pop()
            names = self._list_names(place)
            if place != key and any(name in self.documents for name in names):
                return True
            places += [
                join_key(place, name)
                for name in names
                if not name.startswith(".") and self.is_readable_name(name, location)
            ]
        return False

    def _list_names(self, key: str) -> Sequence[str]:
        """List the names directly below a key; none if too many requests would be spent on it."""
        if not self.zmap.lists_freely:
            if not self.zmap.can_list or not self.budget[0]:
                return ()
            self.budget[0] -= 1
        return self.zmap.names(key)

    def report_misplaced_chunks(self, key: str, document: ArrayDocument, zarr_format: int) -> None:
        """Report chunks of the array at `key` whose keys do not fit its metadata.

        They are looked for if the first chunk is missing, in a store that costs nothing to list.
        """
        if not self.zmap.lists_freely or self.zmap.numbers_chunks:
            return
        first = document.keys.key(key, (0,) * document.rank)
        if self.zmap.size(first) is not None:
            return
        from ncz.formats.zarr.documents.misplaced_chunks import (
            REPAIR,
            find_misplaced_chunk,
            misplaced_text,
        )

        name = find_misplaced_chunk(self.zmap, key, document)
        if name is not None:
            text = f"{misplaced_text(name, document)}; it is not read"
            location = self.zmap.where(join_key(key, self.documents[0]))
            hint = REPAIR[zarr_format]
            self.notify(Notice("chunk-misplaced", text, location, hint, lost=True))

    def report_chunks(
        self, key: str, names: Sequence[str] | None, node_names: Collection[str]
    ) -> None:
        """Report chunks directly below the group at `key` whose array has no document.

        Parameters
        ----------
        names
            The names below the group; None if they were not listed.
        node_names
            The names of its groups and arrays.
        """
        if names is None:
            names = self._names(key)
        chunks = (name for name in names if is_chunk_name(name) and name not in node_names)
        # A folder is reported as the child that it could be.
        if any(self.zmap.size(join_key(key, name)) is not None for name in chunks):
            self._report_orphaned_chunks(self.zmap.where(key))

    def report_below_array(self) -> None:
        """Report the nodes below a root that is an array, which has no children."""
        text = "below an array, which cannot have groups or arrays; left out"
        for name, path in self._others("", self.documents):
            if not is_chunk_name(name) and self._is_node(path):
                location, hint = self.zmap.where(path), "restore the document of the root"
                self.notify(Notice("object-left-out", text, location, hint, lost=True))

    def report_missing(self, key: str) -> None:
        """Report a node at `key` that its group lists, and that has no document."""
        text = "listed by its group, but missing in the store"
        self.notify(Notice("object-missing", text, self.zmap.where(key), lost=True))

    def report_unlisted_nodes(self, key: str, listed: Collection[str]) -> None:
        """Report the nodes of the group at `key` that are not `listed` by its annotation."""
        for name, path in self._others(key, listed):
            if self._is_node(path):
                hint = f"add {name} to the annotation of the group"
                text = "not listed by its group; left out"
                self.notify(Notice("object-unlisted", text, self.zmap.where(path), hint, lost=True))
            else:
                self.report_orphan(path)

    def report_stale_names(self, key: str, consolidated_names: Collection[str]) -> None:
        """Report the children of the group at `key` that are either consolidated or in the store.

        `consolidated_names` has the names of the children in the consolidated metadata.
        """
        if not self.zmap.lists_freely:
            return
        present = set(self._names(key))
        gone = [join_key(key, name) for name in consolidated_names if name not in present]
        if self.has_own:
            _report_stale(self.zmap, "missing in the store", gone, self.notify)
        added = []
        for _, path in self._others(key, consolidated_names):
            if self._is_node(path):
                added.append(path)
            else:
                self.report_orphan(path)
        _report_stale(self.zmap, "missing in the consolidated metadata", added, self.notify)

    def _names(self, key: str) -> Sequence[str]:
        """List the names directly below a key; none if that would take a request to a server."""
        if not self.zmap.lists_freely:
            return ()
        if key not in self._last:
            self._last.clear()
            self._last[key] = self.zmap.names(key)
        return self._last[key]

    def _report_orphaned_chunks(self, location: str) -> None:
        text = "chunks without the document of their array; left out"
        hint = "restore the document, or remove the chunks"
        self.notify(Notice("object-left-out", text, location, hint, lost=True))

    def _is_node(self, path: str) -> bool:
        return any(self.zmap.size(join_key(path, each)) is not None for each in self.documents)

    def _others(self, key: str, excluded: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the name and the key of all in a group but documents and excluded names."""
        names = set(excluded)
        for name in self._names(key):
            if name not in names and not name.startswith("."):
                yield name, join_key(key, name)


def report_stale_documents(
    zmap: Zmap,
    consolidated: Mapping[str, Json],
    optional: Sequence[str],
    read: Callable[[str], Json],
    notify: Notify,
) -> bool:
    """Report consolidated documents that differ from the documents in the store.

    Of very many nodes, some are compared, which are spread over all. A missing document is left to
    `report_stale_names`, unless its folder is there. A store without separate documents is
    complete.

    Parameters
    ----------
    zmap
        The store.
    consolidated
        The documents by key.
    optional
        The names of documents that a node need not have.
    read
        Returns the document in the store under a key, or None. Raises `FormatError`.
    notify
        Receives a notice for each kind of difference.

    Returns
    -------
    bool
        Whether the store is known to have separate documents.
    """
    if not zmap.lists_freely:
        return True
    from ncz.formats.zarr.documents.meaning import means_same

    differ, missing, damaged, same = [], [], [], 0
    for key in _compared_keys(consolidated, optional):
        document, name = consolidated.get(key), key.rpartition("/")[2]
        try:
            stored = read(key)
        except FormatError:
            damaged.append(key)
            continue
        except ZmapError:  # the name is not valid, which is reported when it is read
            continue
        if means_same(stored, document, name):
            same += stored is not None
        elif stored is not None:
            differ.append(key)
        elif zmap.names(key.rpartition("/")[0]):
            missing.append(key)
    has_own = bool(same or differ or damaged)
    if has_own:
        _report_stale(zmap, "missing in the store", missing, notify)
    _report_stale(zmap, "different in the store", differ, notify)
    _report_stale(zmap, "damaged in the store", damaged, notify)
    return has_own


def _compared_keys(consolidated: Iterable[str], optional: Sequence[str]) -> Iterator[str]:
    """Yield the keys of documents that are compared, one node after the other."""
    keys: dict[str, list[str]] = {}
    for key in consolidated:
        keys.setdefault(key.rpartition("/")[0], []).append(key)
    for node in list(keys)[:: 1 + len(keys) // _MOST_COMPARED]:
        yield from dict.fromkeys((*keys[node], *(join_key(node, name) for name in optional)))


def _report_stale(zmap: Zmap, what: str, keys: Sequence[str], notify: Notify) -> None:
    if keys:
        named = list_names([display(key) for key in keys])
        text = f"the consolidated metadata is out of date: {what}: {named}"
        hint = f"run {CONSOLIDATE}, or use {option('consolidated', False)}"
        notify(Notice("consolidated-stale", text, zmap.url, hint, lost=True))
