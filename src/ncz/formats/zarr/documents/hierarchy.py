"""The tree of groups and arrays of a store.

An object that is broken or missing below the root is left out with a notice, so that it does not
hide the others. A broken document of the root is an error, because nothing can be read without it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.errors import FormatError, Notice, Notify
from ncz.formats.zarr.documents import notes
from ncz.formats.zarr.documents.listing import ListingReport, report_stale_documents
from ncz.formats.zarr.documents.notes import ArrayNote, GroupNote, NoteSpelling
from ncz.formats.zarr.json import Json, parse_document
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.key import join_key

if TYPE_CHECKING:
    from ncz.formats.zarr.documents.document import ArrayDocument


DEEPEST_GROUP = 100
"""Levels of nested groups that are read."""

DOCUMENT_SIZE = 4096
"""Bytes that are expected of a metadata document; few are larger."""


@record(kw_only=True)
class ArrayNode:
    """An array. `key` is its prefix in the store; `types` are the noted types of its attributes."""

    name: str
    key: str
    document: ArrayDocument
    attributes: Mapping[str, Json]
    types: Mapping[str, Json]
    note: ArrayNote | None
    dimension_names: Json = None
    """The names of its dimensions as the format gives them, unchecked; None if it gives none."""
    axes: tuple[str, ...] | None = None
    """Names of its dimensions that its group gives instead (OME-Zarr)."""

    @property
    def fqn(self) -> str:
        """The FQN of the array; empty for the root."""
        return f"/{self.key}" if self.key else ""


@record(kw_only=True)
class GroupNode:
    """A group, with its children in the order of the store."""

    name: str
    key: str
    attributes: Mapping[str, Json]
    types: Mapping[str, Json]
    note: GroupNote | None
    arrays: tuple[ArrayNode, ...]
    groups: tuple[GroupNode, ...]

    @property
    def fqn(self) -> str:
        """The FQN of the group; empty for the root."""
        return f"/{self.key}" if self.key else ""

    def walk(self) -> Iterator[GroupNode]:
        """Yield this group and all below it, parents first."""
        yield self
        for child in self.groups:
            yield from child.walk()

    def nodes(self) -> Iterator[GroupNode | ArrayNode]:
        """Yield this group and everything below it: each group, and then its arrays."""
        for group in self.walk():
            yield group
            yield from group.arrays


@record(kw_only=True)
class Documents:
    """The documents of one node: of an array or of a group, and its attributes, if they exist."""

    array: Mapping[str, Json] | None
    group: Mapping[str, Json] | None
    attributes: Mapping[str, Json] | None


class Metadata(ABC):
    """The metadata documents of one store, each under its key or all from consolidated metadata.

    A subclass has their form in one version of Zarr; see `ncz.formats.zarr.documents.versions`.

    Attributes
    ----------
    zarr_format
        The version of Zarr.
    spelling
        How NCZarr's notes are spelled.
    roots
        Documents that mark the root of a store; every store has one of them there.
    group
        The document of a group.
    nodes
        Documents that mark a node; every node has one of them.
    optional
        Documents that a node need not have.
    hides_dots
        Whether readers skip names that begin with a dot.
    zmap
        The store.
    documents
        Consolidated documents by their keys; None if each is read from the store.
    """

    zarr_format: int
    spelling: NoteSpelling
    roots: tuple[str, ...]
    group: str
    nodes: tuple[str, ...]
    optional: tuple[str, ...] = ()
    hides_dots = False

    def __init__(self, zmap: Zmap, documents: Mapping[str, Json] | None) -> None:
        self.zmap = zmap
        self.documents = documents
        self._names: Mapping[str, list[str]] | None = None
        """The names below each node, if they are consolidated."""

    @classmethod
    @abstractmethod
    def find_root(cls, zmap: Zmap, consolidated: bool | None, notify: Notify) -> Root | None:
        """Return the contents of the root; None if the store is not of this version.

        Parameters
        ----------
        zmap
            The store.
        consolidated
            Whether to use consolidated metadata: True raises `FormatError` if none exists, False
            ignores it, and None uses it if it is there.
        notify
            Receives notices.

        Raises
        ------
        FormatError
            If a document of the root is broken.
        """

    @classmethod
    @abstractmethod
    def find_array(cls, zmap: Zmap, prefix: str) -> ArrayDocument | None:
        """Return the document of the array at `prefix`, or None. Raises `FormatError`."""

    @property
    @abstractmethod
    def has_consolidated(self) -> bool:
        """Whether the store has consolidated metadata, even if they are ignored."""

    @property
    @abstractmethod
    def is_consolidated(self) -> bool:
        """Whether consolidated metadata are used; they can be empty."""

    @property
    @abstractmethod
    def annotations(self) -> Json:
        """The annotations of pure Zarr next to consolidated metadata; None if none exist."""

    @abstractmethod
    def array_location(self, key: str) -> str:
        """Return the place of the document of the array at `key`, for messages."""

    @abstractmethod
    def attributes_location(self, key: str) -> str:
        """Return the place of the attributes of the node at `key`, for messages."""

    def name_location(self, key: str, name: str) -> str:
        """Return the place of a child, with an invalid name, of the node at `key`, for messages."""
        return self.zmap.where(key)

    @abstractmethod
    def documents_of(self, key: str, superblock: int, notify: Notify) -> Documents:
        """Return the documents of the node at `key`. Raises `FormatError`."""

    @abstractmethod
    def document_keys(self, key: str, *, is_group: bool) -> Iterator[str]:
        """Yield the keys of the documents that `documents_of` reads, in order."""

    @abstractmethod
    def note(
        self, name: str, key: str, documents: Documents, superblock: int, notify: Notify
    ) -> Json:
        """Return NCZarr's note `name` of the node at `key`, or None."""

    @abstractmethod
    def read_array(self, documents: Documents, location: str) -> tuple[ArrayDocument, Json]:
        """Return the checked document of an array, and its names of dimensions, unchecked.

        Raises `FormatError`.
        """

    def get(self, key: str) -> Mapping[str, Json] | None:
        """Return the document under `key`, or None. Raises `FormatError`.

        The caller must not change it, because several arrays may share one document.
        """
        if self.documents is None:
            return self._stored_document(key)
        document = self.documents.get(key)
        if document is not None and not isinstance(document, dict):
            raise FormatError("a metadata object must be a JSON object", *self._place(key))
        return document

    def _stored_document(self, key: str) -> Mapping[str, Json] | None:
        """Return the document that the store has under `key`, or None. Raises `FormatError`."""
        data = self.zmap.get(key)
        return None if data is None else self._parse(key, data)

    def _parse(self, key: str, data: bytes) -> Mapping[str, Json]:
        return parse_document(data, self.zmap.where(key))

    def _place(self, key: str) -> tuple[str, str | None]:
        """Return the place of a consolidated document, and the way to repair it."""
        return self.zmap.where(key), None

    def expect(self, keys: Iterable[str]) -> None:
        """Announce the documents that will be read, in order, so that a remote store prefetches."""
        if self.documents is None:
            self.zmap.expect((key, DOCUMENT_SIZE) for key in keys)

    def children(self, prefix: str) -> list[str]:
        """Return the names below `prefix`, sorted by bytes; only names of nodes if consolidated."""
        if self.documents is None:
            return self.zmap.names(prefix)
        if self._names is None:
            from ncz.formats.zarr.documents.consolidated_v2 import names_by_node

            self._names = names_by_node(self.documents)
        return self._names.get(prefix, [])

    def has_below(self, key: str) -> bool:
        """Return whether consolidated metadata have documents below a key."""
        return self.documents is not None and bool(self.children(key))

    def load(self, name: str, superblock: int, notify: Notify, within: str = "") -> GroupNode:
        """Read the tree.

        Parameters
        ----------
        name
            The name of the root if it is an array.
        superblock
            NCZarr's major version; 0 to read the store as pure Zarr.
        notify
            Receives a notice for everything that is left out.
        within
            The key of a group or an array, if only the groups above it and its members are read.

        Raises
        ------
        FormatError
            If the documents of the root are broken.
        """
        has_own = True
        if self.documents is not None:
            documents = self.documents
            if within:
                documents = {k: d for k, d in documents.items() if _is_around(k, within)}
            has_own = report_stale_documents(
                self.zmap, documents, self.optional, self._stored_document, notify
            )
        listing = ListingReport(self.zmap, self.nodes, notify, has_own)
        path = tuple(within.split("/")) if within else ()
        return _Loader(self, superblock, notify, listing, path).root(name)


def _is_around(key: str, within: str) -> bool:
    """Return whether a document belongs to a node, to a group above it, or to its members."""
    node = key.rpartition("/")[0]
    return not node or f"{node}/".startswith(f"{within}/") or (f"{within}/".startswith(f"{node}/"))


@record(kw_only=True)
class Root:
    """The contents of the root of a store."""

    metadata: Metadata
    superblock: int
    """NCZarr's major version; 0 for pure Zarr."""
    has_superblock: bool
    """Whether the version is noted. If it is not, other notes of the root say it."""
    properties: Json
    """The attribute ``_NCProperties``; None if none exists."""


@record
class _Loader:
    """Reads nodes. `superblock` is NCZarr's major version, 0 for pure Zarr.

    `path` has the names from the root to the only node that is read; () for the root itself.
    """

    metadata: Metadata
    superblock: int
    notify: Notify
    listing: ListingReport
    path: tuple[str, ...]

    def root(self, name: str) -> GroupNode:
        """Read the whole tree. Raises `FormatError` if the root's own documents are broken."""
        documents = self.metadata.documents_of("", self.superblock, self.notify)
        if documents.array is None:
            return self._group("", "", documents, 0)
        array = self._array(name, "", documents)
        self.listing.report_below_array()
        return GroupNode(
            name="", key="", attributes={}, types={}, note=None, arrays=(array,), groups=()
        )

    def _group(self, name: str, key: str, documents: Documents, depth: int) -> GroupNode:
        missing = (
            "the group has no NCZarr annotation; its children are found by searching, and its"
            " dimensions are inferred"
        )
        annotation = self._note(notes.GROUP, key, documents, missing)
        location = self.metadata.attributes_location(key)
        spelling = self.metadata.spelling
        note = (
            None if annotation is None else spelling.read_group(annotation, location, self.notify)
        )
        is_whole = depth >= len(self.path)
        children = self._children(key, note) if is_whole else [self.path[depth]]
        self.metadata.expect(self._keys_of_children(key, children, note))
        arrays, groups = [], []
        for child in children:
            node = self._child(child, join_key(key, child), depth + 1, note)
            if isinstance(node, ArrayNode):
                arrays.append(node)
            elif node is not None:
                groups.append(node)
        if is_whole:
            self._report_unread_objects(key, children, note, (*arrays, *groups))
        return GroupNode(
            name=name,
            key=key,
            attributes=documents.attributes or {},
            types=self._types(key, documents),
            note=note,
            arrays=tuple(arrays),
            groups=tuple(groups),
        )

    def _children(self, key: str, note: GroupNote | None) -> list[str]:
        if note is not None:
            return list(dict.fromkeys((*note.arrays, *note.groups)))
        return [
            name
            for name in self.metadata.children(key)
            if not self._begins_with_dot(name) or not self.listing.is_hidden(key, name)
            if self.listing.is_readable_name(name, self.metadata.name_location(key, name))
        ]

    def _begins_with_dot(self, name: str) -> bool:
        """Return whether readers of this version of Zarr skip the name."""
        return self.metadata.hides_dots and name[:1] == "."

    def _keys_of_children(
        self, key: str, children: Sequence[str], note: GroupNote | None
    ) -> Iterator[str]:
        groups = frozenset(() if note is None else note.groups)
        for child in children:
            yield from self.metadata.document_keys(join_key(key, child), is_group=child in groups)

    def _child(
        self, name: str, key: str, depth: int, note: GroupNote | None
    ) -> ArrayNode | GroupNode | None:
        """Read a child of the group that has the note."""
        try:
            documents = self.metadata.documents_of(key, self.superblock, self.notify)
            if documents.array is not None:
                return self._array(name, key, documents)
            is_array = note is not None and name in note.arrays
            if documents.group is None and (documents.attributes is None or is_array):
                if note is not None:
                    self.listing.report_missing(key)
                else:
                    self.listing.report_orphan(key, is_group=self.metadata.has_below(key))
                return None
            if depth <= DEEPEST_GROUP:
                return self._group(name, key, documents, depth)
            fault = f"groups nested deeper than {DEEPEST_GROUP} levels are not read"
            location = self.metadata.zmap.where(key)
            self.notify(Notice("group-left-out", fault, location, lost=True))
        except FormatError as error:
            leave_out(error, self.notify)
        return None

    def _report_unread_objects(
        self,
        key: str,
        children: Sequence[str],
        note: GroupNote | None,
        nodes: Sequence[ArrayNode | GroupNode],
    ) -> None:
        """Report objects in a group that do not belong to one of its nodes."""
        metadata = self.metadata
        if metadata.is_consolidated:
            consolidated_names = [c for c in metadata.children(key) if not self._begins_with_dot(c)]
            self.listing.report_stale_names(key, consolidated_names)
        elif note is not None:
            self.listing.report_unlisted_nodes(key, children)
        if metadata.zarr_format == 2:
            names = children if note is None and not metadata.is_consolidated else None
            self.listing.report_chunks(key, names, {node.name for node in nodes})

    def _array(self, name: str, key: str, documents: Documents) -> ArrayNode:
        location = self.metadata.array_location(key)
        document, names = self.metadata.read_array(documents, location)
        missing = "the array has no NCZarr annotation; its dimensions are inferred"
        annotation = self._note(notes.ARRAY, key, documents, missing)
        spelling = self.metadata.spelling
        note = (
            None if annotation is None else spelling.read_array(annotation, location, self.notify)
        )
        if note is not None and (note.scalar or note.dimension_references == ()):
            document = document.as_scalar()
        self.listing.report_misplaced_chunks(key, document, self.metadata.zarr_format)
        return ArrayNode(
            name=name,
            key=key,
            document=document,
            attributes=documents.attributes or {},
            types=self._types(key, documents),
            note=note,
            dimension_names=names,
        )

    def _note(self, name: str, key: str, documents: Documents, fault: str) -> Json:
        """Return NCZarr's note of a node; None for pure Zarr, and with a notice if it is missing.

        `fault` is the message of the notice.
        """
        if not self.superblock:
            return None
        annotation = self.metadata.note(name, key, documents, self.superblock, self.notify)
        if annotation is None:
            location = self.metadata.attributes_location(key)
            self.notify(Notice("annotation-missing", fault, location))
        return annotation

    def _types(self, key: str, documents: Documents) -> Mapping[str, Json]:
        """Return the noted types of a node's attributes."""
        if not self.superblock:
            return {}
        spelling = self.metadata.spelling
        annotation = self.metadata.note(
            spelling.types, key, documents, self.superblock, self.notify
        )
        return spelling.read_types(annotation, self.metadata.attributes_location(key), self.notify)


def leave_out(error: FormatError, notify: Notify) -> None:
    """Report an object that is left out because a document is broken."""
    notify(Notice("object-left-out", f"{error.message}; left out", error.location, lost=True))


def key_of(key: str, name: str) -> str:
    """Return the key of the object `name` in the node at `key`; either may be empty."""
    return f"{key}/{name}" if key and name else key or name
