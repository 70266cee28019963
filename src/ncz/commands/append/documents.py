"""The documents of a store that becomes longer."""

from __future__ import annotations

from ncz.commands.append.additions import Addition
from ncz.commands.edit.command import notes_of
from ncz.commands.joining.agreement import Agreement
from ncz.commands.joining.attributes import owned_attributes
from ncz.errors import ignore_notice
from ncz.formats.edits import Edit
from ncz.formats.zarr.edit.attribute_edits import edit_attribute
from ncz.formats.zarr.edit.draft import Draft
from ncz.formats.zarr.edit.note_names import resize_dimension
from ncz.formats.zarr.fill_values import is_null_fill, is_same_fill, read_fill
from ncz.formats.zarr.hierarchy import Root
from ncz.formats.zarr.notes import GROUP
from ncz.model.tree import Dataset, base_name, parent, variables_by_fqn
from ncz.record import replace
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON


def set_attributes(draft: Draft, root: Root, old: Dataset, agreement: Agreement) -> None:
    """Change the attributes of a store to those that the datasets have in common."""
    notes = notes_of(draft, root)
    for fqn, before in owned_attributes(old.root):
        node, after = fqn.removeprefix("/"), agreement.attributes(fqn)
        names = {a.name for a in after}
        edits = [
            Edit(action="delete", node=node, name=a.name) for a in before if a.name not in names
        ]
        edits += [
            Edit(action="set", node=node, name=a.name, attribute=a)
            for a in after
            if a not in before
        ]
        for edit in edits:
            edit_attribute(draft.nodes[node], edit, notes)


def lengthen(zmap: Zmap, root: Root, additions: list[Addition], old: Dataset) -> Draft:
    """Return the documents of the store with the new lengths."""
    version = root.metadata.zarr_format
    draft = Draft(zmap, root.metadata.load("", root.superblock, ignore_notice), root, {})
    variables = dict(variables_by_fqn(old.root))
    for addition in additions:
        array = addition.array
        document = draft.nodes[array.key].documents[".zarray" if version == 2 else ZARR_JSON]
        document["shape"] = [
            addition.stop if axis == addition.axis else length
            for axis, length in enumerate(document["shape"])
        ]
        fqn = variables[array.fqn].dimensions[addition.axis]
        group = draft.nodes.get(parent(fqn)[1:])
        if group is not None:
            resize_dimension(group.note(GROUP), base_name(fqn), addition.stop)
    return draft


def with_missing_chunks(addition: Addition, draft: Draft, root: Root) -> Addition:
    """Return an addition that writes missing chunks if only a note says what they hold.

    Other readers take ``fill_value`` of Zarr V2 for their values, and null for zeros.
    """
    array = addition.array
    if root.metadata.zarr_format != 2 or array.fill is None:
        return addition
    fill = read_fill(draft.nodes[array.key].documents[".zarray"].get("fill_value"), array.encoding)
    is_noted = is_null_fill(array.fill, array.encoding)
    if fill is not None:
        is_noted = is_same_fill(fill, array.fill)
    return replace(addition, array=replace(array, fills_missing=not is_noted))
