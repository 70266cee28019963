"""Apply edits to the JSON of the attributes of one node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ncz.commands.edit.request import Edit
from ncz.errors import FormatError
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.mapping.attributes import dtype_of_attribute, write_attribute
from ncz.formats.zarr.nczarr import v2, v3
from ncz.formats.zarr.nczarr.notes import UserTypeName, read_user_types
from ncz.model.tree import Attribute


class TypeNotes(Protocol):
    """The types of attributes that NCZarr notes in one version of Zarr."""

    attribute: str
    """The attribute that holds the note."""

    @property
    def strict(self) -> bool:
        """Whether numbers that are not finite are written as text; see `write_attribute`."""
        ...

    def read(self, members: Mapping[str, Json]) -> dict[str, str]:
        """Return the noted types by name."""
        ...

    def write(
        self,
        members: dict[str, Json],
        types: Mapping[str, str],
        user_types: Mapping[str, UserTypeName],
    ) -> None:
        """Replace the noted types."""
        ...

    def type_of(self, attribute: Attribute) -> str:
        """Return how the type of an attribute is noted."""
        ...


class _NotesV2:
    """In the member ``types`` of ``_nczarr_attr``, of which older versions wrote capitals."""

    attribute = v2.TYPES
    strict = False

    def read(self, members: Mapping[str, Json]) -> dict[str, str]:
        note = members.get(_member(members, v2.TYPES))
        types = note.get("types") if isinstance(note, dict) else None
        return dict(types) if isinstance(types, dict) else {}

    def write(
        self,
        members: dict[str, Json],
        types: Mapping[str, str],
        user_types: Mapping[str, UserTypeName],
    ) -> None:
        name = _member(members, v2.TYPES)
        note = members.get(name)
        others = (
            {k: v for k, v in note.items() if k != "user_types"} if isinstance(note, dict) else {}
        )
        members[name] = {**others, **v2.write_types(types, user_types)}

    def type_of(self, attribute: Attribute) -> str:
        return dtype_of_attribute(attribute)


class _NotesV3:
    """In the list ``attribute_types`` of ``_nczarr_attrs``."""

    attribute = v3.TYPES
    strict = True

    def read(self, members: Mapping[str, Json]) -> dict[str, str]:
        note = members.get(_member(members, v3.TYPES))
        listed = note.get("attribute_types") if isinstance(note, dict) else None
        return {
            entry["name"]: entry["configuration"]["type"]
            for entry in (listed if isinstance(listed, list) else [])
        }

    def write(
        self,
        members: dict[str, Json],
        types: Mapping[str, str],
        user_types: Mapping[str, UserTypeName],
    ) -> None:
        members[_member(members, v3.TYPES)] = v3.write_types(types, user_types)

    def type_of(self, attribute: Attribute) -> str:
        return v3.type_of(attribute)


NOTES: Mapping[int, TypeNotes] = {2: _NotesV2(), 3: _NotesV3()}
"""The notes of each version of Zarr."""


def edited(
    members: Mapping[str, Json], edit: Edit, notes: TypeNotes | None, location: str
) -> dict[str, Json]:
    """Return the attributes of a node after an edit, in the order of the old ones.

    Parameters
    ----------
    members
        The attributes as they are stored.
    edit
        The change.
    notes
        How NCZarr notes types; None for pure Zarr.
    location
        Where the attributes are, for messages.

    Raises
    ------
    FormatError
        If an attribute does not exist, or its new name does.
    """
    result = dict(members)
    types = {} if notes is None else notes.read(members)
    note = None if notes is None else members.get(_member(members, notes.attribute))
    user_types = read_user_types(note)
    if edit.action != "set" and edit.name not in result:
        raise FormatError(f"no attribute {edit.name}", location, "see 'ncz dump -h'")
    if edit.attribute is not None:
        result[edit.name] = write_attribute(
            edit.attribute, typed=notes is not None, strict=notes is not None and notes.strict
        )
        user_types.pop(edit.name, None)
        if notes is not None:
            types[edit.name] = notes.type_of(edit.attribute)
    elif edit.new is not None:
        if edit.new in result:
            raise FormatError(f"attribute {edit.new} already exists", location)
        result = {edit.new if n == edit.name else n: v for n, v in result.items()}
        types = {edit.new if n == edit.name else n: t for n, t in types.items()}
        user_types = {edit.new if n == edit.name else n: t for n, t in user_types.items()}
    else:
        del result[edit.name]
        types.pop(edit.name, None)
        user_types.pop(edit.name, None)
    if notes is not None:
        notes.write(result, types, user_types)
    return result


def _member(members: Mapping[str, Json], name: str) -> str:
    return next((key for key in members if key.lower() == name), name)
