"""The tree of groups and arrays of a Zarr V3 store, as its documents describe it.

As in V2 (`ncz.formats.zarr.hierarchy.nodes`), what is broken below the root is left out with a
notice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncz.errors import FormatError, Notice, Notify, ZmapError
from ncz.formats.zarr.document.json import Json, parse_document
from ncz.formats.zarr.document.v3 import DOCUMENT, attributes_of, check_node, read_array
from ncz.formats.zarr.hierarchy.metadata import SMALL, key_of
from ncz.formats.zarr.hierarchy.nodes import DEEPEST_GROUP, ArrayNode, GroupNode
from ncz.formats.zarr.nczarr import v2 as nczarr
from ncz.formats.zarr.nczarr import v3 as nczarr_v3
from ncz.zmap import Zmap, expect, location_of
from ncz.zmap.key import check_inside, join_key


class MetadataV3:
    """The documents of a V3 store: each by its key, or all from the root's."""

    def __init__(self, zmap: Zmap, root: Mapping[str, Json]) -> None:
        self.zmap = zmap
        self._root = root
        found = root.get("consolidated_metadata")
        metadata = found.get("metadata") if isinstance(found, dict) else None
        is_inline = isinstance(found, dict) and found.get("kind", "inline") == "inline"
        self._consolidated: Mapping[str, Json] | None = (
            metadata if isinstance(metadata, dict) and metadata and is_inline else None
        )

    def array_where(self, key: str) -> str:
        """How messages name the document of an array, or its attributes."""
        return location_of(self.zmap, key_of(key, DOCUMENT))

    attributes_where = array_where

    def get(self, key: str) -> Mapping[str, Json] | None:
        """The document of the node at `key`; None if there is none. Raises `FormatError`."""
        if key == "":
            return self._root
        if self._consolidated is not None:
            document = self._consolidated.get(key)
            if document is not None and not isinstance(document, dict):
                raise FormatError("a metadata object must be a JSON object", self.array_where(key))
            return document
        data = self.zmap.get(key_of(key, DOCUMENT))
        return None if data is None else parse_document(data, self.array_where(key))

    def expect(self, keys: Iterable[str]) -> None:
        """Say which nodes `get` will be asked for, in order: a remote store is asked at once."""
        if self._consolidated is None:
            expect(self.zmap, ((key_of(key, DOCUMENT), SMALL) for key in keys))

    def children(self, prefix: str) -> list[str]:
        """Names below `prefix`; only those of nodes if they are consolidated."""
        if self._consolidated is None:
            return self.zmap.search(prefix)
        start = f"{prefix}/" if prefix else ""
        names = {k[len(start) :].split("/")[0] for k in self._consolidated if k.startswith(start)}
        return sorted(names, key=lambda name: name.encode("utf-8", "surrogateescape"))


class LoaderV3:
    """Loads nodes. `superblock` is the NCZarr major version, 0 for pure Zarr."""

    def __init__(self, metadata: MetadataV3, superblock: int, notify: Notify) -> None:
        self.metadata = metadata
        self.superblock = superblock
        self.notify = notify

    def root(self, name: str) -> GroupNode:
        """The whole tree. Raises `FormatError` if the root's own document is broken."""
        document = self.metadata.get("") or {}
        kind = check_node(document, self.metadata.array_where(""))
        if kind == "group":
            return self._group("", "", document, 0)
        array = self._array(name, "", document)
        return GroupNode(
            name="", key="", attributes={}, types={}, note=None, arrays=(array,), groups=()
        )

    def _group(self, name: str, key: str, document: Mapping[str, Json], depth: int) -> GroupNode:
        location = self.metadata.array_where(key)
        attributes = attributes_of(document, location)
        note = None
        if self.superblock:
            found = nczarr.find_note(nczarr.GROUP, (attributes,))
            if found is None:
                self.notify(
                    Notice(
                        "annotation-missing",
                        "the group has no NCZarr annotation; it is searched",
                        location,
                    )
                )
            else:
                note = nczarr_v3.read_group_note(found, location, self.notify)
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
        location = self.metadata.array_where(key)
        try:
            check_inside(name or "/")
            document = self.metadata.get(key)
            if document is None:
                if listed:
                    self.notify(
                        Notice(
                            "object-missing", "listed by its group, but not in the store", location
                        )
                    )
                return None
            if check_node(document, location) == "array":
                return self._array(name, key, document)
            if depth <= DEEPEST_GROUP:
                return self._group(name, key, document, depth)
            self.notify(
                Notice(
                    "group-left-out",
                    f"groups deeper than {DEEPEST_GROUP} levels are not read",
                    location,
                    lost=True,
                )
            )
        except FormatError as error:
            self.notify(
                Notice("object-left-out", f"{error.message}; left out", error.location, lost=True)
            )
        except ZmapError as error:
            if check_fault(name):
                self.notify(
                    Notice(
                        "object-left-out",
                        f"{name!r}: {error.message}; left out",
                        location,
                        lost=True,
                    )
                )
            else:
                raise
        return None

    def _array(self, name: str, key: str, document: Mapping[str, Json]) -> ArrayNode:
        location = self.metadata.array_where(key)
        attributes = attributes_of(document, location)
        described = read_array(document, location)
        note = None
        if self.superblock:
            found = nczarr.find_note(nczarr.ARRAY, (attributes,))
            if found is None:
                self.notify(
                    Notice(
                        "annotation-missing",
                        "the array has no NCZarr annotation; dimensions are inferred",
                        location,
                    )
                )
            else:
                note = nczarr_v3.read_array_note(found, location, self.notify)
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
        found = nczarr.find_note(nczarr_v3.TYPES, (attributes,))
        return nczarr_v3.read_types(found, location, self.notify)


def check_fault(name: str) -> bool:
    """Whether `name` cannot be that of a node."""
    try:
        check_inside(name or "/")
    except ZmapError:
        return True
    return False
