"""A dataset to a Zarr store.

What a store cannot hold is found before anything is written. Then come the chunks and the documents
of each array, the documents of groups, and those of the root last, so that an incomplete store is
not taken for a store. The same dataset gives the same bytes.

The documents are NCZarr as netcdf-c 4.10 reads it and docs/reference/nczarr-v3.md specifies it, or
pure as xarray reads it.
"""

from __future__ import annotations

import base64
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from ncz._version import __version__
from ncz.codec.catalogue import is_kind
from ncz.errors import Notify, ignore_notice
from ncz.formats.chunks import values_to_write, write_chunks
from ncz.formats.zarr import document_v3, notes
from ncz.formats.zarr.annotations import digest_of, write_annotations, write_array, write_group
from ncz.formats.zarr.array_plan import ArrayPlan
from ncz.formats.zarr.attributes import infer, write_attribute, write_quantize
from ncz.formats.zarr.codec_faults import check_codecs
from ncz.formats.zarr.consolidated import consolidated, inline
from ncz.formats.zarr.dimensions import names_to_write
from ncz.formats.zarr.document_v2 import (
    DIMENSION_NAMES,
    ZARRAY,
    ZATTRS,
    ZGROUP,
    ZMETADATA,
    ArrayDocumentV2,
    print_array,
)
from ncz.formats.zarr.elements import has_void_elements, is_complex, is_null_fill, write_fill
from ncz.formats.zarr.json import Json, print_document
from ncz.formats.zarr.notes import (
    ArrayNote,
    GroupNote,
    NotedJson,
    NotedTexts,
    NoteSpelling,
    OwnType,
    own_types_of,
)
from ncz.formats.zarr.options import AS_NETCDF_C, WriteOptions
from ncz.formats.zarr.plan import (
    MASK_STAND_IN,
    DatasetPlan,
    has_mask_of_another_type,
    has_stand_in,
    leaves_mask_out,
    masks_text_instead,
    plan_dataset,
    stand_in_of,
)
from ncz.formats.zarr.strings import DEFAULT_MAXIMUM, declared_length
from ncz.model.chunks import in_order
from ncz.model.tree import Attribute, Dataset, Group, Variable, base_name, dimensions_by_fqn, walk
from ncz.model.types import Atomic, Compound, Enumeration, Value
from ncz.model.user_types import describe_user_type
from ncz.record import record
from ncz.zmap import WritableZmap
from ncz.zmap.key import ZARR_JSON, join_key

_SCALAR_DIMENSION = "_scalar_"

WriteData = Callable[[WritableZmap, ArrayPlan], int]
"""A function that writes the chunks of one array, and returns how many there are in the store."""


def write_dataset(
    dataset: Dataset,
    zmap: WritableZmap,
    options: WriteOptions = AS_NETCDF_C,
    notify: Notify = ignore_notice,
) -> DatasetPlan:
    """Write a dataset to an empty store.

    Parameters
    ----------
    dataset
        The dataset. Its values are read a chunk at a time.
    zmap
        The store.
    options
        The version and the flavour of Zarr, and how arrays are stored.
    notify
        Receives a notice for each kind of information that pure Zarr does not record.

    Returns
    -------
    DatasetPlan
        How the dataset was stored.

    Raises
    ------
    LossError
        If the store cannot hold the dataset. The error lists all reasons; nothing was written.
    """
    plan = plan_dataset(dataset, options, notify)
    check_codecs(plan.arrays)
    for notice in plan.losses:
        notify(notice)
    write_plan(plan, zmap)
    return plan


def write_values(zmap: WritableZmap, array: ArrayPlan) -> int:
    """Write the values of the variable's source, rounded if its storage asks for that.

    Returns the number of chunks that were written.
    """
    source = values_to_write(array)
    if source is None and not array.fills_missing:
        return 0
    return write_chunks(zmap, source, array)


def write_plan(plan: DatasetPlan, zmap: WritableZmap, write_data: WriteData = write_values) -> None:
    """Write a planned dataset to an empty store.

    Parameters
    ----------
    plan
        What to write.
    zmap
        The store.
    write_data
        Writes the chunks of one array.
    """
    writer = METADATA_WRITERS[plan.options.zarr_format](plan, zmap)
    for array in plan.arrays:
        count = write_data(zmap, array)
        has_all = count == array.layout.grid.size
        writer.write_array(array, complete=has_all)
    writer.write_groups()


class MetadataWriter(ABC):
    """Writes the metadata documents of one store; a subclass has those of one version of Zarr."""

    spelling: ClassVar[NoteSpelling]

    def __init__(self, plan: DatasetPlan, zmap: WritableZmap) -> None:
        self.plan = plan
        self.options = plan.options
        self.zmap = zmap
        self.documents: dict[str, dict[str, Json]] = {}
        """What was written, by key."""
        declared = declared_length(plan.dataset.root.attributes, DEFAULT_MAXIMUM)
        self.default_length = declared or notes.DEFAULT_STRING_LENGTH

    @abstractmethod
    def write_array(self, array: ArrayPlan, *, complete: bool) -> None:
        """Write the documents of an array, whose chunks are written.

        `complete` is true if no chunk is missing. Raises `FormatError` for what V3 cannot hold.
        """

    @abstractmethod
    def write_group(self, key: str, attributes: dict[str, Json]) -> None:
        """Write the documents of a group."""

    @abstractmethod
    def consolidate(self, attributes: dict[str, Json]) -> None:
        """Write the documents of the root with these attributes, and all in one."""

    @abstractmethod
    def stored(self, key: str) -> StoredNode:
        """Return what the documents of a node say."""

    @abstractmethod
    def json_of(self, attribute: Attribute, array: ArrayPlan | None) -> Json:
        """Return the JSON of an attribute of an array, or of a group."""

    def write_groups(self) -> None:
        """Write the documents of all groups, those of the root last."""
        groups = list(walk(self.plan.dataset.root))
        for fqn, group in reversed(groups[1:]):
            self.write_group(join_key(fqn), self.group_attributes(group))
        attributes = self.group_attributes(self.plan.dataset.root, is_root=True)
        if self.options.consolidated:
            self.consolidate(attributes)
        else:
            self.write_group("", attributes)

    def put(self, key: str, document: dict[str, Json]) -> None:
        """Write one document, and remember it for consolidated metadata."""
        self.documents[key] = document
        self.zmap.put(key, print_document(document))

    def annotations(self) -> Json:
        """Return the annotations of pure Zarr; None if there are none."""
        return annotations_of(self.plan, self.stored) if self.options.annotated else None

    def group_attributes(self, group: Group, *, is_root: bool = False) -> dict[str, Json]:
        """Return the stored attributes of a group."""
        attributes = group_attributes(group, is_root=is_root)
        members, types = self.user_attributes(attributes, None)
        if self.options.pure:
            return members
        noted: dict[str, Json] = {notes.GROUP: self.spelling.write_group(group_note(group))}
        if is_root:
            superblock = self.spelling.superblock
            version = superblock["version"]
            members[notes.PROPERTIES] = f"version=2,ncz={__version__},nczarr={version}"
            types[notes.PROPERTIES] = self.spelling.char
            noted[notes.SUPERBLOCK] = dict(superblock)
        return self.with_notes(members, types, noted, attributes)

    def user_attributes(
        self, attributes: Sequence[Attribute], array: ArrayPlan | None
    ) -> tuple[dict[str, Json], dict[str, Json]]:
        """Return the JSON of attributes, and how their types are noted."""
        length = array.encoding.string_length if array is not None else 0
        return (
            {a.name: self.json_of(a, array) for a in attributes},
            {a.name: self.spelling.type_of(a, length or self.default_length) for a in attributes},
        )

    def with_notes(
        self,
        members: Mapping[str, Json],
        types: Mapping[str, Json],
        noted: Mapping[str, Json],
        attributes: Sequence[Attribute],
    ) -> dict[str, Json]:
        """Return stored attributes with NCZarr's notes, and with the types of all."""
        name = self.spelling.types
        types = {**types, **dict.fromkeys((*noted, name), self.spelling.json)}
        own = own_types_of(attributes)
        return {**members, **noted, name: self.spelling.write_types(types, own)}


class _WriterV2(MetadataWriter):
    """Every node has a document for its attributes beside its own."""

    spelling = notes.V2

    def write_group(self, key: str, attributes: dict[str, Json]) -> None:
        self.put(join_key(key, ZATTRS), attributes)
        self.put(join_key(key, ZGROUP), {"zarr_format": 2})

    def consolidate(self, attributes: dict[str, Json]) -> None:
        self.documents |= {ZGROUP: {"zarr_format": 2}, ZATTRS: attributes}
        whole = consolidated(self.documents, self.annotations())
        self.zmap.put(ZMETADATA, print_document(whole))
        self.write_group("", attributes)

    def stored(self, key: str) -> StoredNode:
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
        self.put(join_key(array.key, ZATTRS), self.array_attributes(array, fill_value))
        self.put(join_key(array.key, ZARRAY), print_array(document))

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
        attributes = array_attributes(array)
        if self.options.pure and array.masks_fill and array.mask is not None:
            attributes = [a for a in attributes if a.name != "_FillValue"]
        if self.options.annotated and masks_text_instead(array):
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
        )
        noted = {notes.ARRAY: self.spelling.write_array(note)}
        return self.with_notes(members, types, noted, attributes)

    def json_of(self, attribute: Attribute, array: ArrayPlan | None) -> Json:
        is_masked = array is None or array.mask is not None
        return write_attribute(attribute, typed=not self.options.pure, is_mask=is_masked)


class _WriterV3(MetadataWriter):
    """Every node has one document, which holds its attributes too."""

    spelling = notes.V3

    def write_group(self, key: str, attributes: dict[str, Json]) -> None:
        self.put(join_key(key, ZARR_JSON), document_v3.print_group(attributes))

    def consolidate(self, attributes: dict[str, Json]) -> None:
        root = document_v3.print_group(attributes)
        self.documents[ZARR_JSON] = root
        nodes = {key.rpartition("/")[0]: document for key, document in self.documents.items()}
        whole = inline(nodes, self.annotations())
        self.put(ZARR_JSON, {**root, "consolidated_metadata": whole})

    def stored(self, key: str) -> StoredNode:
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
        attributes = [a for a in array_attributes(array) if self.is_readable(a, array)]
        members, types = self.user_attributes(attributes, array)
        if has_stand_in(array, self.options) and MASK_STAND_IN not in members:
            members[MASK_STAND_IN] = stand_in_of(array)
        if self.options.pure:
            return members
        is_char = array.encoding.dtype == "|u1" and variable.type is Atomic.CHAR
        is_noted = is_complex(array.encoding) and array.mask is not None
        has_note = is_noted or has_mask_of_another_type(array)
        note = ArrayNote(
            dimension_references=variable.dimensions,
            type=Atomic.CHAR.word if is_char else None,
            no_fill=array.fill is None,
            user_type=user_type_of(variable),
            keeps_empty=array.encoding.keeps_empty,
            mask=members.pop("_FillValue") if has_note else None,
        )
        noted = {notes.ARRAY: self.spelling.write_array(note)}
        return self.with_notes(members, types, noted, attributes)

    def is_readable(self, attribute: Attribute, array: ArrayPlan) -> bool:
        """Return whether xarray opens an array with this attribute; see `leaves_mask_out`."""
        is_left_out = leaves_mask_out(array, self.options, self.plan.dataset.provenance)
        return not (attribute.name == "_FillValue" and is_left_out)

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
            if typed and attribute.type is Atomic.CHAR:  # of an array of uint8
                return ord(value)
        is_listed = (
            isinstance(attribute.type, Atomic | Enumeration) and attribute.type is not Atomic.CHAR
        )
        if is_listed and not attribute.values:
            return []  # netcdf-c, for which V2 has empty text instead, reads no V3
        return write_attribute(attribute, typed=typed, strict=typed)


def _is_complex(value: tuple[object, ...]) -> bool:
    return len(value) == 2 and all(isinstance(part, float) for part in value)


def _bytes_of(number: float) -> str:
    """Return the eight little-endian bytes of a double in base64, as xarray writes a mask."""
    return base64.b64encode(struct.pack("<d", number)).decode()


METADATA_WRITERS: Mapping[int, type[MetadataWriter]] = {2: _WriterV2, 3: _WriterV3}
"""The writer of each version of Zarr."""


# What the documents of every version say alike of groups and arrays.


def array_attributes(array: ArrayPlan) -> list[Attribute]:
    """Return the attributes of an array, with one that records how values were rounded."""
    attributes = list(array.attributes)
    quantize = array.variable.storage.quantize
    if quantize is not None:
        recorded = write_quantize(quantize)
        if array.variable.attribute(recorded.name) is None:
            attributes.append(recorded)
    return attributes


def group_attributes(group: Group, *, is_root: bool) -> list[Attribute]:
    """Return the attributes of a group, without the root's ``_NCProperties``, which are new."""
    return [a for a in group.attributes if not (is_root and a.name == notes.PROPERTIES)]


def group_note(group: Group) -> GroupNote:
    """Return NCZarr's note of a group."""
    return GroupNote(
        dimensions=group.dimensions,
        arrays=tuple(v.name for v in group.variables),
        groups=tuple(g.name for g in group.groups),
        types={base_name(t.name): describe_user_type(t) for t in group.types},
    )


def user_type_of(variable: Variable) -> str | None:
    """Return the FQN of a variable's type if it is user-defined, or None."""
    return None if isinstance(variable.type, Atomic) else variable.type.name


# Annotations of pure Zarr, which consolidated metadata have.


@record(kw_only=True)
class StoredNode:
    """What the documents of a node of pure Zarr say, as JSON.

    `fill_is_mask` is true if readers take `fill_value` for the mask of an array.
    """

    attributes: Mapping[str, Json]
    data_type: Json = None
    fill_value: Json = None
    fill_is_mask: bool = False


def annotations_of(plan: DatasetPlan, stored: Callable[[str], StoredNode]) -> Json:
    """Return the annotations of a store of pure Zarr: what its documents do not say.

    Parameters
    ----------
    plan
        What is written.
    stored
        Returns what the documents of the node at a key say.
    """
    nodes: dict[str, Json] = {}
    for fqn, group in walk(plan.dataset.root):
        key = join_key(fqn)
        attributes = group_attributes(group, is_root=not fqn)
        types, own = _types_to_note(attributes, stored(key).attributes)
        nodes[key] = write_group(group_note(group), types, own)
    unlimited = {f: d.unlimited for f, d in dimensions_by_fqn(plan.dataset.root).items()}
    for array in plan.arrays:
        nodes[array.key] = _annotated_array(array, stored(array.key), unlimited)
    return write_annotations({key: nodes[key] for key in sorted(nodes)})


def _annotated_array(array: ArrayPlan, stored: StoredNode, unlimited: Mapping[str, bool]) -> Json:
    variable, members = array.variable, stored.attributes
    attributes = array_attributes(array)
    types, own = _types_to_note(attributes, members, variable)
    has_mask = stored.fill_is_mask and stored.fill_value is not None
    is_stored = "_FillValue" in members or (has_mask and array.mask is not None)
    masks = [a for a in attributes if a.name == "_FillValue" and not is_stored]
    names = [attribute.name for attribute in attributes]
    as_read = sorted(names, key=lambda name: name != "_FillValue" or not has_mask)
    is_last = names[-1:] == ["_FillValue"] and ("_FillValue" in types or not (types or own))
    is_ordered = is_last if masks else names == as_read
    fill = write_fill(array.fill, array.encoding)
    noted_fill = None if fill == stored.fill_value else fill
    no_fill = array.fill is None and stored.fill_value is not None
    no_mask = has_mask and array.mask is None
    note = ArrayNote(
        dimension_references=variable.dimensions,
        type=Atomic.CHAR.word if variable.type is Atomic.CHAR else None,
        user_type=user_type_of(variable),
        keeps_empty=array.encoding.keeps_empty,
        fill_value=noted_fill,
        beside_fill=(stored.fill_value,) if noted_fill is not None or no_fill or no_mask else (),
        mask=write_attribute(masks[0], typed=True) if masks else None,
        mask_stand_in=MASK_STAND_IN if MASK_STAND_IN in members.keys() - set(names) else None,
        no_fill=no_fill,
        no_mask=no_mask,
        attribute_order=() if is_ordered or len(names) == 1 else tuple(names),
    )
    grows = [unlimited[fqn] for fqn in variable.dimensions]
    digest = digest_of(array.layout.shape, grows, stored.data_type, members)
    return write_array(note, types, own, digest)


def _types_to_note(
    attributes: Sequence[Attribute], members: Mapping[str, Json], variable: Variable | None = None
) -> tuple[dict[str, str], dict[str, OwnType]]:
    """Return the types of attributes that their JSON does not give back."""
    noted = own_types_of(attributes)
    own: dict[str, OwnType] = {n: t for n, t in noted.items() if not isinstance(t, NotedJson)}
    types = {}
    for attribute in attributes:
        name, nc_type = attribute.name, attribute.type
        masked = variable.type if name == "_FillValue" and variable is not None else None
        if not isinstance(nc_type, Atomic) or nc_type is masked:
            continue
        if nc_type is Atomic.STRING and not attribute.values:
            own[name] = NotedTexts(None, ())
        value = members.get(name)
        text = (attribute.text,) if nc_type is Atomic.CHAR and attribute.values else None
        # A mask without a noted type has that of the variable.
        if masked is not None or name in own or infer(value) != (nc_type, text or attribute.values):
            types[name] = notes.V2.type_of(attribute, 1)
    return types, own
