"""NCZarr's annotations on Zarr V3 to and from JSON.

Source: the NCZarr document, Appendix E. docs/nczarr-v3.md specifies them in full, with what the
appendix leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping

from ncz.errors import Notice, Notify
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.notes import (
    ArrayNote,
    GroupNote,
    OwnType,
    check_group_note,
    check_references,
    read_own_types,
    read_user_type,
    report_array_note,
    report_group_note,
    write_group_types,
    write_own_types,
)
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, plain_type

TYPES = "_nczarr_attrs"
"""The attribute that holds the types of a node's attributes."""

_DTYPES = {
    "char": ">S1",
    "string": "|S128",
    "json": "|J0",
    "int8": "<i1",
    "uint8": "<u1",
    "int16": "<i2",
    "uint16": "<u2",
    "int32": "<i4",
    "uint32": "<u4",
    "int64": "<i8",
    "uint64": "<u8",
    "float32": "<f4",
    "float64": "<f8",
}
"""The types of attributes, with the dtypes by which V2 notes them."""

_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def read_group_note(note: Json, location: str, notify: Notify) -> GroupNote | None:
    """Return the note of a group; None, with a notice, if it is not an object."""
    if not isinstance(note, dict):
        report_group_note(location, notify)
        return None
    dimensions = note.get("dimensions")
    if isinstance(dimensions, list):
        dimensions = {
            str(d["name"]): {"size": d.get("size"), "unlimited": d.get("unlimited", 0)}
            for d in dimensions
            if isinstance(d, dict) and "name" in d
        }
    groups = note.get("subgroups", note.get("groups"))
    arrays, types = note.get("arrays"), note.get("types")
    return check_group_note(dimensions, arrays, groups, types, location, notify)


def read_array_note(note: Json, location: str, notify: Notify) -> ArrayNote | None:
    """Return the note of an array; None, with a notice, if it is not an object."""
    if not isinstance(note, dict):
        report_array_note(location, notify)
        return None
    alias = note.get("type_alias")
    return ArrayNote(
        dimension_references=check_references(note.get("dimension_references"), location, notify),
        type=alias if isinstance(alias, str) else None,
        no_fill=bool(note.get("no_fill")),
        user_type=read_user_type(note),
        mask=note.get("mask"),
        keeps_empty=note.get("keeps_empty") == 1,
    )


def read_types(note: Json, location: str, notify: Notify) -> Mapping[str, Json]:
    """Return the noted types of a node's attributes by name, as `nczarr.v2.read_types` does."""
    if note is None:
        return {}
    types = note.get("attribute_types") if isinstance(note, dict) else None
    if not isinstance(types, list):
        notify(
            Notice(
                "attribute-type-inferred",
                f"{TYPES} has no attribute_types; types are inferred",
                location,
            )
        )
        return {}
    found: dict[str, Json] = {}
    for entry in types:
        if isinstance(entry, dict) and isinstance(entry.get("configuration"), dict):
            name, said = entry.get("name"), entry["configuration"].get("type")
            if isinstance(name, str):
                found[name] = _DTYPES.get(said, said) if isinstance(said, str) else said
    return {**found, **read_own_types(note, found)}


def write_superblock() -> dict[str, Json]:
    """Return the note of the root group."""
    return {"version": "3.0.0", "format": 3}


def write_group_note(note: GroupNote) -> dict[str, Json]:
    """Return the JSON of a group's note."""
    return {
        "dimensions": [
            {"name": d.name, "size": d.size, "unlimited": int(d.unlimited)} for d in note.dimensions
        ],
        "arrays": list(note.arrays),
        "subgroups": list(note.groups),
        **write_group_types(note),
    }


def write_array_note(note: ArrayNote) -> dict[str, Json]:
    """Return the JSON of an array's note."""
    document: dict[str, Json] = {"dimension_references": list(note.dimension_references or ())}
    if note.type is not None:
        document["type_alias"] = note.type
    if note.no_fill:
        document["no_fill"] = 1
    if note.user_type is not None:
        document["user_type"] = note.user_type
    if note.mask is not None:
        document["mask"] = note.mask
    if note.keeps_empty:
        document["keeps_empty"] = 1
    return document


def write_types(types: Mapping[str, str], own: Mapping[str, OwnType]) -> dict[str, Json]:
    """Return the JSON of the noted types of attributes, given by name, and ncz's own."""
    return {
        "attribute_types": [
            {"name": name, "configuration": {"type": said}} for name, said in types.items()
        ],
        **write_own_types(own),
    }


def type_of(attribute: Attribute) -> str:
    """Return the name by which the type of an attribute is noted."""
    nc_type = plain_type(attribute.type)
    if nc_type is Atomic.CHAR:
        return "char"
    if nc_type is Atomic.STRING:
        return "string"
    return _NAMES[f"<{nc_type.kind}{nc_type.size}"]
