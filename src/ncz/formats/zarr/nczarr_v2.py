"""NCZarr's annotations on Zarr V2, of all four generations, to and from JSON.

Sources: the NCZarr documents of 2023 (version 1, Appendix F; keys in the objects) and of 2024 (keys
in `.zattrs`), and stores of netcdf-c 4.9.0 and 4.10.1.
"""

from __future__ import annotations

from collections.abc import Mapping

from ncz.errors import Notice, Notify
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.notes import (
    ARRAY,
    GROUP,
    SUPERBLOCK,
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

TYPES = "_nczarr_attr"
"""The attribute that holds the types of a node's attributes."""

OBJECTS = {
    SUPERBLOCK: ".nczarr",
    GROUP: ".nczgroup",
    ARRAY: ".nczarray",
    TYPES: ".nczattr",
}
"""The objects in which version 1 (netcdf-c up to 4.8.0) keeps them; since then they are members."""

_SPELLINGS = {
    "dimensions": ("dimensions", "dims"),
    "arrays": ("arrays", "vars"),
    "groups": ("groups",),
    "dimension_references": ("dimension_references", "dimrefs"),
}
"""The name of each member since netcdf-c 4.9.3, and before."""


def read_group_note(note: Json, location: str, notify: Notify) -> GroupNote | None:
    """Return the note of a group; None, with a notice, if it is not an object."""
    if not isinstance(note, dict):
        report_group_note(location, notify)
        return None
    dimensions, arrays, groups = (_member(note, n) for n in ("dimensions", "arrays", "groups"))
    return check_group_note(dimensions, arrays, groups, note.get("types"), location, notify)


def read_array_note(note: Json, location: str, notify: Notify) -> ArrayNote | None:
    """Return the note of an array; None, with a notice, if it is not an object."""
    if not isinstance(note, dict):
        report_array_note(location, notify)
        return None
    alias = note.get("type")
    return ArrayNote(
        dimension_references=check_references(
            _member(note, "dimension_references"), location, notify
        ),
        # netcdf-c 4.9.0 marks a scalar by its storage, later versions by a member of its own.
        scalar=bool(note.get("scalar")) or note.get("storage") == "scalar",
        type=alias if isinstance(alias, str) else None,
        fill_value=note.get("fill_value"),
        user_type=read_user_type(note),
        keeps_empty=note.get("keeps_empty") == 1,
    )


def read_types(note: Json, location: str, notify: Notify) -> Mapping[str, Json]:
    """Return the noted types of a node's attributes by name, dtypes and `OwnType`s."""
    if note is None or note == {}:
        return {}
    types = note.get("types") if isinstance(note, dict) else None
    if not isinstance(types, dict):
        notify(
            Notice(
                "attribute-type-inferred",
                f"{TYPES} has no types; attribute types are inferred",
                location,
            )
        )
        return {}
    return {**types, **read_own_types(note, types)}


def write_superblock() -> dict[str, Json]:
    """Return the note of the root group."""
    return {"version": "2.0.0"}


def write_group_note(note: GroupNote) -> dict[str, Json]:
    """Return the JSON of a group's note, as netcdf-c 4.10.1 writes it."""
    return {
        "dimensions": {
            d.name: {"size": d.size, "unlimited": 1} if d.unlimited else d.size
            for d in note.dimensions
        },
        "arrays": list(note.arrays),
        "groups": list(note.groups),
        **write_group_types(note),
    }


def write_array_note(note: ArrayNote) -> dict[str, Json]:
    """Return the JSON of an array's note, as netcdf-c 4.10.1 writes it.

    netcdf-c ignores the members from ``type`` on, which are ncz's own.
    """
    document: dict[str, Json] = {"dimension_references": list(note.dimension_references or ())}
    if note.scalar:
        document["scalar"] = 1
    document["storage"] = "chunked"
    if note.type is not None:
        document["type"] = note.type
    if note.fill_value is not None:
        document["fill_value"] = note.fill_value
    if note.user_type is not None:
        document["user_type"] = note.user_type
    if note.keeps_empty:
        document["keeps_empty"] = 1
    return document


def write_types(types: Mapping[str, Json], own: Mapping[str, OwnType]) -> dict[str, Json]:
    """Return the JSON of the noted types of attributes: dtypes by name, and ncz's own."""
    return {"types": dict(types), **write_own_types(own)}


def _member(note: Mapping[str, Json], name: str) -> Json:
    return next((note[spelling] for spelling in _SPELLINGS[name] if spelling in note), None)
