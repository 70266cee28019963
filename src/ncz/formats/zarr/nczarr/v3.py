"""What NCZarr adds to Zarr V3: the same notes as in V2, spelled as the document's Appendix E does.

docs/nczarr-v3.md is the whole of it, with what the appendix leaves open.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterable, Mapping

from ncz.errors import Notice, Notify
from ncz.formats.zarr.document.json import Json
from ncz.formats.zarr.nczarr import v2 as nczarr
from ncz.formats.zarr.nczarr.v2 import ArrayNote, GroupNote
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, NcType

TYPES = "_nczarr_attrs"

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
"""The types of attributes, and how V2 notes each."""

_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def read_group_note(note: Json, location: str, notify: Notify) -> GroupNote | None:
    """The note of a group; None, with a notice, if it is none at all."""
    if not isinstance(note, dict):
        return nczarr.read_group_note(note, location, notify)
    dimensions = note.get("dimensions")
    if isinstance(dimensions, list):
        dimensions = {
            str(d["name"]): {"size": d.get("size"), "unlimited": d.get("unlimited", 0)}
            for d in dimensions
            if isinstance(d, dict) and "name" in d
        }
    spelled = {
        "dimensions": dimensions,
        "arrays": note.get("arrays"),
        "groups": note.get("subgroups", note.get("groups")),
    }
    return nczarr.read_group_note(spelled, location, notify)


def read_array_note(note: Json, location: str, notify: Notify) -> ArrayNote | None:
    """The note of an array; None, with a notice, if it is none at all."""
    if isinstance(note, dict):
        note = {**note, "type": note.get("type_alias")}
    return nczarr.read_array_note(note, location, notify)


def read_types(note: Json, location: str, notify: Notify) -> Mapping[str, Json]:
    """The dtypes, in the words of V2, of a node's attributes by name."""
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
    found = {}
    for entry in types:
        if isinstance(entry, dict) and isinstance(entry.get("configuration"), dict):
            name, said = entry.get("name"), entry["configuration"].get("type")
            if isinstance(name, str):
                found[name] = _DTYPES.get(said, said) if isinstance(said, str) else said
    return found


def read_fill_attribute(value: Json, variable_type: NcType) -> Json:
    """The ``_FillValue`` of an array of V3 as it stands in V2.

    xarray writes a float's eight bytes, little-endian, in base64; NCZarr a char's number.
    """
    if variable_type is Atomic.CHAR and type(value) is int and 0 <= value < 256:
        return chr(value)
    if isinstance(variable_type, Atomic) and variable_type.is_floating and isinstance(value, str):
        try:
            data = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            return value
        if len(data) == 8:
            return float(struct.unpack("<d", data)[0])
    return value


def write_superblock() -> dict[str, Json]:
    """The note of the root group."""
    return {"version": "3.0.0", "format": 3}


def write_group_note(note: GroupNote) -> dict[str, Json]:
    """The note of a group."""
    return {
        "dimensions": [
            {"name": d.name, "size": d.size, "unlimited": int(d.unlimited)} for d in note.dimensions
        ],
        "arrays": list(note.arrays),
        "subgroups": list(note.groups),
    }


def write_array_note(
    references: Iterable[str], alias: str | None, *, no_fill: bool
) -> dict[str, Json]:
    """The note of an array; `alias` is "char" where the data type is uint8."""
    note: dict[str, Json] = {"dimension_references": list(references)}
    if alias is not None:
        note["type_alias"] = alias
    if no_fill:
        note["no_fill"] = 1
    return note


def write_types(types: Mapping[str, str]) -> dict[str, Json]:
    """The note of the attributes' types, by name."""
    return {
        "attribute_types": [
            {"name": name, "configuration": {"type": said}} for name, said in types.items()
        ]
    }


def type_of(attribute: Attribute) -> str:
    """The name by which the type of an attribute is noted."""
    nc_type = attribute.type
    assert isinstance(nc_type, Atomic)
    if nc_type is Atomic.CHAR:
        return "char"
    if nc_type is Atomic.STRING:
        return "string"
    return _NAMES[f"<{nc_type.kind}{nc_type.size}"]
