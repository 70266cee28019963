"""Write the documents of a store, for any version of Zarr."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from ncz._version import __version__
from ncz.formats.kept_sums import KeptSums
from ncz.formats.zarr.arrays.strings import DEFAULT_MAXIMUM, declared_length
from ncz.formats.zarr.documents import notes
from ncz.formats.zarr.documents.notes import NoteSpelling, own_types_of
from ncz.formats.zarr.json import Json, print_document
from ncz.formats.zarr.writing.annotation_writer import annotations_of
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.node_metadata import group_attributes, group_note
from ncz.formats.zarr.writing.plan import DatasetPlan
from ncz.model.tree import Attribute, Group, walk
from ncz.zmap import WritableZmap
from ncz.zmap.key import join_key

if TYPE_CHECKING:
    from ncz.formats.zarr.writing.annotation_writer import StoredNode


class MetadataWriter(ABC):
    """Writes the metadata documents of one store; a subclass writes one version of Zarr."""

    spelling: ClassVar[NoteSpelling]

    def __init__(self, plan: DatasetPlan, zmap: WritableZmap) -> None:
        self.plan = plan
        self.options = plan.options
        self.zmap = zmap
        self.documents: dict[str, dict[str, Json]] = {}
        """The documents that were written, by key."""
        self.sums: dict[str, str] = {}
        """The sums of the values of variables, by FQN, which the store keeps."""
        declared = declared_length(plan.dataset.root.attributes, DEFAULT_MAXIMUM)
        self.default_length = declared or notes.DEFAULT_STRING_LENGTH

    @abstractmethod
    def write_array(self, array: ArrayPlan, *, complete: bool) -> None:
        """Write the documents of an array, whose chunks are written.

        `complete` is true if no chunk is missing. Raises `FormatError` for values that V3 cannot
        represent.
        """

    @abstractmethod
    def write_group(self, key: str, attributes: dict[str, Json]) -> None:
        """Write the documents of a group."""

    @abstractmethod
    def consolidate(self, attributes: dict[str, Json]) -> None:
        """Write the documents of the root with these attributes, and all in one."""

    @abstractmethod
    def stored_node(self, key: str) -> StoredNode:
        """Return the contents of the documents of a node."""

    @abstractmethod
    def json_of(self, attribute: Attribute, array: ArrayPlan | None) -> Json:
        """Return the JSON of an attribute of an array, or of a group."""

    def write_groups(self) -> None:
        """Write the documents of all groups, the root's last."""
        groups = list(walk(self.plan.dataset.root))
        for fqn, group in reversed(groups[1:]):
            self.write_group(join_key(fqn), self.group_attributes(group))
        attributes = self.group_attributes(self.plan.dataset.root, is_root=True)
        if self.options.consolidated:
            self.consolidate(attributes)
        else:
            self.write_group("", attributes)

    def put(self, key: str, document: dict[str, Json]) -> None:
        """Write one document, and remember it for consolidated metadata."""
        self.put_text(key, document, print_document(document))

    def put_text(self, key: str, document: dict[str, Json], text: bytes) -> None:
        """Write one document whose text is known; see `put`."""
        self.documents[key] = document
        self.zmap.put(key, text)

    def annotations(self) -> Json:
        """Return the annotations of pure Zarr; None if none exist."""
        return (
            annotations_of(self.plan, self.stored_node, self.kept_sums)
            if self.options.has_annotations
            else None
        )

    def kept_sums(self, array: ArrayPlan) -> KeptSums | None:
        """Return the sums of the values of an array that the store keeps.

        They come from the source, if its values are written unchanged.
        """
        sums = self.sums.get(array.fqn)
        data = array.variable.data
        if sums is None and data is not None:
            is_changing = array.variable.storage.quantize or self.options.store.changing_option
            is_same = data.grid.shape == array.layout.shape and data.type == array.encoding.type
            sums = data.kept_sums() if is_same and not is_changing else None
        return None if sums is None else KeptSums(array.layout.shape, sums)

    def group_attributes(self, group: Group, *, is_root: bool = False) -> dict[str, Json]:
        """Return the stored attributes of a group."""
        attributes = group_attributes(group, is_root=is_root)
        members, types = self.user_attributes(attributes, None)
        if self.options.pure:
            return members
        noted: dict[str, Json] = {notes.GROUP: self.spelling.write_group(group_note(group))}
        if is_root:
            superblock = self.spelling.superblock
            version = superblock["version"]
            members[notes.PROPERTIES] = f"version=2,ncz={__version__},nczarr={version}"
            types[notes.PROPERTIES] = self.spelling.char
            noted[notes.SUPERBLOCK] = dict(superblock)
        return self.with_notes(members, types, noted, attributes)

    def user_attributes(
        self, attributes: Sequence[Attribute], array: ArrayPlan | None
    ) -> tuple[dict[str, Json], dict[str, Json]]:
        """Return the JSON of attributes, and how their types are noted."""
        length = array.encoding.string_length if array is not None else 0
        return (
            {a.name: self.json_of(a, array) for a in attributes},
            {a.name: self.spelling.type_of(a, length or self.default_length) for a in attributes},
        )

    def with_notes(
        self,
        members: Mapping[str, Json],
        types: Mapping[str, Json],
        noted: Mapping[str, Json],
        attributes: Sequence[Attribute],
    ) -> dict[str, Json]:
        """Return stored attributes with NCZarr's notes, and with the types of all."""
        name = self.spelling.types
        types = {**types, **dict.fromkeys((*noted, name), self.spelling.json)}
        own = own_types_of(attributes)
        return {**members, **noted, name: self.spelling.write_types(types, own)}
