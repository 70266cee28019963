"""Write the documents of a Zarr V3 store."""

from __future__ import annotations

import base64
import struct

from ncz.formats.zarr.documents import document_v3, notes
from ncz.formats.zarr.documents.attributes import write_attribute
from ncz.formats.zarr.documents.consolidated_metadata import inline
from ncz.formats.zarr.documents.dimensions import names_to_write
from ncz.formats.zarr.documents.notes import ArrayNote
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.writing.annotation_writer import StoredNode
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.metadata_writer import MetadataWriter
from ncz.formats.zarr.writing.node_metadata import array_attributes, user_type_of
from ncz.formats.zarr.writing.visibility import MASK_STAND_IN
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, Compound, Enumeration
from ncz.zmap.key import ZARR_JSON, join_key


class WriterV3(MetadataWriter):
    """Every node has one document, which contains its attributes too."""

    spelling = notes.V3

    def write_group(self, key: str, attributes: dict[str, Json]) -> None:
        self.put(join_key(key, ZARR_JSON), document_v3.print_group(attributes))

    def consolidate(self, attributes: dict[str, Json]) -> None:
        root = document_v3.print_group(attributes)
        self.documents[ZARR_JSON] = root
        nodes = {key.rpartition("/")[0]: document for key, document in self.documents.items()}
        whole = inline(nodes, self.annotations())
        self.put(ZARR_JSON, {**root, "consolidated_metadata": whole})

    def stored_node(self, key: str) -> StoredNode:
        document = self.documents[join_key(key, ZARR_JSON)]
        return StoredNode(
            attributes=document["attributes"],
            data_type=document.get("data_type"),
            fill_value=document.get("fill_value"),
        )

    def write_array(self, array: ArrayPlan, *, complete: bool) -> None:
        names: list[Json] | None = None
        if self.options.xarray and array.layout.rank:
            names = names_to_write(array.variable, pure=self.options.pure)
        document = document_v3.print_array(
            array.layout,
            array.encoding,
            array.fill,
            keys=array.keys,
            attributes=self.array_attributes(array),
            dimension_names=names,
        )
        self.put(join_key(array.key, ZARR_JSON), document)

    def array_attributes(self, array: ArrayPlan) -> dict[str, Json]:
        """Return the stored attributes of an array."""
        variable = array.variable
        placement = self.plan.placements[array.fqn]
        attributes = array_attributes(array)
        if placement.mask not in ("attribute", "note"):
            attributes = [a for a in attributes if a.name != "_FillValue"]
        members, types = self.user_attributes(attributes, array)
        if placement.substitute is not None and MASK_STAND_IN not in members:
            members[MASK_STAND_IN] = placement.substitute
        if self.options.pure:
            return members
        is_char = array.encoding.dtype == "|u1" and variable.type is Atomic.CHAR
        note = ArrayNote(
            dimension_references=variable.dimensions,
            type=Atomic.CHAR.word if is_char else None,
            no_fill=array.fill is None,
            user_type=user_type_of(variable),
            keeps_empty=array.encoding.keeps_empty,
            values=self.kept_sums(array),
            mask=members.pop("_FillValue") if placement.mask == "note" else None,
        )
        noted = {notes.ARRAY: self.spelling.write_array(note)}
        return self.with_notes(members, types, noted, attributes)

    def json_of(self, attribute: Attribute, array: ArrayPlan | None) -> Json:
        """Return the JSON of an attribute; a fill value as xarray reads it in V3."""
        typed = not self.options.pure
        variable_type = None if array is None else array.variable.type
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
            if typed and attribute.type is Atomic.CHAR and len(value) == 1:  # of an array of uint8
                return ord(value)
        is_listed = (
            isinstance(attribute.type, Atomic | Enumeration) and attribute.type is not Atomic.CHAR
        )
        if is_listed and not attribute.values:
            return []  # netcdf-c, which needs empty text instead in V2, reads no V3
        return write_attribute(attribute, typed=typed, strict=typed or self.options.strict)


def _is_complex(value: tuple[object, ...]) -> bool:
    return len(value) == 2 and all(isinstance(part, float) for part in value)


def _bytes_of(number: float) -> str:
    """Return the eight little-endian bytes of a double in base64, as xarray writes a mask."""
    return base64.b64encode(struct.pack("<d", number)).decode()
