"""Write the documents of a Zarr V2 store."""

from __future__ import annotations

from ncz.codec.catalogue import is_kind
from ncz.formats.zarr.documents import notes
from ncz.formats.zarr.documents.attributes import write_attribute
from ncz.formats.zarr.documents.consolidated_metadata import consolidate_documents
from ncz.formats.zarr.documents.dimensions import names_to_write
from ncz.formats.zarr.documents.document_v2 import (
    DIMENSION_NAMES,
    ZARRAY,
    ZATTRS,
    ZGROUP,
    ZMETADATA,
    ArrayDocumentV2,
    print_array,
)
from ncz.formats.zarr.documents.notes import ArrayNote
from ncz.formats.zarr.json import Json, print_document
from ncz.formats.zarr.types.fill_values import write_fill
from ncz.formats.zarr.writing.annotation_writer import StoredNode
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.metadata_writer import MetadataWriter
from ncz.formats.zarr.writing.node_metadata import array_attributes, user_type_of
from ncz.model.chunks import in_order
from ncz.model.tree import Attribute
from ncz.model.types import Atomic
from ncz.record import record
from ncz.zmap.key import join_key

_SCALAR_DIMENSION = "_scalar_"


@record
class _PrintedArray:
    """The `.zarray` of an array, as JSON and as text."""

    array: ArrayDocumentV2
    document: dict[str, Json]
    text: bytes


def _is_same(one: ArrayDocumentV2, other: ArrayDocumentV2) -> bool:
    """Return whether two arrays have the same document; -0.0 is not the same as 0.0."""
    return one == other and repr(one.fill_value) == repr(other.fill_value)


class WriterV2(MetadataWriter):
    """Every node has a document for its attributes next to its own."""

    spelling = notes.V2
    _last: _PrintedArray | None = None
    """The document of the last array; many arrays of a store have the one of the array before."""

    def write_group(self, key: str, attributes: dict[str, Json]) -> None:
        self.put(join_key(key, ZATTRS), attributes)
        self.put(join_key(key, ZGROUP), {"zarr_format": 2})

    def consolidate(self, attributes: dict[str, Json]) -> None:
        self.documents |= {ZGROUP: {"zarr_format": 2}, ZATTRS: attributes}
        whole = consolidate_documents(self.documents, self.annotations())
        self.zmap.put(ZMETADATA, print_document(whole))
        self.write_group("", attributes)

    def stored_node(self, key: str) -> StoredNode:
        array = self.documents.get(join_key(key, ZARRAY), {})
        attributes = self.documents.get(join_key(key, ZATTRS), {})
        return StoredNode(
            attributes=attributes,
            data_type=array.get("dtype"),
            fill_value=array.get("fill_value"),
            fill_is_mask=DIMENSION_NAMES in attributes,
        )

    def write_array(self, array: ArrayPlan, *, complete: bool) -> None:
        layout = array.layout
        # A compressor that comes last is the member `compressor`, where readers look for it.
        has_compressor = (
            bool(layout.codecs)
            and is_kind(layout.codecs[-1].to_json(), "compressor")
            and not self.options.only_filters
        )
        # netcdf-c ignores an array of shape [].
        is_extended = not layout.shape and not self.options.pure
        placement = self.plan.placements[array.fqn]
        fill = placement.fill if complete else placement.fill_if_missing
        fill_value = write_fill(fill, array.encoding)
        document = ArrayDocumentV2(
            shape=(1,) if is_extended else layout.shape,
            chunks=(1,) if is_extended else layout.chunks,
            dtype=array.encoding.dtype,
            fill_value=fill_value,
            order="C" if layout.order == in_order(layout.rank) else "F",
            filters=layout.codecs[:-1] if has_compressor else layout.codecs,
            compressor=layout.codecs[-1] if has_compressor else None,
            separator=array.keys.separator,
        )
        self.put(join_key(array.key, ZATTRS), self.array_attributes(array, fill_value))
        if self._last is None or not _is_same(self._last.array, document):
            printed = print_array(document)
            self._last = _PrintedArray(document, printed, print_document(printed))
        self.put_text(join_key(array.key, ZARRAY), self._last.document, self._last.text)

    def array_attributes(self, array: ArrayPlan, fill_value: Json) -> dict[str, Json]:
        """Return the `.zattrs` of an array with this `fill_value`."""
        variable = array.variable
        attributes = array_attributes(array)
        if self.plan.placements[array.fqn].mask != "attribute":
            attributes = [a for a in attributes if a.name != "_FillValue"]
        members, types = self.user_attributes(attributes, array)
        if self.options.xarray:
            names = names_to_write(variable, pure=self.options.pure)
            scalar: list[Json] = [] if self.options.pure else [_SCALAR_DIMENSION]
            if names is not None:
                members[DIMENSION_NAMES] = names or scalar
        if self.options.pure:
            return members
        is_plain = variable.type is not Atomic.CHAR or array.encoding.dtype == ">S1"
        fill = write_fill(array.fill, array.encoding)
        note = ArrayNote(
            dimension_references=variable.dimensions,
            scalar=not variable.dimensions,
            type=None if is_plain else Atomic.CHAR.word,
            fill_value=None if fill == fill_value else fill,
            user_type=user_type_of(variable),
            keeps_empty=array.encoding.keeps_empty,
            values=self.kept_sums(array),
        )
        noted = {notes.ARRAY: self.spelling.write_array(note)}
        return self.with_notes(members, types, noted, attributes)

    def json_of(self, attribute: Attribute, array: ArrayPlan | None) -> Json:
        # Only of a fill value: to find the mask takes a look at all attributes.
        is_mask = attribute.name != "_FillValue" or array is None or array.mask is not None
        return write_attribute(attribute, typed=not self.options.pure, is_mask=is_mask)
