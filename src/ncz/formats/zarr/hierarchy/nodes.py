"""The tree of a store's groups and arrays, as its documents describe it.

What is broken or missing below the root is left out with a notice, so that one bad object hides no
other; broken documents of the root are an error, for nothing can be said without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.errors import FormatError, Notice, Notify, ZmapError
from ncz.formats.zarr.document.json import Json
from ncz.formats.zarr.document.v2 import ARRAY, ATTRIBUTES, GROUP, ArrayDocument, read_array
from ncz.formats.zarr.hierarchy.metadata import Metadata, key_of
from ncz.formats.zarr.mapping.attributes import DIMENSION_NAMES
from ncz.formats.zarr.nczarr import v2 as nczarr
from ncz.formats.zarr.nczarr.v2 import ArrayNote, GroupNote
from ncz.record import field, record
from ncz.zmap.key import check_inside, join_key

if TYPE_CHECKING:
    from ncz.formats.zarr.document.v3 import ArrayDocumentV3

DEEPEST_GROUP = 100
"""Levels of groups that are read."""


@record(kw_only=True)
class ArrayNode:
    """An array: its documents, checked. `key` is its prefix in the store."""

    name: str
    key: str
    document: ArrayDocument | ArrayDocumentV3
    attributes: Mapping[str, Json]
    types: Mapping[str, Json]
    note: ArrayNote | None
    dimension_names: Json = None
    """What the format says of the names of its axes: a list, or nothing."""


@record(kw_only=True)
class GroupNode:
    """A group, with what is in it in the store's order."""

    name: str
    key: str
    attributes: Mapping[str, Json]
    types: Mapping[str, Json]
    note: GroupNote | None
    arrays: tuple[ArrayNode, ...]
    groups: tuple[GroupNode, ...]


@record
class Loader:
    """Loads nodes. `superblock` is the NCZarr major version, 0 for pure Zarr."""

    metadata: Metadata
    superblock: int
    notify: Notify
    _documents: dict[int, tuple[Mapping[str, Json], ArrayDocument]] = field(default_factory=dict)

    def root(self, name: str) -> GroupNode:
        """The whole tree. Raises `FormatError` if the root's own documents are broken."""
        zgroup, zattrs = self.metadata.get("", GROUP), self.metadata.get("", ATTRIBUTES)
        zarray = None if zgroup is not None else self.metadata.get("", ARRAY)
        if zarray is None:
            return self._group("", "", zgroup, zattrs, 0)
        array = ArrayNode(
            name=name,
            key="",
            document=read_array(zarray, self.metadata.array_where(""), self.notify),
            attributes=zattrs or {},
            types={},
            note=None,
            dimension_names=(zattrs or {}).get(DIMENSION_NAMES),
        )
        return GroupNode(
            name="", key="", attributes={}, types={}, note=None, arrays=(array,), groups=()
        )

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
        self.metadata.expect(_asked_for(key, children, note))
        for child in children:
            node = self._child(child, join_key(key, child), depth + 1)
            if isinstance(node, ArrayNode):
                arrays.append(node)
            elif node is not None:
                groups.append(node)
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
        location = self.metadata.attributes_where(key)
        found = nczarr.find_note(nczarr.GROUP, (zattrs, zgroup))
        if found is None and self.superblock == 1:
            found = self._get(key, nczarr.OBJECTS[nczarr.GROUP])
        if found is None:
            self.notify(
                Notice(
                    "annotation-missing",
                    "the group has no NCZarr annotation; it is searched, and its dimensions are"
                    " inferred",
                    location,
                )
            )
            return None
        return nczarr.read_group_note(found, location, self.notify)

    def _children(self, key: str, note: GroupNote | None) -> list[str]:
        if note is not None:
            return list(dict.fromkeys((*note.arrays, *note.groups)))
        return [name for name in self.metadata.children(key) if self._is_child(name, key)]

    def _is_child(self, name: str, key: str) -> bool:
        """True if what a search found can be a group or an array; reported if it should be."""
        if name.startswith(".") and name not in (".", ".."):
            return False
        try:
            check_inside(name or "/")  # a name, unlike a key, cannot be empty
        except ZmapError as error:
            self.notify(
                Notice(
                    "object-left-out",
                    f"{name!r}: {error.message}; left out",
                    self.metadata.location(key),
                    lost=True,
                )
            )
            return False
        return True

    def _child(self, name: str, key: str, depth: int) -> ArrayNode | GroupNode | None:
        listed = self.superblock > 0
        zarray = self._get(key, ARRAY)
        if zarray is not None:
            return self._array(name, key, zarray)
        zgroup = self._get(key, GROUP)
        zattrs = self._get(key, ATTRIBUTES) if zgroup is not None or listed else None
        if zgroup is None and zattrs is None:
            if listed:
                self.notify(
                    Notice(
                        "object-missing",
                        "listed by its group, but not in the store",
                        self.metadata.location(key),
                    )
                )
            return None
        if depth > DEEPEST_GROUP:
            self.notify(
                Notice(
                    "group-left-out",
                    f"groups deeper than {DEEPEST_GROUP} levels are not read",
                    self.metadata.location(key),
                    lost=True,
                )
            )
            return None
        return self._group(name, key, zgroup, zattrs, depth)

    def _array(self, name: str, key: str, zarray: Mapping[str, Json]) -> ArrayNode | None:
        location = self.metadata.array_where(key)
        try:
            document = self._document(zarray, location)
        except FormatError as error:
            self._leave_out(error)
            return None
        attributes = self._get(key, ATTRIBUTES) or {}
        note = None
        if self.superblock:
            found = nczarr.find_note(nczarr.ARRAY, (attributes, zarray))
            if found is None and self.superblock == 1:
                found = self._get(key, nczarr.OBJECTS[nczarr.ARRAY])
            if found is None:
                self.notify(
                    Notice(
                        "annotation-missing",
                        "the array has no NCZarr annotation; its dimensions are inferred",
                        self.metadata.attributes_where(key),
                    )
                )
            else:
                note = nczarr.read_array_note(found, location, self.notify)
        return ArrayNode(
            name=name,
            key=key,
            document=document,
            attributes=attributes,
            types=self._types(key, attributes),
            note=note,
            dimension_names=attributes.get(DIMENSION_NAMES),
        )

    def _document(self, zarray: Mapping[str, Json], location: str) -> ArrayDocument:
        """What a `.zarray` says; worked out once for those that are one object."""
        known = self._documents.get(id(zarray))
        if known is not None:
            return known[1]
        told: list[Notice] = []
        document = read_array(zarray, location, told.append)
        if not told:
            self._documents[id(zarray)] = zarray, document
        for notice in told:
            self.notify(notice)
        return document

    def _types(self, key: str, attributes: Mapping[str, Json]) -> Mapping[str, Json]:
        if not self.superblock:
            return {}
        found = nczarr.find_note(nczarr.TYPES, (attributes,))
        if found is None and self.superblock == 1:
            found = self._get(key, nczarr.OBJECTS[nczarr.TYPES])
        return nczarr.read_types(found, self.metadata.attributes_where(key), self.notify)

    def _get(self, key: str, name: str) -> dict[str, Json] | None:
        """A document below the root: None, with a notice, if it is broken."""
        try:
            return self.metadata.get(key, name)
        except FormatError as error:
            self._leave_out(error)
            return None

    def _leave_out(self, error: FormatError) -> None:
        self.notify(
            Notice("object-left-out", f"{error.message}; left out", error.location, lost=True)
        )


def _asked_for(key: str, children: Iterable[str], note: GroupNote | None) -> Iterator[str]:
    """The documents by which children are found, of those of which it is not known too."""
    for child in children:
        path = join_key(key, child)
        if note is None or child not in note.groups:
            yield from (key_of(path, ARRAY), key_of(path, ATTRIBUTES))
        else:
            yield from (key_of(path, name) for name in (ARRAY, GROUP, ATTRIBUTES))
