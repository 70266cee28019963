"""Annotations of pure Zarr merged into the tree of a store, as far as they still fit.

Other programs change stores without updating annotations. So each part of a note is compared with
the store, and a part that does not fit is ignored: pure Zarr decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from ncz.errors import Notice, Notify, ignore_notice, list_names
from ncz.formats.zarr.documents.annotations import (
    NodeNote,
    digest_of,
    read_annotations,
    write_array,
    write_group,
)
from ncz.formats.zarr.documents.attributes import read_user_attribute, typed_values, without_nan
from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZMETADATA
from ncz.formats.zarr.documents.hierarchy import ArrayNode, GroupNode
from ncz.formats.zarr.documents.meaning import means_same
from ncz.formats.zarr.documents.notes import (
    ANNOTATIONS,
    ArrayNote,
    GroupNote,
    NotedJson,
    NotedTexts,
    OwnType,
    UserTypeName,
)
from ncz.formats.zarr.documents.versions import find_root
from ncz.formats.zarr.json import Json, print_document
from ncz.model.tree import Dimension, base_name, join
from ncz.model.type_declarations import read_declarations
from ncz.model.types import Atomic, NcType, UserType
from ncz.record import replace
from ncz.zmap.memory import MemoryZmap


def renewed_document(key: str, document: Mapping[str, Json]) -> dict[str, Json]:
    """Return the document that contains consolidated metadata with annotations as far as they fit.

    Parameters
    ----------
    key
        Its key: `.zmetadata` in V2, and the `zarr.json` of the root in V3.
    document
        Its contents: the current documents of all nodes.
    """
    place = document if key == ZMETADATA else document["consolidated_metadata"]
    if place.get(ANNOTATIONS) is None:
        return dict(document)
    zmap = MemoryZmap({key: print_document(dict(document))}, "memory://")
    store_root = find_root(zmap, (), True, ignore_notice)
    if store_root is None or store_root.superblock:
        return dict(document)
    root = store_root.metadata.load("", 0, ignore_notice)
    whole = {**place, ANNOTATIONS: renew(root, place[ANNOTATIONS])}
    return whole if key == ZMETADATA else {**document, "consolidated_metadata": whole}


Node = TypeVar("Node", GroupNode, ArrayNode)


def with_annotations(root: GroupNode, member: Json, location: str, notify: Notify) -> GroupNode:
    """Return the tree of a pure store, merged with its annotations.

    Parameters
    ----------
    root
        The tree, as stored now.
    member
        The annotations as JSON; None if none exist.
    location
        Where they are, for messages.
    notify
        Receives one notice that names the changes since they were written.
    """
    notes = read_annotations(member, location, notify)
    if not notes:
        return root
    merging = _Merger(root, notes)
    merged = merging.group(root)
    if merging.outdated:
        notify(
            Notice(
                "annotation-outdated",
                "the annotations are older than the store, and are ignored where they do not fit:"
                f" {list_names(list(merging.outdated))}",
                location,
            )
        )
    return merged


def renew(root: GroupNode, member: Json) -> Json:
    """Return annotations as far as they fit the tree of a store, so that none is outdated.

    Parameters
    ----------
    root
        The tree, as stored now.
    member
        The annotations as JSON. Annotations of another version are returned unchanged.
    """
    notes = read_annotations(member, "", ignore_notice)
    if not notes:
        return member
    merging = _Merger(root, notes)
    merged = merging.group(root)
    notes_by_key = {key.strip("/"): node for key, node in member["nodes"].items()}
    nodes: dict[str, Json] = {}
    for group in merged.walk():
        if group.key in notes_by_key:
            nodes[group.key] = merging.renewed_group(group, notes_by_key[group.key])
        for array in group.arrays:
            if array.key in notes_by_key:
                nodes[array.key] = merging.renewed_array(array, notes_by_key[array.key])
    return {**member, "nodes": dict(sorted(nodes.items()))}


class _Merger:
    """Merges the annotations of one store."""

    def __init__(self, root: GroupNode, notes: Mapping[str, NodeNote]) -> None:
        self.notes = notes
        self.stored: dict[str, ArrayNode] = {}
        """The arrays as stored, by their keys."""
        self.outdated: dict[str, None] = {}
        """The FQNs of nodes that do not fit."""
        self.declared = {
            join(group.fqn, dimension.name): dimension
            for group in root.walk()
            for dimension in self._group_note(group).dimensions
        }
        self.types: Mapping[str, UserType] = read_declarations(
            {
                join(group.fqn, name): declaration
                for group in root.walk()
                for name, declaration in self._group_note(group).types.items()
            },
            lambda *_: None,
        )
        self.references = dict(self._fitting_references(root))

    def _group_note(self, group: GroupNode) -> GroupNote:
        note = self.notes.get(group.key)
        return note.group if note is not None and note.group is not None else GroupNote()

    def _fitting_references(self, root: GroupNode) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the key and the dimensions of each array whose noted dimensions fit.

        An unlimited dimension gets the length of the first array that has it. One of fixed length
        is dropped if all arrays that had it have another length now.
        """
        lengths: dict[str, int] = {}
        unfit: set[str] = set()
        for group in root.walk():
            for array in group.arrays:
                noted = self.notes.get(array.key, NodeNote()).array
                references = () if noted is None else noted.dimension_references or ()
                axes = list(zip(references, array.document.layout.shape, strict=False))
                if noted is None or noted.dimension_references is None:
                    continue
                if self._fits(array, references, lengths):
                    lengths |= dict(axes)
                    yield array.key, references
                else:
                    unfit.update(fqn for fqn, length in axes if not self._has(fqn, length))
        for fqn, dimension in list(self.declared.items()):
            if fqn in lengths:
                self.declared[fqn] = replace(dimension, size=lengths[fqn])
            elif fqn in unfit:
                del self.declared[fqn]

    def _has(self, fqn: str, length: int) -> bool:
        dimension = self.declared.get(fqn)
        return dimension is not None and (dimension.unlimited or dimension.size == length)

    def _fits(
        self, array: ArrayNode, references: tuple[str, ...], lengths: Mapping[str, int]
    ) -> bool:
        """Return whether the noted dimensions of an array agree with its shape and its names."""
        shape = array.document.layout.shape
        if len(references) != len(shape):
            return False
        names = array.dimension_names
        if not isinstance(names, list) or len(names) != len(shape):
            names = [None] * len(shape)
        return all(
            self._has(fqn, length)
            and lengths.get(fqn, length) == length
            and name in (None, base_name(fqn))
            for fqn, length, name in zip(references, shape, names, strict=True)
        )

    def group(self, node: GroupNode) -> GroupNode:
        """Return a group with its note, and everything below it with theirs."""
        noted = self.notes.get(node.key)
        arrays, groups = list(map(self.array, node.arrays)), list(map(self.group, node.groups))
        note = self._group_note(node)
        dimensions = [self.declared.get(join(node.fqn, d.name)) for d in note.dimensions]
        arrays.sort(key=_place_in(note.arrays))
        groups.sort(key=_place_in(note.groups))
        merged = replace(node, arrays=tuple(arrays), groups=tuple(groups))
        if noted is None:
            return merged
        fitting = tuple(d for d in dimensions if isinstance(d, Dimension))
        return self._with_types(replace(merged, note=replace(note, dimensions=fitting)), noted)

    def array(self, node: ArrayNode) -> ArrayNode:
        """Return an array with as much of its note as fits."""
        noted = self.notes.get(node.key)
        note = None if noted is None else noted.array
        if noted is None or note is None:
            return node
        references = self.references.get(node.key)
        is_same = noted.digest == self._digest(node, note)
        self.stored[node.key] = node
        stand_in = note.mask_stand_in
        has_mask = is_same and (
            stand_in is None or node.attributes.get(stand_in) == without_nan(note.mask)
        )
        is_filled_so = not note.beside_fill or means_same(
            {"fill_value": note.beside_fill[0]}, {"fill_value": node.document.raw_fill}, ZARRAY
        )
        has_fill = is_filled_so and (is_same or node.document.no_fill)
        is_whole = note.values is not None and note.values.shape == node.document.layout.shape
        fitting = ArrayNote(
            dimension_references=references,
            type=note.type,
            user_type=note.user_type if note.user_type in self.types else None,
            no_fill=note.no_fill and is_same and is_filled_so,
            fill_value=note.fill_value if has_fill else None,
            beside_fill=note.beside_fill if is_filled_so else (),
            mask=note.mask if has_mask else None,
            mask_stand_in=stand_in if has_mask else None,
            no_mask=note.no_mask and is_same and is_filled_so,
            keeps_empty=note.keeps_empty and is_same,
            values=note.values if is_whole else None,
            attribute_order=note.attribute_order,
        )
        if fitting != note:
            self.outdated[node.fqn] = None
        merged = replace(node, note=fitting)
        if has_mask and stand_in is not None:
            own = {name: value for name, value in node.attributes.items() if name != stand_in}
            merged = replace(merged, attributes=own)
        return self._with_types(merged, noted)

    def renewed_group(self, node: GroupNode, group_note: Json) -> Json:
        """Return the parts of the note `said` that fit a merged group, as JSON."""
        noted, note = self.notes.get(node.key), node.note
        is_same = noted is None or (note == noted.group and node.types == noted.types)
        return group_note if note is None or is_same else write_group(note, *_types_of(node))

    def renewed_array(self, node: ArrayNode, array_note: Json) -> Json:
        """Return the parts of the note `said` that fit a merged array, as JSON."""
        noted, note = self.notes.get(node.key), node.note
        if noted is None or note is None:
            return array_note
        digest = self._digest(self.stored[node.key], note)
        is_same = note == noted.array and node.types == noted.types
        if is_same and digest == noted.digest:
            return array_note
        return write_array(note, *_types_of(node), digest)

    def _digest(self, node: ArrayNode, note: ArrayNote) -> str:
        references, shape = note.dimension_references, node.document.layout.shape
        if references is None:
            references = ("",) * len(shape)
        if len(references) != len(shape):
            return "none"
        grows = [(d := self.declared.get(fqn)) is not None and d.unlimited for fqn in references]
        return digest_of(shape, grows, node.document.data_type, node.attributes)

    def _with_types(self, node: Node, noted: NodeNote) -> Node:
        """Return a node with the noted types of its attributes that fit their values."""
        types: dict[str, Json] = {}
        attributes = node.attributes
        for name, noted_type in noted.types.items():
            value = attributes.get(name)
            if name == "_FillValue":
                value = self._mask(node, value, noted_type)
            is_elsewhere = name == "_FillValue" and name not in attributes  # a noted mask
            if is_elsewhere or (name in attributes and self._is_typed(name, value, noted_type)):
                types[name] = noted_type
            elif name in attributes:
                self.outdated[node.fqn] = None
        return replace(node, types=types)

    def _mask(self, node: GroupNode | ArrayNode, value: Json, noted_type: Json) -> Json:
        """Return a mask of a floating or user-defined type, which V3 may contain in base64."""
        nc_type: NcType | None = (
            self.types.get(noted_type.fqn) if isinstance(noted_type, UserTypeName) else None
        )
        if noted_type in ("<f4", "<f8"):
            nc_type = Atomic.DOUBLE
        if nc_type is None or not isinstance(node, ArrayNode):
            return value
        return node.document.read_fill_attribute(value, nc_type)

    def _is_typed(self, name: str, value: Json, noted_type: Json) -> bool:
        if isinstance(noted_type, NotedTexts):
            return noted_type.attribute(name, value) is not None
        if isinstance(noted_type, NotedJson):
            return isinstance(value, dict | list)
        if isinstance(noted_type, UserTypeName):
            nc_type = self.types.get(noted_type.fqn)
            return nc_type is not None and read_user_attribute(name, value, nc_type) is not None
        return typed_values(value, noted_type) is not None


def _types_of(node: GroupNode | ArrayNode) -> tuple[dict[str, Json], dict[str, OwnType]]:
    """Return the noted types of a node's attributes, and ncz's own notes of them."""
    own = {n: t for n, t in node.types.items() if isinstance(t, OwnType)}
    types = {n: t for n, t in node.types.items() if not isinstance(t, OwnType)}
    texts = {n: t.dtype for n, t in own.items() if isinstance(t, NotedTexts)}
    return {name: (types | texts)[name] for name in node.types if name in types | texts}, own


def _place_in(names: tuple[str, ...]) -> Callable[[GroupNode | ArrayNode], int]:
    places = {name: place for place, name in enumerate(names)}
    return lambda node: places.get(node.name, len(places))
