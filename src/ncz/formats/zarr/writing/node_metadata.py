"""Metadata of groups and arrays that the documents of every version have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ncz.formats.zarr.documents import notes
from ncz.formats.zarr.documents.notes import GroupNote
from ncz.formats.zarr.documents.quantization import write_quantize
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.model.tree import Attribute, Group, Variable, base_name
from ncz.model.types import Atomic


def array_attributes(array: ArrayPlan) -> list[Attribute]:
    """Return the attributes of an array, with one that records how values were rounded."""
    attributes = list(array.attributes)
    quantize = array.variable.storage.quantize
    if quantize is not None:
        recorded = write_quantize(quantize)
        if array.variable.attribute(recorded.name) is None:
            attributes.append(recorded)
    return attributes


def group_attributes(group: Group, *, is_root: bool) -> list[Attribute]:
    """Return the attributes of a group, without the root's ``_NCProperties``, which are new."""
    return [a for a in group.attributes if not (is_root and a.name == notes.PROPERTIES)]


def group_note(group: Group) -> GroupNote:
    """Return NCZarr's note of a group."""
    return GroupNote(
        dimensions=group.dimensions,
        arrays=tuple(v.name for v in group.variables),
        groups=tuple(g.name for g in group.groups),
        types=_declarations(group) if group.types else {},
    )


def _declarations(group: Group) -> Mapping[str, Any]:
    """Return the declaration of each user-defined type by name."""
    from ncz.model.type_declarations import describe_user_type

    return {base_name(t.name): describe_user_type(t) for t in group.types}


def user_type_of(variable: Variable) -> str | None:
    """Return the FQN of a variable's type if it is user-defined, or None."""
    return None if isinstance(variable.type, Atomic) else variable.type.name
