"""The tree of a Zarr V3 store, from its `zarr.json` documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncz.errors import CONSOLIDATE, FormatError, Notice, Notify
from ncz.formats.zarr import notes
from ncz.formats.zarr.consolidated import ANNOTATIONS
from ncz.formats.zarr.document_v3 import ArrayDocumentV3, attributes_of, check_node, read_array
from ncz.formats.zarr.hierarchy import (
    DEEPEST_GROUP,
    DOCUMENT_SIZE,
    ArrayNode,
    GroupNode,
    Root,
    is_readable_name,
    key_of,
    report_below_array,
    report_missing,
    report_orphan,
    report_stale_documents,
    report_stale_names,
    report_unlisted,
    root_of_array,
)
from ncz.formats.zarr.json import Json, parse_document
from ncz.formats.zarr.notes import find_note
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, join_key, order


def find_root(zmap: Zmap, data: bytes, consolidated: bool | None) -> Root:
    """Return what the root says in its document `data`. Raises `FormatError`."""
    location = zmap.where(ZARR_JSON)
    document = parse_document(data, location)
    check_node(document, location)
    attributes = attributes_of(document, location)
    superblock = find_note(notes.SUPERBLOCK, (attributes,))
    metadata = MetadataV3(zmap, document, consolidated)
    if consolidated and not metadata.is_consolidated:
        raise FormatError("the store has no consolidated metadata", zmap.url, f"run {CONSOLIDATE}")
    return Root(
        metadata=metadata,
        superblock=0 if superblock is None else max(3, notes.read_superblock(superblock)),
        properties=attributes.get(notes.PROPERTIES),
    )


NODES = (ZARR_JSON,)
"""The document that is in every node."""


def find_array(zmap: Zmap, prefix: str) -> ArrayDocumentV3 | None:
    """Return the document of the array at `prefix`, or None. Raises `FormatError`."""
    key = join_key(prefix, ZARR_JSON)
    data = zmap.get(key)
    if data is None:
        return None
    location = zmap.where(key)
    document = parse_document(data, location)
    return read_array(document, location) if check_node(document, location) == "array" else None


class MetadataV3:
    """The documents of one store, each under its key or all from the root's.

    If `consolidated` is false, those in the root's document are ignored.
    """

    zarr_format = 3

    def __init__(self, zmap: Zmap, root: Mapping[str, Json], consolidated: bool | None) -> None:
        self.zmap = zmap
        self._root = root
        found = root.get("consolidated_metadata")
        metadata = found.get("metadata") if isinstance(found, dict) else None
        is_inline = isinstance(found, dict) and found.get("kind", "inline") == "inline"
        self.has_consolidated = isinstance(metadata, dict) and is_inline
        """Whether the root's document has consolidated metadata, even if they are ignored."""
        self.is_consolidated = self.has_consolidated and consolidated is not False
        self._consolidated: Mapping[str, Json] | None = (
            metadata if isinstance(metadata, dict) and metadata and self.is_consolidated else None
        )
        """Whether they are used; they can be empty."""
        self.annotations: Json = found.get(ANNOTATIONS) if isinstance(found, dict) else None

    def load(self, name: str, superblock: int, notify: Notify) -> GroupNode:
        """Read the whole tree; see `ncz.formats.zarr.hierarchy.Metadata`."""
        if self._consolidated is not None:
            documents = {key_of(key, ZARR_JSON): v for key, v in self._consolidated.items()}
            report_stale_documents(self.zmap, documents, notify)
        return _Loader(self, superblock, notify).root(name)

    def array_location(self, key: str) -> str:
        """Return where the document of the node at `key` is, for messages."""
        return self.zmap.where(key_of(key, ZARR_JSON))

    attributes_location = array_location

    def get(self, key: str) -> Mapping[str, Json] | None:
        """Return the document of the node at `key`, or None. Raises `FormatError`."""
        if key == "":
            return self._root
        if self._consolidated is not None:
            document = self._consolidated.get(key)
            if document is not None and not isinstance(document, dict):
                raise FormatError(
                    "a metadata object must be a JSON object", self.array_location(key)
                )
            return document
        data = self.zmap.get(key_of(key, ZARR_JSON))
        return None if data is None else parse_document(data, self.array_location(key))

    def expect(self, keys: Iterable[str]) -> None:
        """Announce the nodes that will be read, in order, so that a remote store can prefetch."""
        if self._consolidated is None:
            self.zmap.expect((key_of(key, ZARR_JSON), DOCUMENT_SIZE) for key in keys)

    def children(self, prefix: str) -> list[str]:
        """Return the names below `prefix`; if consolidated, only those of nodes."""
        if self._consolidated is None:
            return self.zmap.search(prefix)
        start = f"{prefix}/" if prefix else ""
        names = {k[len(start) :].split("/")[0] for k in self._consolidated if k.startswith(start)}
        return sorted(names, key=order)


class _Loader:
    """Reads nodes. `superblock` is NCZarr's major version, 0 for pure Zarr."""

    def __init__(self, metadata: MetadataV3, superblock: int, notify: Notify) -> None:
        self.metadata = metadata
        self.superblock = superblock
        self.notify = notify

    def root(self, name: str) -> GroupNode:
        """Read the whole tree. Raises `FormatError` if the root's own document is broken."""
        document = self.metadata.get("") or {}
        kind = check_node(document, self.metadata.array_location(""))
        if kind == "group":
            return self._group("", "", document, 0)
        report_below_array(self.metadata.zmap, NODES, self.notify)
        return root_of_array(self._array(name, "", document))

    def _group(self, name: str, key: str, document: Mapping[str, Json], depth: int) -> GroupNode:
        location = self.metadata.array_location(key)
        attributes = attributes_of(document, location)
        note = None
        if self.superblock:
            found = find_note(notes.GROUP, (attributes,))
            if found is None:
                self.notify(
                    Notice(
                        "annotation-missing",
                        "the group has no NCZarr annotation; its children are found by searching",
                        location,
                    )
                )
            else:
                note = notes.V3.read_group(found, location, self.notify)
        names = [*note.arrays, *note.groups] if note else self.metadata.children(key)
        arrays, groups = [], []
        children = list(dict.fromkeys(names))
        self.metadata.expect(join_key(key, child) for child in children)
        for child in children:
            node = self._child(child, join_key(key, child), depth + 1, listed=note is not None)
            if isinstance(node, ArrayNode):
                arrays.append(node)
            elif node is not None:
                groups.append(node)
        if self.metadata.is_consolidated:
            known = self.metadata.children(key)
            report_stale_names(self.metadata.zmap, key, known, NODES, self.notify)
        elif note is not None:
            report_unlisted(self.metadata.zmap, key, children, NODES, self.notify)
        return GroupNode(
            name=name,
            key=key,
            attributes=attributes,
            types=self._types(attributes, location),
            note=note,
            arrays=tuple(arrays),
            groups=tuple(groups),
        )

    def _child(
        self, name: str, key: str, depth: int, *, listed: bool
    ) -> ArrayNode | GroupNode | None:
        location = self.metadata.array_location(key)
        if not is_readable_name(name, location, self.notify):
            return None
        try:
            document = self.metadata.get(key)
            if document is None:
                if listed:
                    report_missing(self.metadata.zmap, key, self.notify)
                elif not self.metadata.is_consolidated:
                    report_orphan(self.metadata.zmap, key, NODES, self.notify)
                return None
            if check_node(document, location) == "array":
                return self._array(name, key, document)
            if depth <= DEEPEST_GROUP:
                return self._group(name, key, document, depth)
            self.notify(
                Notice(
                    "group-left-out",
                    f"groups nested deeper than {DEEPEST_GROUP} levels are not read",
                    location,
                    lost=True,
                )
            )
        except FormatError as error:
            self.notify(
                Notice("object-left-out", f"{error.message}; left out", error.location, lost=True)
            )
        return None

    def _array(self, name: str, key: str, document: Mapping[str, Json]) -> ArrayNode:
        location = self.metadata.array_location(key)
        attributes = attributes_of(document, location)
        described = read_array(document, location)
        note = None
        if self.superblock:
            found = find_note(notes.ARRAY, (attributes,))
            if found is None:
                self.notify(
                    Notice(
                        "annotation-missing",
                        "the array has no NCZarr annotation; its dimensions are inferred",
                        location,
                    )
                )
            else:
                note = notes.V3.read_array(found, location, self.notify)
        return ArrayNode(
            name=name,
            key=key,
            document=described,
            attributes=attributes,
            types=self._types(attributes, location),
            note=note,
            dimension_names=described.dimension_names,
        )

    def _types(self, attributes: Mapping[str, Json], location: str) -> Mapping[str, Json]:
        if not self.superblock:
            return {}
        found = find_note(notes.V3.types, (attributes,))
        return notes.V3.read_types(found, location, self.notify)
