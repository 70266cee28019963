"""The documents of a Zarr V2 store: NCZarr as netcdf-c 4.10 reads it, or pure as xarray does."""

from __future__ import annotations

from collections.abc import Sequence

from ncz._version import __version__
from ncz.codec.catalogue import is_kind
from ncz.formats.zarr import notes
from ncz.formats.zarr.attributes import write_attribute
from ncz.formats.zarr.consolidated import consolidated
from ncz.formats.zarr.dimensions import names_to_write
from ncz.formats.zarr.document_v2 import (
    ARRAY,
    ATTRIBUTES,
    CONSOLIDATED,
    DIMENSION_NAMES,
    GROUP,
    ArrayDocumentV2,
    print_array,
)
from ncz.formats.zarr.elements import has_void_elements, is_null_fill, write_fill
from ncz.formats.zarr.encoding import DEFAULT_MAXIMUM, declared_length
from ncz.formats.zarr.hierarchy import key_of
from ncz.formats.zarr.json import Json, print_document
from ncz.formats.zarr.notes import ArrayNote
from ncz.formats.zarr.plan import ArrayPlan, DatasetPlan
from ncz.formats.zarr.write_notes import (
    StoredNode,
    annotations_of,
    array_attributes,
    group_attributes,
    group_note,
    user_type_of,
)
from ncz.model.chunks import in_order
from ncz.model.tree import Attribute, Group, walk
from ncz.model.types import Atomic, Value
from ncz.zmap import WritableZmap
from ncz.zmap.key import join_key

_SCALAR_DIMENSION = "_scalar_"
_JSON = "|J0"
"""The noted type of NCZarr's own annotations."""


class MetadataWriterV2:
    """Writes the documents of one store."""

    def __init__(self, plan: DatasetPlan, zmap: WritableZmap) -> None:
        self.plan = plan
        self.root = plan.dataset.root
        self.zmap = zmap
        self.options = plan.options
        self.documents: dict[str, dict[str, Json]] = {}
        self.default_length = (
            declared_length(self.root.attributes, DEFAULT_MAXIMUM) or notes.DEFAULT_STRING_LENGTH
        )

    def write_groups(self) -> None:
        """Write the documents of all groups, those of the root last."""
        groups = list(walk(self.root))
        for fqn, group in reversed(groups[1:]):
            self.put(fqn, ATTRIBUTES, self.group_attributes(group))
            self.put(fqn, GROUP, {"zarr_format": 2})
        self.write_root()

    def write_root(self) -> None:
        """Write the documents of the root, after `.zmetadata`."""
        attributes = self.group_attributes(self.root, is_root=True)
        zgroup: dict[str, Json] = {"zarr_format": 2}
        if self.options.consolidated:
            self.documents |= {GROUP: zgroup, ATTRIBUTES: attributes}
            annotations = annotations_of(self.plan, self.stored) if self.options.annotated else None
            whole = consolidated(self.documents, annotations)
            self.zmap.put(CONSOLIDATED, print_document(whole))
        self.put("", ATTRIBUTES, attributes)
        self.put("", GROUP, zgroup)

    def stored(self, key: str) -> StoredNode:
        """Return what the documents of a node say."""
        array = self.documents.get(key_of(key, ARRAY), {})
        attributes = self.documents.get(key_of(key, ATTRIBUTES), {})
        return StoredNode(
            attributes=attributes,
            data_type=array.get("dtype"),
            fill_value=array.get("fill_value"),
            fill_is_mask=DIMENSION_NAMES in attributes,
        )

    def put(self, fqn: str, name: str, document: dict[str, Json]) -> None:
        """Write one metadata object, and remember it for `.zmetadata`."""
        key = join_key(fqn, name)
        self.documents[key] = document
        self.zmap.put(key, print_document(document))

    def write_array(self, array: ArrayPlan, *, complete: bool) -> None:
        """Write the documents of an array, its attributes first."""
        layout = array.layout
        # A compressor that comes last is the member `compressor`, where readers look for it.
        has_compressor = (
            bool(layout.codecs)
            and is_kind(layout.codecs[-1].to_json(), "compressor")
            and not self.options.only_filters
        )
        # netcdf-c ignores an array of shape [].
        is_extended = not layout.shape and not self.options.pure
        fill_value = write_fill(self.fill_value(array, complete=complete), array.encoding)
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
        self.put(array.fqn, ATTRIBUTES, self.array_attributes(array, fill_value))
        self.put(array.fqn, ARRAY, print_array(document))

    def fill_value(self, array: ArrayPlan, *, complete: bool) -> Value:
        """Return the value that `.zarray` gets as ``fill_value``; None for null.

        xarray masks it. So it is the mask, or null; netCDF's default fill only if elements are
        missing, because it means that in netCDF.
        """
        if not array.masks_fill:
            return array.fill
        if has_void_elements(array.encoding):
            return None  # xarray opens no array whose mask is a structure or raw bytes
        if array.mask is not None:
            # null says to NCZarr that the fill mode is off
            return array.mask if self.options.pure or array.fill is not None else None
        is_null = complete or is_null_fill(array.fill, array.encoding)
        return None if is_null else array.fill

    def array_attributes(self, array: ArrayPlan, fill_value: Json) -> dict[str, Json]:
        """Return the `.zattrs` of an array with this `fill_value`."""
        variable = array.variable
        length = array.encoding.string_length or self.default_length
        attributes = array_attributes(array)
        if self.options.pure and array.masks_fill and array.mask is not None:
            attributes = [a for a in attributes if a.name != "_FillValue"]
        is_masked = array.mask is not None
        members, types = self.user_attributes(attributes, length, is_masked=is_masked)
        if self.options.xarray:
            names = names_to_write(variable, pure=self.options.pure)
            scalar: list[Json] = [] if self.options.pure else [_SCALAR_DIMENSION]
            if names is not None:
                members[DIMENSION_NAMES] = names or scalar
        if not self.options.pure:
            is_plain = variable.type is not Atomic.CHAR or array.encoding.dtype == ">S1"
            fill = write_fill(array.fill, array.encoding)
            note = ArrayNote(
                dimension_references=variable.dimensions,
                scalar=not variable.dimensions,
                type=None if is_plain else Atomic.CHAR.word,
                fill_value=None if fill == fill_value else fill,
                user_type=user_type_of(variable),
                keeps_empty=array.encoding.keeps_empty,
            )
            members[notes.ARRAY] = notes.V2.write_array(note)
            types |= {notes.ARRAY: _JSON, notes.V2.types: _JSON}
            members[notes.V2.types] = notes.V2.write_types(types, notes.own_types_of(attributes))
        return members

    def group_attributes(self, group: Group, *, is_root: bool = False) -> dict[str, Json]:
        """Return the `.zattrs` of a group."""
        attributes = group_attributes(group, is_root=is_root)
        members, types = self.user_attributes(attributes, self.default_length)
        if self.options.pure:
            return members
        if is_root:
            members[notes.PROPERTIES] = f"version=2,ncz={__version__},nczarr=2.0.0"
            types[notes.PROPERTIES] = ">S1"
        members[notes.GROUP] = notes.V2.write_group(group_note(group))
        types[notes.GROUP] = _JSON
        if is_root:
            members[notes.SUPERBLOCK] = dict(notes.V2.superblock)
            types[notes.SUPERBLOCK] = _JSON
        types[notes.V2.types] = _JSON
        members[notes.V2.types] = notes.V2.write_types(types, notes.own_types_of(attributes))
        return members

    def user_attributes(
        self, attributes: Sequence[Attribute], length: int, *, is_masked: bool = True
    ) -> tuple[dict[str, Json], dict[str, Json]]:
        """Return the JSON of attributes, and the dtypes by which their types are noted."""
        typed = not self.options.pure
        return (
            {a.name: write_attribute(a, typed=typed, is_mask=is_masked) for a in attributes},
            {a.name: notes.V2.type_of(a, length) for a in attributes},
        )
