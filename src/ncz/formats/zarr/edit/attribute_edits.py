"""Apply edits to the attributes of one node."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.errors import FormatError
from ncz.formats.edits import Edit
from ncz.formats.zarr.documents.attributes import write_attribute
from ncz.formats.zarr.documents.notes import (
    OWN_MEMBERS,
    V2,
    V3,
    NoteSpelling,
    OwnType,
    own_types_of,
    read_own_types,
    write_own_types,
)
from ncz.formats.zarr.edit.draft import Node
from ncz.formats.zarr.json import Json

Types = tuple[dict[str, Json], dict[str, OwnType]]
"""The noted types of attributes by name: dtypes or names of NCZarr, and ncz's own notes of them."""


class TypeNotes:
    """Nowhere, in pure Zarr without annotations: the types of attributes are not noted.

    Attributes
    ----------
    spelling
        How types are noted.
    typed
        Whether the type of every attribute is noted.
    strict
        Whether numbers that are not finite are written as text; see `write_attribute`.
    """

    typed = False

    def __init__(self, spelling: NoteSpelling = V2) -> None:
        self.spelling = spelling
        self.strict = spelling is V3

    def read(self, node: Node) -> Types:
        """Return the noted types of the attributes of a node."""
        return {}, {}

    def write(self, node: Node, types: Types) -> None:
        """Replace the noted types."""


class _InAttribute(TypeNotes):
    """In an attribute of NCZarr, whose name older versions wrote in capitals."""

    typed = True

    def read(self, node: Node) -> Types:
        note = node.note(self.spelling.types)
        known = self.spelling.noted_types(note) or {}
        return known, read_own_types(note, self.spelling.dtypes(known))

    def write(self, node: Node, types: Types) -> None:
        name = _member(node.attributes, self.spelling.types)
        others = _others(node.note(self.spelling.types))
        node.attributes[name] = {**others, **self.spelling.write_types(*types)}


class _InAnnotations(_InAttribute):
    """In the annotations of pure Zarr, with the dtypes of V2."""

    typed = False

    def write(self, node: Node, types: Types) -> None:
        note = node.note(self.spelling.types)
        note |= {"types": {}, **self.spelling.write_types(*types)}
        for name in set(OWN_MEMBERS) - write_own_types(types[1]).keys():
            note.pop(name, None)


NOTES: Mapping[int, TypeNotes] = {2: _InAttribute(V2), 3: _InAttribute(V3)}
"""The notes of NCZarr in each version of Zarr."""

ANNOTATED = _InAnnotations()
UNNOTED = TypeNotes()


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
        If an attribute with the new name exists.
    """
    result = dict(node.attributes)
    types, own = notes.read(node)
    location = node.attributes_location
    if edit.attribute is not None:
        result[edit.name] = write_attribute(edit.attribute, typed=notes.typed, strict=notes.strict)
        types[edit.name] = notes.spelling.type_of(edit.attribute)
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
    return {name: value for name, value in note.items() if name not in OWN_MEMBERS}


def _member(members: Mapping[str, Json], name: str) -> str:
    return next((key for key in members if key.lower() == name), name)
