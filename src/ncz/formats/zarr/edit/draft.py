"""The metadata documents of a store while they are edited, and the changed ones."""

from __future__ import annotations

import copy
from collections.abc import Container, Iterator, Mapping

from ncz.formats.zarr.documents.annotations import digest_of
from ncz.formats.zarr.documents.document_v2 import DIMENSION_NAMES, ZARRAY, ZATTRS, ZGROUP
from ncz.formats.zarr.documents.hierarchy import ArrayNode, GroupNode, Root
from ncz.formats.zarr.documents.notes import ARRAY, GROUP, V2, parse_notes
from ncz.formats.zarr.edit.note_names import note_of
from ncz.formats.zarr.json import Json, parse_document
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, join_key

_MEMBERS = {GROUP: "group", ARRAY: "array", V2.types: "attributes"}
"""The members of the annotation of a node that contain the metadata of NCZarr."""

_DOCUMENTS: Mapping[int, tuple[str, ...]] = {2: (ZATTRS, ZGROUP, ZARRAY), 3: (ZARR_JSON,)}
"""The documents of a node in each version of Zarr; the first has its attributes."""


class Node:
    """A group or an array. Its documents are read when they are first needed.

    Attributes
    ----------
    key
        Its key after the edits so far.
    origin
        Its key in the store.
    axes
        The FQNs of the dimensions of an array; None for a group.
    annotation
        Its part of the annotations of pure Zarr, which may be changed; None if the store is not
        annotated.
    """

    def __init__(
        self,
        zmap: Zmap,
        key: str,
        stored: Mapping[str, Json],
        version: int,
        axes: list[str] | None,
        annotation: dict[str, Json] | None,
    ) -> None:
        self._zmap = zmap
        self.key = self.origin = key
        self._stored = stored
        self._version = version
        self.axes = axes
        self.annotation = annotation
        self._before: dict[str, dict[str, Json]] = {}
        self._documents: dict[str, dict[str, Json]] | None = None

    @property
    def documents(self) -> dict[str, dict[str, Json]]:
        """The documents by name, which may be changed. Raises `FormatError`."""
        if self._documents is None:
            for name in _DOCUMENTS[self._version]:
                key = join_key(self.origin, name)
                data = self._zmap.get(key)
                if data is not None:
                    self._before[name] = parse_document(data, self._zmap.where(key))
                    parse_notes(self._before[name])
                    if isinstance(attributes := self._before[name].get("attributes"), dict):
                        parse_notes(attributes)
            self._documents = copy.deepcopy(self._before)
        return self._documents

    @documents.setter
    def documents(self, documents: dict[str, dict[str, Json]]) -> None:
        before = self.documents
        self._documents = {**{name: {} for name in before}, **documents}

    @property
    def attributes(self) -> dict[str, Json]:
        """The attributes, with the annotations among them; may be changed."""
        if self._version == 2:
            return self.documents.setdefault(ZATTRS, {})
        document = self.documents.setdefault(ZARR_JSON, {})
        attributes: dict[str, Json] = document.setdefault("attributes", {})
        return attributes

    @attributes.setter
    def attributes(self, members: dict[str, Json]) -> None:
        if self._version == 2:
            self.documents[ZATTRS] = members
        else:
            self.documents[ZARR_JSON]["attributes"] = members

    def note(self, name: str) -> dict[str, Json]:
        """Return the note `name`, which may be changed; an empty one if none exists."""
        if self.annotation is not None:
            member = _MEMBERS.get(name)
            return {} if member is None else self.annotation.setdefault(member, {})
        return note_of(name, (self.attributes, *self.documents.values()))

    @property
    def attributes_location(self) -> str:
        """The place of the attributes, for messages."""
        return self._zmap.where(join_key(self.origin, _DOCUMENTS[self._version][0]))

    @property
    def visible_attributes(self) -> Mapping[str, Json]:
        """The current attributes, which must not be changed."""
        return self._stored if self._documents is None else self.attributes

    def changed_documents(self) -> Iterator[tuple[str, dict[str, Json]]]:
        """Yield the name and the content of every document that was changed."""
        for name, document in (self._documents or {}).items():
            if self._before.get(name) != document and (document or name in self._before):
                yield name, document

    def current_annotation(self, unlimited: Container[str]) -> dict[str, Json]:
        """Return the current annotation of the node, without empty members.

        It has the digest of the new document, if it had the digest of the old one.
        """
        annotation = {name: text for name, text in (self.annotation or {}).items() if text}
        references = annotation.get("array", {}).get("dimension_references", [])
        grows = [fqn in unlimited for fqn in references]
        if self._documents is not None and "digest" in annotation:
            was = self._digest(self._before, grows)
            if was == annotation["digest"]:
                annotation["digest"] = self._digest(self._documents, grows)
        return annotation

    def _digest(self, documents: Mapping[str, dict[str, Json]], grows: list[bool]) -> str | None:
        """Return the digest of the documents of an array; None for other nodes."""
        name, member = (ZARRAY, "dtype") if self._version == 2 else (ZARR_JSON, "data_type")
        document = documents.get(name, {})
        shape = document.get("shape")
        if not isinstance(shape, list) or len(shape) != len(grows):
            return None
        attributes = documents.get(ZATTRS, document.get("attributes")) or {}
        return digest_of(shape, grows, document.get(member), attributes)

    def rename_axis(self, axis: int, old: str, new: str) -> None:
        """Change the name of an axis where other programs than NCZarr's look for it."""
        place = self.attributes if self._version == 2 else self.documents[ZARR_JSON]
        member = DIMENSION_NAMES if self._version == 2 else "dimension_names"
        names = place.get(member)
        count = len(self.axes or ())
        if not isinstance(names, list) or len(names) != count:
            names = [None] * count
        if names[axis] in (old, None):
            place[member] = [new if i == axis else name for i, name in enumerate(names)]


class Draft:
    """The nodes of a store by their keys, in the order of the store."""

    def __init__(
        self, zmap: Zmap, tree: GroupNode, root: Root, axes: Mapping[str, tuple[str, ...]]
    ) -> None:
        """Begin with the nodes of a store.

        Parameters
        ----------
        tree, root
            The nodes, and the notes of the root about the store.
        axes
            The FQNs of the dimensions of every variable, by its FQN.
        """
        member = None if root.superblock else copy.deepcopy(root.metadata.annotations)
        noted = member.get("nodes") if isinstance(member, dict) else None
        self.is_annotated = isinstance(noted, dict)
        self._member = member if self.is_annotated else None
        annotations = noted if isinstance(noted, dict) else {}
        self.nodes = {
            node.key: Node(
                zmap,
                node.key,
                node.attributes,
                root.metadata.zarr_format,
                list(axes.get(f"/{node.key}", ())) if isinstance(node, ArrayNode) else None,
                annotations.setdefault(node.key, {}) if self.is_annotated else None,
            )
            for node in tree.nodes()
        }
        self._zmap, self._version = zmap, root.metadata.zarr_format
        self._origins = tuple(self.nodes)
        self.has_other_sums = False
        """Whether annotations keep other sums of values, which no document of an array shows."""

    def below(self, key: str) -> list[Node]:
        """Return the node at `key` and all nodes below it."""
        return [n for k, n in self.nodes.items() if k == key or k.startswith(f"{key}/")]

    def add(self, key: str, documents: dict[str, dict[str, Json]], annotation: Json) -> Node:
        """Give the node at `key` these documents, and its annotation; return it.

        It is a new node if none exists.
        """
        if key not in self.nodes:
            self.nodes[key] = Node(self._zmap, key, {}, self._version, None, None)
        node = self.nodes[key]
        node.documents = documents
        if self.is_annotated:
            node.annotation = annotation if isinstance(annotation, dict) else {}
        return node

    def rename(self, key: str, new: str) -> None:
        """Give the node at `key` and the nodes below it new keys."""
        new_keys = {node.key: new + node.key[len(key) :] for node in self.below(key)}
        self.nodes = {new_keys.get(k, k): node for k, node in self.nodes.items()}
        for k, node in self.nodes.items():
            node.key = k

    def remove(self, key: str) -> None:
        """Remove the node at `key` and the nodes below it."""
        for node in self.below(key):
            del self.nodes[node.key]

    def places(self) -> dict[str, str | None]:
        """Return the new keys of nodes that do not follow from the keys of their groups.

        Returns
        -------
        dict
            By the old key; None for a node that is removed.
        """
        keys_by_origin = {node.origin: node.key for node in self.nodes.values()}
        places: dict[str, str | None] = {}
        for origin in self._origins:
            group, _, name = origin.rpartition("/")
            above = keys_by_origin.get(group) if origin else ""
            expected = None if above is None else join_key(above, name)
            if keys_by_origin.get(origin) != expected:
                places[origin] = keys_by_origin.get(origin)
        return places

    def annotations(self) -> Json:
        """Return the current annotations; None if the store is not annotated."""
        if self._member is None:
            return None
        unlimited = {
            f"/{join_key(node.key, name)}"
            for node in self.nodes.values()
            for name, size in node.note(GROUP).get("dimensions", {}).items()
            if isinstance(size, dict) and size.get("unlimited")
        }
        nodes = {
            key: node.current_annotation(unlimited) for key, node in sorted(self.nodes.items())
        }
        return {**self._member, "nodes": {key: member for key, member in nodes.items() if member}}

    def changed_documents(self) -> dict[str, dict[str, Json]]:
        """Return the changed documents by their new keys."""
        return {
            join_key(node.key, name): document
            for node in self.nodes.values()
            for name, document in node.changed_documents()
        }
