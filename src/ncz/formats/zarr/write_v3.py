"""The documents of a Zarr V3 store: NCZarr as docs/nczarr-v3.md specifies it, or pure.

Every node has one document, which holds its attributes too.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence

from ncz._version import __version__
from ncz.formats.zarr import notes
from ncz.formats.zarr.attributes import write_attribute
from ncz.formats.zarr.consolidated import inline
from ncz.formats.zarr.dimensions import names_to_write
from ncz.formats.zarr.document_v3 import print_array, print_group
from ncz.formats.zarr.elements import has_void_elements, is_complex
from ncz.formats.zarr.json import Json, print_document
from ncz.formats.zarr.notes import ArrayNote
from ncz.formats.zarr.plan import ArrayPlan, DatasetPlan, leaves_mask_out, masks_no_number
from ncz.formats.zarr.write_notes import (
    StoredNode,
    annotations_of,
    array_attributes,
    group_attributes,
    group_note,
    user_type_of,
)
from ncz.model.tree import Attribute, Group, walk
from ncz.model.types import Atomic, Compound, Enumeration
from ncz.zmap import WritableZmap
from ncz.zmap.key import ZARR_JSON, join_key


class MetadataWriterV3:
    """Writes the documents of one store."""

    def __init__(self, plan: DatasetPlan, zmap: WritableZmap) -> None:
        self.plan = plan
        self.options = plan.options
        self.zmap = zmap
        self.documents: dict[str, dict[str, Json]] = {}

    def write_array(self, array: ArrayPlan, *, complete: bool) -> None:
        """Write the document of an array, with its attributes, whether or not it is `complete`."""
        self.put(array.key, self.array_document(array))

    def write_groups(self) -> None:
        """Write the documents of all groups, that of the root last."""
        groups = list(walk(self.plan.dataset.root))
        for fqn, group in reversed(groups[1:]):
            self.put(join_key(fqn), print_group(self.group_attributes(group)))
        root = print_group(self.group_attributes(groups[0][1], is_root=True))
        if self.options.consolidated:
            self.documents[""] = root
            annotations = annotations_of(self.plan, self.stored) if self.options.annotated else None
            root = {**root, "consolidated_metadata": inline(self.documents, annotations)}
        self.put("", root)

    def stored(self, key: str) -> StoredNode:
        """Return what the document of a node says."""
        document = self.documents[key]
        return StoredNode(
            attributes=document["attributes"],
            data_type=document.get("data_type"),
            fill_value=document.get("fill_value"),
        )

    def put(self, key: str, document: dict[str, Json]) -> None:
        """Write one document, and remember it for consolidated metadata."""
        self.documents[key] = document
        self.zmap.put(join_key(key, ZARR_JSON), print_document(document))

    def array_document(self, array: ArrayPlan) -> dict[str, Json]:
        """Return the document of an array. Raises `FormatError` for what V3 cannot hold."""
        names: list[Json] | None = None
        if self.options.xarray and array.layout.rank:
            names = names_to_write(array.variable, pure=self.options.pure)
        return print_array(
            array.layout,
            array.encoding,
            array.fill,
            keys=array.keys,
            attributes=self.array_attributes(array),
            dimension_names=names,
        )

    def array_attributes(self, array: ArrayPlan) -> dict[str, Json]:
        """Return the attributes of an array."""
        variable = array.variable
        attributes = [a for a in array_attributes(array) if self.is_readable(a, array)]
        members, types = self.user_attributes(attributes, variable.type)
        if not self.options.pure:
            alias = (
                "char" if array.encoding.dtype == "|u1" and variable.type is Atomic.CHAR else None
            )
            # xarray opens no array of V3 whose mask is a structure or raw bytes.
            is_void = has_void_elements(array.encoding) or is_complex(array.encoding)
            has_note = (is_void and array.mask is not None) or masks_no_number(array)
            note = ArrayNote(
                dimension_references=variable.dimensions,
                type=alias,
                no_fill=array.fill is None,
                user_type=user_type_of(variable),
                keeps_empty=array.encoding.keeps_empty,
                mask=members.pop("_FillValue") if has_note else None,
            )
            members[notes.ARRAY] = notes.V3.write_array(note)
            types |= {notes.ARRAY: "json", notes.V3.types: "json"}
            members[notes.V3.types] = notes.V3.write_types(types, notes.own_types_of(attributes))
        return members

    def is_readable(self, attribute: Attribute, array: ArrayPlan) -> bool:
        """Return whether xarray opens an array with this attribute; see `leaves_mask_out`."""
        is_mask = attribute.name == "_FillValue"
        is_lost = self.options.pure and masks_no_number(array)
        is_left_out = leaves_mask_out(array, self.plan.dataset.provenance)
        return not (is_mask and (is_lost or is_left_out))

    def group_attributes(self, group: Group, *, is_root: bool = False) -> dict[str, Json]:
        """Return the attributes of a group."""
        attributes = group_attributes(group, is_root=is_root)
        members, types = self.user_attributes(attributes, None)
        if self.options.pure:
            return members
        if is_root:
            members[notes.PROPERTIES] = f"version=2,ncz={__version__},nczarr=3.0.0"
            types[notes.PROPERTIES] = "char"
        members[notes.GROUP] = notes.V3.write_group(group_note(group))
        types[notes.GROUP] = "json"
        if is_root:
            members[notes.SUPERBLOCK] = dict(notes.V3.superblock)
            types[notes.SUPERBLOCK] = "json"
        types[notes.V3.types] = "json"
        members[notes.V3.types] = notes.V3.write_types(types, notes.own_types_of(attributes))
        return members

    def user_attributes(
        self, attributes: Sequence[Attribute], variable_type: object
    ) -> tuple[dict[str, Json], dict[str, str]]:
        """Return the JSON of attributes, and the names by which their types are noted."""
        members: dict[str, Json] = {}
        types: dict[str, str] = {}
        for attribute in attributes:
            members[attribute.name] = _value(attribute, variable_type, typed=not self.options.pure)
            if not self.options.pure:
                types[attribute.name] = notes.V3.type_of(attribute)
        return members, types


def _value(attribute: Attribute, variable_type: object, *, typed: bool) -> Json:
    """Return the JSON of an attribute; a fill value as xarray reads it in V3."""
    types = (attribute.type, variable_type)
    is_floating = all(isinstance(each, Atomic) and each.is_floating for each in types)
    is_mask = attribute.type is variable_type or is_floating
    is_fill = attribute.name == "_FillValue" and is_mask
    if is_fill and len(attribute.values) == 1:
        value = attribute.values[0]
        if isinstance(value, float):
            return _bytes_of(value)
        is_compound = isinstance(attribute.type, Compound)
        if isinstance(value, tuple) and is_compound and not typed and _is_complex(value):
            return [_bytes_of(part) for part in value]
        if typed and attribute.type is Atomic.CHAR:  # of an array of uint8
            return ord(value)
    is_listed = (
        isinstance(attribute.type, Atomic | Enumeration) and attribute.type is not Atomic.CHAR
    )
    if is_listed and not attribute.values and attribute.original is None:
        return []  # netcdf-c, for which V2 has empty text instead, reads no V3
    return write_attribute(attribute, typed=typed, strict=typed)


def _is_complex(value: tuple[object, ...]) -> bool:
    return len(value) == 2 and all(isinstance(part, float) for part in value)


def _bytes_of(number: float) -> str:
    """Return the eight little-endian bytes of a double in base64, as xarray writes a mask."""
    return base64.b64encode(struct.pack("<d", number)).decode()
