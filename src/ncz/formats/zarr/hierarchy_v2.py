"""The tree of a Zarr V2 store, from its `.zgroup`, `.zarray` and `.zattrs` documents.

Consolidated metadata (`.zmetadata`, format 1) saves a request for each object and all listing. It
is used if it is well-formed; otherwise the objects themselves are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.errors import CONSOLIDATE, FormatError, Notice, Notify, ignore_notice
from ncz.formats.zarr import notes
from ncz.formats.zarr.document_v2 import (
    ARRAY,
    ATTRIBUTES,
    CONSOLIDATED,
    DIMENSION_NAMES,
    GROUP,
    ArrayDocumentV2,
    read_array,
)
from ncz.formats.zarr.hierarchy import (
    DEEPEST_GROUP,
    DOCUMENT_SIZE,
    MOST_COMPARED,
    MOST_KNOWN,
    ArrayNode,
    GroupNode,
    Root,
    is_hidden,
    is_readable_name,
    key_of,
    report_below_array,
    report_chunks,
    report_missing,
    report_orphan,
    report_stale_documents,
    report_stale_names,
    report_unlisted,
    root_of_array,
)
from ncz.formats.zarr.json import Json, parse_document
from ncz.formats.zarr.notes import GroupNote, find_note
from ncz.record import field, record
from ncz.zmap import Zmap
from ncz.zmap.key import join_key

if TYPE_CHECKING:
    from ncz.formats.zarr.consolidated import Consolidated

ROOTS = (GROUP, ATTRIBUTES, ARRAY, notes.OBJECTS[notes.SUPERBLOCK])
"""Documents one of which is in the root of every store."""

NODES = (ARRAY, GROUP)
"""Documents one of which is in every node."""


def find_root(zmap: Zmap, consolidated: bool | None, notify: Notify) -> Root | None:
    """Return what the root says; None if this is not a V2 store. Raises `FormatError`."""
    metadata = MetadataV2(zmap, consolidated, notify)
    zgroup, zattrs = metadata.of_root(GROUP), metadata.of_root(ATTRIBUTES)
    superblock = find_note(notes.SUPERBLOCK, (zattrs, zgroup))
    version = 0
    if superblock is not None:
        version = max(2, notes.read_superblock(superblock))
    elif metadata.of_root(notes.OBJECTS[notes.SUPERBLOCK]) is not None:
        version = 1
    elif zgroup is None and zattrs is None and metadata.of_root(ARRAY) is None:
        return None
    if consolidated and not metadata.is_consolidated:
        raise FormatError("the store has no consolidated metadata", zmap.url, f"run {CONSOLIDATE}")
    return Root(
        metadata=metadata, superblock=version, properties=(zattrs or {}).get(notes.PROPERTIES)
    )


def find_array(zmap: Zmap, prefix: str) -> ArrayDocumentV2 | None:
    """Return the document of the array at `prefix`, or None. Raises `FormatError`."""
    key = join_key(prefix, ARRAY)
    data = zmap.get(key)
    if data is None:
        return None
    location = zmap.where(key)
    return read_array(parse_document(data, location), location, ignore_notice)


class MetadataV2:
    """The metadata objects of one store, each under its key or all from `.zmetadata`.

    If `consolidated` is false, `.zmetadata` is ignored.
    """

    zarr_format = 2

    def __init__(self, zmap: Zmap, consolidated: bool | None, notify: Notify) -> None:
        self.zmap = zmap
        self._start = zmap.where("")
        self._is_ignored = consolidated is False
        found = None if consolidated is False else _read_consolidated(zmap, notify)
        self._consolidated = None if found is None else found.documents
        self._annotations = None if found is None else found.annotations
        self._arrays: dict[bytes | str, dict[str, Json]] = {}
        """Documents of arrays by their text; in a large store most are the same."""
        self._names: Mapping[str, list[str]] | None = None
        """The names below each node, if they are consolidated."""
        self._of_root: dict[str, dict[str, Json] | None] = {}
        """Documents of the root by their names; what finds the root reads them first."""

    @property
    def has_consolidated(self) -> bool:
        """Whether `.zmetadata` exists, even if it is ignored."""
        if self._is_ignored:
            return self.zmap.get(CONSOLIDATED) is not None
        return self.is_consolidated

    @property
    def annotations(self) -> Json:
        """The annotations in `.zmetadata`, even if its documents are ignored."""
        if self._is_ignored:
            found = _read_consolidated(self.zmap, ignore_notice)
            return None if found is None else found.annotations
        return self._annotations

    @property
    def is_consolidated(self) -> bool:
        """Whether the documents are read from `.zmetadata`."""
        return self._consolidated is not None

    def load(self, name: str, superblock: int, notify: Notify) -> GroupNode:
        """Read the whole tree; see `ncz.formats.zarr.hierarchy.Metadata`."""
        if self._consolidated is not None and len(self._consolidated) <= MOST_COMPARED:
            nodes = {key.rpartition("/")[0] for key in self._consolidated}
            absent = {key_of(node, ATTRIBUTES): None for node in sorted(nodes)}
            report_stale_documents(self.zmap, {**absent, **self._consolidated}, notify)
        return _Loader(self, superblock, notify).root(name)

    def location(self, key: str, name: str = "") -> str:
        """Return where the object `name` of the node at `key` is, for messages."""
        return f"{self._start}{key_of(key, name)}"

    def array_location(self, key: str) -> str:
        """Return where the document of the array at `key` is, for messages."""
        return self.location(key, ARRAY)

    def attributes_location(self, key: str) -> str:
        """Return where the attributes of the node at `key` are, for messages."""
        return self.location(key, ATTRIBUTES)

    def expect(self, keys: Iterable[str]) -> None:
        """Announce the objects that will be read, in order, so that a remote store can prefetch."""
        if self._consolidated is None:
            self.zmap.expect((key, DOCUMENT_SIZE) for key in keys)

    def get(self, key: str, name: str) -> dict[str, Json] | None:
        """Return the document `name` of the node at `key`, or None. Raises `FormatError`.

        The caller must not change it, because several arrays may share one document.
        """
        whole = key_of(key, name)
        if self._consolidated is None:
            data = self.zmap.get(whole)
            if data is None:
                return None
            return self._arrays.get(data) or self._shared(
                name, data, parse_document(data, f"{self._start}{whole}")
            )
        document = self._consolidated.get(whole)
        if document is not None and not isinstance(document, dict):
            raise FormatError(
                "a metadata object must be a JSON object",
                f"{self.location(CONSOLIDATED)}: {whole}",
                f"remove {CONSOLIDATED} to read the objects themselves",
            )
        if document is None or name != ARRAY or len(self._arrays) >= MOST_KNOWN:
            return document
        return self._shared(name, repr(document), document)

    def _shared(self, name: str, text: bytes | str, document: dict[str, Json]) -> dict[str, Json]:
        """Return the document of an array that was read before from the same text, if any."""
        if name != ARRAY or len(text) > DOCUMENT_SIZE or len(self._arrays) >= MOST_KNOWN:
            return document
        return self._arrays.setdefault(text, document)

    def of_root(self, name: str) -> dict[str, Json] | None:
        """Return the document `name` of the root, or None; it is read once."""
        if name not in self._of_root:
            self._of_root[name] = self.get("", name)
        return self._of_root[name]

    def children(self, prefix: str) -> list[str]:
        """Return the names below `prefix`, sorted by bytes; only those of nodes if consolidated."""
        if self._consolidated is None:
            return self.zmap.names(prefix)
        if self._names is None:
            from ncz.formats.zarr.consolidated import names_by_node

            self._names = names_by_node(self._consolidated)
        return self._names.get(prefix, [])


def _read_consolidated(zmap: Zmap, notify: Notify) -> Consolidated | None:
    data = zmap.get(CONSOLIDATED)
    if data is None:
        return None
    from ncz.formats.zarr.consolidated import read_consolidated

    return read_consolidated(data, zmap.where(CONSOLIDATED), notify)


@record
class _Loader:
    """Reads nodes. `superblock` is NCZarr's major version, 0 for pure Zarr."""

    metadata: MetadataV2
    superblock: int
    notify: Notify
    _documents: dict[int, tuple[Mapping[str, Json], ArrayDocumentV2]] = field(default_factory=dict)

    def root(self, name: str) -> GroupNode:
        """Read the whole tree. Raises `FormatError` if the root's own documents are broken."""
        zgroup, zattrs = self.metadata.of_root(GROUP), self.metadata.of_root(ATTRIBUTES)
        zarray = None if zgroup is not None else self.metadata.of_root(ARRAY)
        if zarray is None:
            return self._group("", "", zgroup, zattrs, 0)
        array = ArrayNode(
            name=name,
            key="",
            document=read_array(zarray, self.metadata.array_location(""), self.notify),
            attributes=zattrs or {},
            types={},
            note=None,
            dimension_names=(zattrs or {}).get(DIMENSION_NAMES),
        )
        report_below_array(self.metadata.zmap, NODES, self.notify)
        return root_of_array(array)

    def _group(
        self,
        name: str,
        key: str,
        zgroup: Mapping[str, Json] | None,
        zattrs: Mapping[str, Json] | None,
        depth: int,
    ) -> GroupNode:
        attributes = zattrs or {}
        note = self._group_note(key, zgroup, zattrs) if self.superblock else None
        arrays, groups = [], []
        children = self._children(key, note)
        self.metadata.expect(_documents(key, children, note))
        listed = frozenset(note.arrays) if note is not None else frozenset()
        for child in children:
            node = self._child(child, join_key(key, child), depth + 1, is_array=child in listed)
            if isinstance(node, ArrayNode):
                arrays.append(node)
            elif node is not None:
                groups.append(node)
        if self.metadata.is_consolidated:
            known = [c for c in self.metadata.children(key) if not c.startswith(".")]
            report_stale_names(self.metadata.zmap, key, known, NODES, self.notify)
        elif note is not None:
            report_unlisted(self.metadata.zmap, key, children, NODES, self.notify)
        names = children if note is None and not self.metadata.is_consolidated else None
        report_chunks(self.metadata.zmap, key, names, (*arrays, *groups), self.notify)
        return GroupNode(
            name=name,
            key=key,
            attributes=attributes,
            types=self._types(key, attributes),
            note=note,
            arrays=tuple(arrays),
            groups=tuple(groups),
        )

    def _group_note(
        self, key: str, zgroup: Mapping[str, Json] | None, zattrs: Mapping[str, Json] | None
    ) -> GroupNote | None:
        location = self.metadata.attributes_location(key)
        found = find_note(notes.GROUP, (zattrs, zgroup))
        if found is None and self.superblock == 1:
            found = self._get(key, notes.OBJECTS[notes.GROUP])
        if found is None:
            self.notify(
                Notice(
                    "annotation-missing",
                    "the group has no NCZarr annotation; its children are found by searching,"
                    " and its dimensions are inferred",
                    location,
                )
            )
            return None
        return notes.V2.read_group(found, location, self.notify)

    def _children(self, key: str, note: GroupNote | None) -> list[str]:
        if note is not None:
            return list(dict.fromkeys((*note.arrays, *note.groups)))
        location = self.metadata.location(key)
        zmap = self.metadata.zmap
        return [
            name
            for name in self.metadata.children(key)
            if (name[:1] != "." or not is_hidden(zmap, key, name, NODES, self.notify))
            and is_readable_name(name, location, self.notify)
        ]

    def _child(
        self, name: str, key: str, depth: int, *, is_array: bool
    ) -> ArrayNode | GroupNode | None:
        """Read a child; `is_array` if its group lists it as an array."""
        listed = self.superblock > 0
        zarray = self._get(key, ARRAY)
        if zarray is not None:
            return self._array(name, key, zarray)
        zgroup = self._get(key, GROUP)
        zattrs = self._get(key, ATTRIBUTES) if zgroup is not None or listed else None
        if zgroup is None and (zattrs is None or is_array):
            if listed:
                report_missing(self.metadata.zmap, key, self.notify)
            else:
                report_orphan(self.metadata.zmap, key, NODES, self.notify)
            return None
        if depth > DEEPEST_GROUP:
            self.notify(
                Notice(
                    "group-left-out",
                    f"groups nested deeper than {DEEPEST_GROUP} levels are not read",
                    self.metadata.location(key),
                    lost=True,
                )
            )
            return None
        return self._group(name, key, zgroup, zattrs, depth)

    def _array(self, name: str, key: str, zarray: Mapping[str, Json]) -> ArrayNode | None:
        location = self.metadata.array_location(key)
        try:
            document = self._document(zarray, location)
        except FormatError as error:
            self._leave_out(error)
            return None
        attributes = self._get(key, ATTRIBUTES) or {}
        note = None
        if self.superblock:
            found = find_note(notes.ARRAY, (attributes, zarray))
            if found is None and self.superblock == 1:
                found = self._get(key, notes.OBJECTS[notes.ARRAY])
            if found is None:
                self.notify(
                    Notice(
                        "annotation-missing",
                        "the array has no NCZarr annotation; its dimensions are inferred",
                        self.metadata.attributes_location(key),
                    )
                )
            else:
                note = notes.V2.read_array(found, location, self.notify)
        if note is not None and (note.scalar or note.dimension_references == ()):
            document = document.as_scalar()
        return ArrayNode(
            name=name,
            key=key,
            document=document,
            attributes=attributes,
            types=self._types(key, attributes),
            note=note,
            dimension_names=attributes.get(DIMENSION_NAMES),
        )

    def _document(self, zarray: Mapping[str, Json], location: str) -> ArrayDocumentV2:
        """Check the document of an array; a document that arrays share is checked once."""
        known = self._documents.get(id(zarray))
        if known is not None:
            return known[1]
        notices: list[Notice] = []
        document = read_array(zarray, location, notices.append)
        if not notices:
            self._documents[id(zarray)] = zarray, document
        for notice in notices:
            self.notify(notice)
        return document

    def _types(self, key: str, attributes: Mapping[str, Json]) -> Mapping[str, Json]:
        if not self.superblock:
            return {}
        found = find_note(notes.V2.types, (attributes,))
        if found is None and self.superblock == 1:
            found = self._get(key, notes.OBJECTS[notes.V2.types])
        return notes.V2.read_types(found, self.metadata.attributes_location(key), self.notify)

    def _get(self, key: str, name: str) -> dict[str, Json] | None:
        """Return a document below the root; None, with a notice, if it is broken."""
        try:
            return self.metadata.get(key, name)
        except FormatError as error:
            self._leave_out(error)
            return None

    def _leave_out(self, error: FormatError) -> None:
        self.notify(
            Notice("object-left-out", f"{error.message}; left out", error.location, lost=True)
        )


def _documents(key: str, children: Iterable[str], note: GroupNote | None) -> Iterator[str]:
    """Yield the keys of the documents of the children, in the order in which they are read."""
    for child in children:
        path = join_key(key, child)
        if note is None or child not in note.groups:
            yield from (key_of(path, ARRAY), key_of(path, ATTRIBUTES))
        else:
            yield from (key_of(path, name) for name in (ARRAY, GROUP, ATTRIBUTES))
