"""Annotations of pure Zarr: netCDF metadata that Zarr lacks, in a member of consolidated metadata.

No other reader sees that member. It contains the notes that NCZarr keeps in attributes, for each
node. docs/reference/annotations.md specifies it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ncz.errors import Notice, Notify
from ncz.formats.zarr.documents import notes as nczarr
from ncz.formats.zarr.documents.notes import ArrayNote, GroupNote, OwnType
from ncz.formats.zarr.json import Json
from ncz.record import record

VERSION = 1


@record(kw_only=True)
class NodeNote:
    """Annotations of a group or of an array: `group` or `array` is None.

    `types` are the noted types of attributes, dtypes and `OwnType`s. `digest` is the digest of the
    document that the note of an array belongs to; see `digest_of`.
    """

    group: GroupNote | None = None
    array: ArrayNote | None = None
    types: Mapping[str, Json] = {}
    digest: str = ""


def digest_of(
    shape: Sequence[int], unlimited: Sequence[bool], data_type: Json, attributes: Iterable[str]
) -> str:
    """Return a digest of the document that a note belongs to.

    Parameters
    ----------
    shape, unlimited
        The length of each axis, and whether its dimension is unlimited.
    data_type
        The data type as JSON, as the document of the array has it.
    attributes
        The names of the attributes.
    """
    lengths = [None if grows else length for length, grows in zip(shape, unlimited, strict=True)]
    text = json.dumps(
        [lengths, data_type, sorted(attributes)], separators=(",", ":"), sort_keys=True
    )
    return f"{zlib.crc32(text.encode('ascii')):08x}"


def read_annotations(member: Json, location: str, notify: Notify) -> dict[str, NodeNote]:
    """Return the notes of all nodes by key; invalid ones are left out, with one notice."""
    if member is None:
        return {}
    nodes = member.get("nodes") if isinstance(member, dict) else None
    if not isinstance(nodes, dict) or member.get("version") != VERSION:
        fault = f"the annotations are not of version {VERSION}; the store is read as pure Zarr"
        notify(Notice("annotation-damaged", fault, location))
        return {}
    return {
        key.strip("/"): _read_node(node, location, notify)
        for key, node in nodes.items()
        if isinstance(node, dict)
    }


def _read_node(node: Mapping[str, Json], location: str, notify: Notify) -> NodeNote:
    group, array = node.get("group"), node.get("array")
    return NodeNote(
        group=None if group is None else nczarr.V2.read_group(group, location, notify),
        array=_read_array(array) if isinstance(array, dict) else None,
        types=nczarr.V2.read_types(node.get("attributes"), location, notify),
        digest=str(node.get("digest")),
    )


def _read_array(note: Mapping[str, Json]) -> ArrayNote:
    names, alias, user_type = (note.get(m) for m in ("dimension_references", "type", "user_type"))
    order, stand_in = note.get("attribute_order"), note.get("mask_stand_in")
    beside = note.get("beside_fill")
    is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return ArrayNote(
        dimension_references=tuple(names) if isinstance(names, list) and is_list else None,
        type=alias if isinstance(alias, str) else None,
        no_fill=note.get("no_fill") == 1,
        fill_value=note.get("fill_value"),
        user_type=user_type if isinstance(user_type, str) else None,
        mask=note.get("mask"),
        mask_stand_in=stand_in if isinstance(stand_in, str) else None,
        beside_fill=tuple(beside) if isinstance(beside, list) else (),
        no_mask=note.get("no_mask") == 1,
        keeps_empty=note.get("keeps_empty") == 1,
        values=nczarr.read_kept_sums(note),
        attribute_order=tuple(map(str, order)) if isinstance(order, list) else (),
    )


def write_group(note: GroupNote, types: Mapping[str, Json], own: Mapping[str, OwnType]) -> Json:
    """Return the JSON of the note of a group."""
    return {"group": nczarr.V2.write_group(note), **_attributes(types, own)}


def write_array(
    note: ArrayNote, types: Mapping[str, Json], own: Mapping[str, OwnType], digest: str
) -> Json:
    """Return the JSON of the note of an array."""
    references = note.dimension_references
    members: dict[str, Any] = {
        "dimension_references": None if references is None else list(references),
        "type": note.type,
        "user_type": note.user_type,
        "fill_value": note.fill_value,
        "beside_fill": list(note.beside_fill) or None,
        "mask": note.mask,
        "mask_stand_in": note.mask_stand_in,
        "no_fill": int(note.no_fill) or None,
        "no_mask": int(note.no_mask) or None,
        "keeps_empty": int(note.keeps_empty) or None,
        "values": None if note.values is None else note.values.to_json(),
        "attribute_order": list(note.attribute_order) or None,
    }
    array = {name: value for name, value in members.items() if value is not None}
    return {"digest": digest, "array": array, **_attributes(types, own)}


def _attributes(types: Mapping[str, Json], own: Mapping[str, OwnType]) -> dict[str, Json]:
    return {"attributes": nczarr.V2.write_types(types, own)} if types or own else {}


def write_annotations(nodes: Mapping[str, Json]) -> dict[str, Json]:
    """Return the member that annotates the nodes, given the JSON of each by its key."""
    return {"version": VERSION, "nodes": dict(nodes)}
