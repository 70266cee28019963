"""A store to a dataset: finds out what the store is, and says it in the terms of netCDF.

Reads metadata only; data is read when asked for, through `ncz.formats.zarr.array.array.ZarrArray`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ncz.errors import FormatError, NczError, Notice, Notify, ignore_notice
from ncz.formats.zarr.array.array import ZarrArray
from ncz.formats.zarr.document.json import Json, parse_document
from ncz.formats.zarr.document.v2 import ARRAY, ATTRIBUTES, CONSOLIDATED, GROUP, ArrayDocument
from ncz.formats.zarr.hierarchy.metadata import SMALL, Metadata
from ncz.formats.zarr.hierarchy.nodes import ArrayNode, GroupNode, Loader
from ncz.formats.zarr.mapping.attributes import (
    DIMENSION_NAMES,
    PROPERTIES,
    RESERVED_IN_HDF5,
    is_annotation,
    read_attribute,
)
from ncz.formats.zarr.mapping.dimensions import Dimensions
from ncz.formats.zarr.mapping.multiscales import with_axes
from ncz.formats.zarr.mapping.quantize import read_quantize
from ncz.formats.zarr.nczarr import v2 as nczarr
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Provenance,
    Storage,
    Variable,
    join,
)
from ncz.model.types import Atomic, Compound, NcType, UserType, Value, Vlen
from ncz.record import field, record, replace
from ncz.zmap import Zmap, expect, location_of
from ncz.zmap.key import display, join_key

if TYPE_CHECKING:
    from ncz.formats.zarr.element.encoding import Encoding
    from ncz.formats.zarr.hierarchy.nodes_v3 import MetadataV3
    from ncz.model.layout import ChunkLayout

DOCUMENT = "zarr.json"
"""The document of a node of Zarr V3."""

_ROOTS = (GROUP, ATTRIBUTES, ARRAY, nczarr.OBJECTS[nczarr.SUPERBLOCK])
_CHILDREN_TO_LOOK_AT = 20


def open_dataset(
    zmap: Zmap,
    *,
    name: str,
    modes: Collection[str] = frozenset(),
    notify: Notify = ignore_notice,
) -> Dataset:
    """The dataset in a Zarr store, V2 or V3, NCZarr of any generation or pure, read lazily.

    `name` names the dataset. Of `modes`, "zarr" forces the pure reading of an NCZarr store and
    "noxarray" ignores the dimension names of a pure one. Raises `FormatError` if there is no
    store, or its root is broken; what is broken below is left out, or shown as far as
    it can be, with a notice.
    """
    expect(zmap, ((name, SMALL) for name in (CONSOLIDATED, GROUP, ATTRIBUTES, DOCUMENT)))
    found = _open_v3(zmap, notify) if "v3" in modes else _open_v2(zmap, notify)
    if found is None and not {"v2", "v3"} & set(modes):
        found = _open_v3(zmap, notify)
    if found is None:
        raise _no_store(zmap)
    metadata, properties, superblock = found
    if "zarr" in modes:
        superblock = 0
    if isinstance(metadata, Metadata):
        root = Loader(metadata, superblock, notify).root(name)
    else:
        from ncz.formats.zarr.hierarchy.nodes_v3 import LoaderV3

        root = LoaderV3(metadata, superblock, notify).root(name)
    if not superblock:
        root = with_axes(root)
    declared = dict(_declared(root, ""))
    dimensions = Dimensions(declared, by_name="noxarray" not in modes)
    reading = _Reading(metadata, superblock, dimensions, notify)
    drafts = dict(reading.variables(root, ""))
    return Dataset(
        name=name,
        root=reading.group(root, "", drafts),
        provenance=Provenance(
            properties=properties,
            superblock=superblock,
            zarr_format=2 if isinstance(metadata, Metadata) else 3,
        ),
    )


_Found = tuple["Metadata | MetadataV3", str | None, int]
"""The documents, the text of `_NCProperties`, and the NCZarr major version."""


def _open_v2(zmap: Zmap, notify: Notify) -> _Found | None:
    """The documents of a V2 store; None if this is none."""
    metadata = Metadata(zmap, notify)
    zgroup, zattrs = metadata.get("", GROUP), metadata.get("", ATTRIBUTES)
    superblock = nczarr.find_note(nczarr.SUPERBLOCK, (zattrs, zgroup))
    version = 0
    if superblock is not None:
        version = max(2, nczarr.read_superblock(superblock))
    elif metadata.get("", nczarr.OBJECTS[nczarr.SUPERBLOCK]) is not None:
        version = 1
    elif zgroup is None and zattrs is None and metadata.get("", ARRAY) is None:
        return None
    properties = (zattrs or {}).get(PROPERTIES)
    return metadata, properties if isinstance(properties, str) else None, version


def _open_v3(zmap: Zmap, notify: Notify) -> _Found | None:
    """The documents of a V3 store; None if this is none. Raises `FormatError`."""
    data = zmap.get(DOCUMENT)
    if data is None:
        return None
    from ncz.formats.zarr.document.v3 import attributes_of, check_node
    from ncz.formats.zarr.hierarchy.nodes_v3 import MetadataV3

    location = location_of(zmap, DOCUMENT)
    document = parse_document(data, location)
    check_node(document, location)
    attributes = attributes_of(document, location)
    superblock = nczarr.find_note(nczarr.SUPERBLOCK, (attributes,))
    version = 0 if superblock is None else max(3, nczarr.read_superblock(superblock))
    properties = attributes.get(PROPERTIES)
    return (
        MetadataV3(zmap, document),
        properties if isinstance(properties, str) else None,
        version,
    )


def _no_store(zmap: Zmap) -> FormatError:
    looked = ", ".join(display(key) for key in (*_ROOTS, CONSOLIDATED, DOCUMENT))
    hint = None
    for child in zmap.search("")[:_CHILDREN_TO_LOOK_AT]:
        if any(zmap.get(join_key(child, root)) is not None for root in (*_ROOTS, DOCUMENT)):
            hint = f"{display(child)} looks like a store; open that"
            break
    return FormatError(f"there is no Zarr store here: none of {looked}", zmap.url, hint)


def _declared(node: GroupNode, fqn: str) -> Iterator[tuple[str, tuple[Dimension, ...]]]:
    """The noted dimensions of every group, by the FQN of the group."""
    yield fqn, node.note.dimensions if node.note else ()
    for child in node.groups:
        yield from _declared(child, join(fqn, child.name))


@record
class _Reading:
    """Turns nodes into variables and groups. Variables come first: they may need dimensions."""

    metadata: Metadata | MetadataV3
    superblock: int
    dimensions: Dimensions
    notify: Notify
    _understood: dict[tuple[int, str | None, bool], tuple[Any, ChunkLayout, Encoding, Value]] = (
        field(default_factory=dict)
    )
    """What documents say of elements, by the document: many arrays have the same one."""

    def variables(self, node: GroupNode, fqn: str) -> Iterator[tuple[str, tuple[Variable, ...]]]:
        """The variables of every group, by the FQN of the group."""
        read = [self.variable(array, fqn) for array in node.arrays]
        yield fqn, tuple(variable for variable in read if variable is not None)
        for child in node.groups:
            yield from self.variables(child, join(fqn, child.name))

    def group(
        self, node: GroupNode, fqn: str, variables: Mapping[str, tuple[Variable, ...]]
    ) -> Group:
        """The group with all below it."""
        attributes = self.attributes(node.attributes, node.types, node.key, is_root=not fqn)
        return Group(
            name=node.name,
            types=tuple(t for v in variables[fqn] for t in _user_types(v.type)),
            dimensions=self.dimensions.of(fqn),
            variables=variables[fqn],
            attributes=attributes,
            groups=tuple(
                self.group(child, join(fqn, child.name), variables) for child in node.groups
            ),
        )

    def variable(self, node: ArrayNode, group: str) -> Variable | None:
        """The variable that an array is; None, with a notice, if its type cannot be read."""
        location = self.metadata.array_where(node.key)
        is_scalar = node.note is not None and (
            node.note.scalar or node.note.dimension_references == ()
        )
        if (
            is_scalar
            and isinstance(node.document, ArrayDocument)
            and math.prod(node.document.shape) == 1
        ):
            # NCZarr says a scalar as an array of shape [1]; its chunk has the same key and bytes.
            node = replace(node, document=replace(node.document, shape=(), chunks=()))
        no_fill = node.document.no_fill or (node.note is not None and node.note.no_fill)
        try:
            layout, encoding, fill = self.elements(node, join(group, f"{node.name}_t"), no_fill)
        except NczError as error:
            self.notify(
                Notice(
                    "variable-left-out",
                    f"{error.message}; the variable is left out",
                    location,
                    lost=True,
                )
            )
            return None
        members = node.attributes
        is_v2 = isinstance(node.document, ArrayDocument)
        if not is_v2 and "_FillValue" in members:
            from ncz.formats.zarr.nczarr.v3 import read_fill_attribute

            fill_value = read_fill_attribute(members["_FillValue"], encoding.type)
            members = {**members, "_FillValue": fill_value}
        attributes = self.attributes(members, node.types, node.key, variable_type=encoding.type)
        if encoding.hints:
            present = {attribute.name for attribute in attributes}
            attributes += tuple(hint for hint in encoding.hints if hint.name not in present)
        if is_v2 and not self.superblock and not layout.shape and isinstance(encoding.type, Atomic):
            attributes = _with_fill(attributes, encoding.type, fill)
        storage = Storage(
            storage_class="chunked",
            chunks=layout.reading_grid.chunks,
            shards=layout.chunks if layout.shard is not None else None,
            endianness=encoding.endianness,
            filters=layout.codecs if layout.shard is None else layout.shard.codecs,
            fill=fill,
            no_fill=no_fill,
            fill_is_mask=is_v2
            and not self.superblock
            and fill is not None
            and DIMENSION_NAMES in node.attributes
            and isinstance(encoding.type, Atomic)
            and encoding.type.kind in "iuf",
            string_length=encoding.string_length,
            quantize=read_quantize(attributes),
        )
        return Variable(
            name=node.name,
            type=encoding.type,
            dimensions=self.dimensions.resolve(node, layout.shape, group, location, self.notify),
            attributes=attributes,
            storage=storage,
            data=ZarrArray(
                self.metadata.zmap, node.key, layout, encoding, fill, node.document.keys
            ),
        )

    def elements(
        self, node: ArrayNode, type_name: str, no_fill: bool
    ) -> tuple[ChunkLayout, Encoding, Value]:
        """How an array's chunks lie, what its elements are, and what missing ones hold."""
        document = node.document
        alias = None if node.note is None else node.note.type
        key = id(document), alias, no_fill
        if key in self._understood:
            return self._understood[key][1:]
        layout = document.layout
        encoding = document.encoding(nczarr=self.superblock > 0, alias=alias, type_name=type_name)
        fill = None if no_fill else document.fill(encoding)
        if isinstance(encoding.type, Atomic):  # a type that is defined has the variable's name
            self._understood[key] = document, layout, encoding, fill
        return layout, encoding, fill

    def attributes(
        self,
        members: Mapping[str, Json],
        types: Mapping[str, Json],
        key: str,
        *,
        variable_type: NcType | None = None,
        is_root: bool = False,
    ) -> tuple[Attribute, ...]:
        """What a `.zattrs` says to the user: without the notes of the formats."""
        location = self.metadata.attributes_where(key)
        attributes = []
        for name, value in members.items():
            if is_annotation(name) or (is_root and name == PROPERTIES):
                continue
            if name in RESERVED_IN_HDF5:
                self.notify(
                    Notice(
                        "attribute-hidden",
                        f"attribute {name} is HDF5's own; not shown",
                        location,
                        lost=True,
                    )
                )
                continue
            attributes.append(
                read_attribute(
                    name,
                    value,
                    types.get(name),
                    variable_type=variable_type if isinstance(variable_type, Atomic) else None,
                    location=location,
                    notify=self.notify,
                )
            )
        return tuple(attributes)


def _with_fill(
    attributes: tuple[Attribute, ...], nc_type: Atomic, fill: Value
) -> tuple[Attribute, ...]:
    """The attributes of a pure scalar, with the ``_FillValue`` that netcdf-c shows of it.

    It shows the `fill_value` of no other array, and not where it is the type's default: as netcdf-c
    writes that, with six digits.
    """
    default = nc_type.default_fill
    if fill is None or any(a.name == "_FillValue" for a in attributes):
        return attributes
    if fill == default or (nc_type.is_floating and f"{fill:.5e}" == f"{default:.5e}"):
        return attributes
    return (Attribute(name="_FillValue", type=nc_type, values=(fill,)), *attributes)


def _user_types(nc_type: NcType) -> Iterator[UserType]:
    """The user-defined types that `nc_type` needs, each after those that it is made of."""
    if isinstance(nc_type, Atomic):
        return
    if isinstance(nc_type, Compound):
        for field in nc_type.fields:
            yield from _user_types(field.type)
    elif isinstance(nc_type, Vlen):
        yield from _user_types(nc_type.base)
    yield nc_type
