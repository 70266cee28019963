"""The draft of a Zarr store, which carries out each request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

from ncz.errors import SHOW_NAMES, FormatError, ignore_notice
from ncz.formats.edits import Change, Edit, Removal, Rename, Request, no_attribute
from ncz.formats.kept_sums import KeptSums
from ncz.formats.store_draft import StoreDraft
from ncz.formats.write_plan import WritePlan
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.documents.document_v2 import ZARRAY
from ncz.formats.zarr.documents.document_v3 import print_grid
from ncz.formats.zarr.documents.hierarchy import ArrayNode, Root
from ncz.formats.zarr.documents.notes import ARRAY, GROUP
from ncz.formats.zarr.documents.versions import find_root
from ncz.formats.zarr.edit.additions import add_planned_store
from ncz.formats.zarr.edit.attribute_edits import (
    ANNOTATED,
    NOTES,
    UNNOTED,
    TypeNotes,
    edit_attribute,
)
from ncz.formats.zarr.edit.changed_documents import changes_of
from ncz.formats.zarr.edit.draft import Draft, Node
from ncz.formats.zarr.edit.note_names import resize_dimension
from ncz.formats.zarr.edit.structure import remove, rename
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.opening.lost_root import no_store
from ncz.formats.zarr.opening.part import part_of
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.types.fill_values import is_null_fill, is_same_fill, read_fill
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.target import ZarrWritePlan, planned_documents
from ncz.model.chunks import ChunkLayout
from ncz.model.encoded_arrays import EncodedTarget
from ncz.model.json_text import print_json
from ncz.model.tree import Variable, base_name, parent, variables_by_fqn
from ncz.record import replace
from ncz.zmap import Zmap
from ncz.zmap.journal import Changes
from ncz.zmap.key import ZARR_JSON
from ncz.zmap.location import Location


class ZarrDraft(StoreDraft):
    """A Zarr store with its edits."""

    def __init__(self, zmap: Zmap, location: Location, renames: bool) -> None:
        """Begin with an unchanged store; see `ncz.formats.maintenance.Maintenance.draft`."""
        self._zmap = zmap
        self._root = editable_root(zmap, location)
        axes = _axes(zmap, location) if renames else {}
        tree = self._root.metadata.load("", self._root.superblock, ignore_notice)
        self._draft = Draft(zmap, tree, self._root, axes)
        self._is_array = any(isinstance(node, ArrayNode) and not node.key for node in tree.nodes())
        self._notes = _notes_of(self._draft, self._root)

    @property
    def is_pure(self) -> bool:
        """Whether the store is pure Zarr, and not NCZarr."""
        return not self._root.superblock

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes of a location for a store of the same form."""
        metadata = self._root.metadata
        return (
            "nczarr", f"v{metadata.zarr_format}",
            *(("zarr",) if self.is_pure else ()),
            *(("consolidated",) if metadata.has_consolidated else ()),
        )  # fmt: skip

    @property
    def is_annotated(self) -> bool:
        """Whether the store has annotations of facts that pure Zarr cannot express."""
        return self._draft.is_annotated

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The groups and arrays by their keys."""
        return self._draft.nodes

    def edit(self, request: Request) -> list[Change]:
        """Carry out a request in the draft."""
        return [*_EDITS[type(request)](self, request)]

    def edit_attribute(self, request: Edit) -> Iterator[Change]:
        """Change an attribute."""
        node = self.nodes.get("" if self._is_array else request.node)
        if node is None:
            what = f"no variable or group /{request.node}"
            raise FormatError(what, self._zmap.url, f"see {SHOW_NAMES}")
        before = dict(node.attributes)
        if request.action != "set" and request.name not in before:
            raise no_attribute(request, self.nodes, node.attributes_location)
        edit_attribute(node, request, self._notes)
        after = node.attributes
        for name in (request.name, request.new):
            if name is not None:
                yield Change(
                    node=node.key, name=name, before=_json(before, name), after=_json(after, name)
                )

    def remove(self, request: Removal) -> Iterator[Change]:
        """Remove a variable or a group."""
        return remove(self._draft, request, self._zmap.url)

    def rename(self, request: Rename) -> Iterator[Change]:
        """Rename a variable, a group or a dimension."""
        return rename(self._draft, request, self._zmap.url, pure=self.is_pure)

    def lengthen(
        self, fqn: str, variable: Variable, axis: int, layout: ChunkLayout
    ) -> ArrayPlan | None:
        """Give a variable of the store a new length along an axis."""
        stored = variable.data
        if not isinstance(stored, ZarrArray):
            return None
        array = ArrayPlan(
            fqn=fqn,
            variable=variable,
            layout=layout,
            encoding=stored.encoding,
            fill=stored.fill,
            keys=stored.keys,
            source=stored,
            is_root=self._is_array,
        )
        version = self._root.metadata.zarr_format
        document = self.nodes[array.key].documents[ZARRAY if version == 2 else ZARR_JSON]
        if layout.shape:  # a scalar only gets another value
            length, shape = layout.shape[axis], document["shape"]
            document["shape"] = [length if i == axis else n for i, n in enumerate(shape)]
            dimension = variable.dimensions[axis]
            group = self.nodes.get(parent(dimension)[1:])
            if group is not None:
                resize_dimension(group.note(GROUP), base_name(dimension), length)
        if layout.lengths is not None:
            document["chunk_grid"] = print_grid(layout)
        if version == 2 and array.fill is not None and not _says_fill(document, array):
            return replace(array, fills_missing=True)
        return array

    def add(self, plan: WritePlan, complete: Set[str]) -> None:
        """Add the groups, dimensions and variables of a plan."""
        assert isinstance(plan, ZarrWritePlan)
        if self._is_array:
            text = "the store is an array, which cannot have groups or arrays"
            raise FormatError(text, self._zmap.url, "write them to another store")
        add_planned_store(self._draft, planned_documents(plan.plan, complete))

    def keep_sums(self, array: EncodedTarget, sums: str) -> None:
        """Let the notes about an array keep the sums of its values."""
        node = self.nodes["" if self._is_array else array.fqn[1:]]
        node.note(ARRAY)["values"] = KeptSums(array.layout.shape, sums).to_json()
        self._draft.has_other_sums |= node.annotation is not None

    def changes(self, *, is_structural: bool) -> Changes:
        """Return the plan of the changes."""
        return changes_of(self._zmap, self._draft, self._root, is_structural=is_structural)


_EDITS: Mapping[type, Callable[[ZarrDraft, Any], Iterator[Change]]] = {
    Edit: ZarrDraft.edit_attribute,
    Removal: ZarrDraft.remove,
    Rename: ZarrDraft.rename,
}


def editable_root(zmap: Zmap, location: Location) -> Root:
    """Return the root of a store that can be changed. Raises `FormatError` or `ZmapError`."""
    root = find_root(zmap, location.modes, False if zmap.can_list else None, ignore_notice)
    if root is None:
        raise no_store(zmap)
    if root.superblock == 1:
        raise FormatError(
            "NCZarr of version 1 cannot be edited", zmap.url, "write a copy with ncz copy"
        )
    part = part_of(root, location)
    if part is not None:
        raise FormatError(
            f"this is /{part.key} of the store {part.store.display}, which has notes about it",
            zmap.url,
            "give the store; the names of members begin with the names of their groups",
        )
    return root


def _axes(zmap: Zmap, location: Location) -> dict[str, tuple[str, ...]]:
    """Return the FQNs of the dimensions of every variable, by its FQN."""
    dataset = open_dataset(zmap, name="", modes=location.modes - {"zarr"}, consolidated=False)
    return {fqn: variable.dimensions for fqn, variable in variables_by_fqn(dataset.root)}


def _notes_of(draft: Draft, root: Root) -> TypeNotes:
    """Return the place where a store keeps the types of attributes."""
    if root.superblock:
        return NOTES[root.metadata.zarr_format]
    return ANNOTATED if draft.is_annotated else UNNOTED


def _says_fill(document: Mapping[str, Json], array: ArrayPlan) -> bool:
    """Return whether a document of Zarr V2 has the value of missing chunks, and not only a note.

    Other readers take ``fill_value`` for their values, and null for zeros.
    """
    fill = read_fill(document.get("fill_value"), array.encoding)
    if fill is None:
        return is_null_fill(array.fill, array.encoding)
    return is_same_fill(fill, array.fill)


def _json(members: Mapping[str, Json], name: str) -> str | None:
    return print_json(members[name]) if name in members else None
