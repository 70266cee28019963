"""Apply edits to the attributes of one node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ncz.commands.edit.draft import Node
from ncz.commands.edit.request import Edit
from ncz.errors import FormatError, ignore_notice
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.mapping.attributes import dtype_of_attribute, write_attribute
from ncz.formats.zarr.nczarr import v2, v3
from ncz.formats.zarr.nczarr.notes import OwnType, own_types_of, read_own_types, write_own_types
from ncz.model.tree import Attribute

Types = tuple[dict[str, str], dict[str, OwnType]]
"""The noted types of attributes by name: dtypes or names of NCZarr, and what ncz notes beside."""


class TypeNotes(Protocol):
    """Where the types of attributes are noted."""

    @property
    def typed(self) -> bool:
        """Whether the type of every attribute is noted."""
        ...

    @property
    def strict(self) -> bool:
        """Whether numbers that are not finite are written as text; see `write_attribute`."""
        ...

    def read(self, node: Node) -> Types:
        """Return the noted types of the attributes of a node."""
        ...

    def write(self, node: Node, types: Types) -> None:
        """Replace the noted types."""
        ...

    def type_of(self, attribute: Attribute) -> str:
        """Return how the type of an attribute is noted."""
        ...


class _NotesV2:
    """In the member ``types`` of ``_nczarr_attr``, of which older versions wrote capitals."""

    typed, strict = True, False

    def read(self, node: Node) -> Types:
        note = node.note(v2.TYPES)
        types = note.get("types")
        known = dict(types) if isinstance(types, dict) else {}
        return known, read_own_types(note, known)

    def write(self, node: Node, types: Types) -> None:
        name = _member(node.attributes, v2.TYPES)
        others = _others(node.note(v2.TYPES))
        node.attributes[name] = {**others, **v2.write_types(*types)}

    def type_of(self, attribute: Attribute) -> str:
        return dtype_of_attribute(attribute)


class _NotesV3:
    """In the list ``attribute_types`` of ``_nczarr_attrs``."""

    typed, strict = True, True

    def read(self, node: Node) -> Types:
        note = node.note(v3.TYPES)
        listed = note.get("attribute_types")
        known = {
            entry["name"]: entry["configuration"]["type"]
            for entry in (listed if isinstance(listed, list) else [])
        }
        return known, read_own_types(note, v3.read_types(note, "", ignore_notice))

    def write(self, node: Node, types: Types) -> None:
        node.attributes[_member(node.attributes, v3.TYPES)] = v3.write_types(*types)

    def type_of(self, attribute: Attribute) -> str:
        return v3.type_of(attribute)


class _Annotated(_NotesV2):
    """In the annotations of pure Zarr, with the dtypes of V2."""

    typed = False

    def write(self, node: Node, types: Types) -> None:
        note = node.note(v2.TYPES)
        note |= {"types": {}, **v2.write_types(*types)}
        for name in {"user_types", "texts"} - write_own_types(types[1]).keys():
            note.pop(name, None)


class _Unnoted:
    """Nowhere, in pure Zarr without annotations."""

    typed, strict = False, False

    def read(self, _: Node) -> Types:
        return {}, {}

    def write(self, node: Node, types: Types) -> None:
        pass

    def type_of(self, attribute: Attribute) -> str:
        return dtype_of_attribute(attribute)


NOTES: Mapping[int, TypeNotes] = {2: _NotesV2(), 3: _NotesV3()}
"""The notes of NCZarr in each version of Zarr."""

ANNOTATED: TypeNotes = _Annotated()
UNNOTED: TypeNotes = _Unnoted()


def edit_attribute(node: Node, edit: Edit, notes: TypeNotes) -> None:
    """Change an attribute of a node; the order of attributes stays.

    Parameters
    ----------
    node
        The node.
    edit
        The change.
    notes
        Where types are noted.

    Raises
    ------
    FormatError
        If an attribute does not exist, or its new name does.
    """
    result = dict(node.attributes)
    types, own = notes.read(node)
    location = node.attributes_location
    if edit.action != "set" and edit.name not in result:
        raise FormatError(f"no attribute {edit.name}", location, "see 'ncz dump -h'")
    if edit.attribute is not None:
        result[edit.name] = write_attribute(edit.attribute, typed=notes.typed, strict=notes.strict)
        types[edit.name] = notes.type_of(edit.attribute)
        own.pop(edit.name, None)
        own |= own_types_of((edit.attribute,))
    elif edit.new is not None:
        if edit.new in result:
            raise FormatError(f"attribute {edit.new} already exists", location)
        result = {edit.new if n == edit.name else n: v for n, v in result.items()}
        types = {edit.new if n == edit.name else n: t for n, t in types.items()}
        own = {edit.new if n == edit.name else n: t for n, t in own.items()}
    else:
        del result[edit.name]
        types.pop(edit.name, None)
        own.pop(edit.name, None)
    node.attributes = result
    notes.write(node, (types, own))


def _others(note: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in note.items() if name not in ("user_types", "texts")}


def _member(members: Mapping[str, Json], name: str) -> str:
    return next((key for key in members if key.lower() == name), name)
