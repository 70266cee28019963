"""A store to a dataset: finds out what the store is, and says it in the terms of netCDF.

Reads metadata only; data is read when asked for, through `ncz.format.stored.StoredArray`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from ncz.errors import FormatError, NczError, Notice, Notify, ignore_notice
from ncz.format import nczarr
from ncz.format.attributes import (
    PROPERTIES,
    RESERVED_IN_HDF5,
    is_annotation,
    read_attribute,
)
from ncz.format.dimensions import Dimensions
from ncz.format.documents import Json
from ncz.format.dtypes import read_encoding, read_fill
from ncz.format.metadata import Metadata
from ncz.format.nodes import ArrayNode, GroupNode, Loader
from ncz.format.quantized import read_quantize
from ncz.format.stored import StoredArray
from ncz.format.v2 import ARRAY, ATTRIBUTES, CONSOLIDATED, GROUP
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
from ncz.zmap import Zmap
from ncz.zmap.key import display, join_key

_ROOTS = (GROUP, ATTRIBUTES, ARRAY, nczarr.OBJECTS[nczarr.SUPERBLOCK])
_V3_ROOT = "zarr.json"
_CHILDREN_TO_LOOK_AT = 20


def open_dataset(
    zmap: Zmap,
    *,
    name: str,
    modes: Collection[str] = frozenset(),
    notify: Notify = ignore_notice,
) -> Dataset:
    """The dataset in a Zarr V2 store, NCZarr of any generation or pure, its data read lazily.

    `name` names the dataset. Of `modes`, "zarr" forces the pure reading of an NCZarr store and
    "noxarray" ignores the dimension names of a pure one. Raises `FormatError` if there is no
    store, or its root is broken; what is broken below is left out, or shown as far as
    it can be, with a notice.
    """
    metadata = Metadata(zmap, notify)
    properties, superblock = _identify(metadata)
    if "zarr" in modes:
        superblock = 0
    root = Loader(metadata, superblock, notify).root(name)
    declared = dict(_declared(root, ""))
    dimensions = Dimensions(declared, by_name="noxarray" not in modes)
    reading = _Reading(metadata, superblock, dimensions, notify)
    drafts = dict(reading.variables(root, ""))
    return Dataset(
        name=name,
        root=reading.group(root, "", drafts),
        provenance=Provenance(properties=properties, superblock=superblock),
    )


def _identify(metadata: Metadata) -> tuple[str | None, int]:
    """The text of `_NCProperties` and the NCZarr major version. Raises if there is no store."""
    zgroup, zattrs = metadata.get(GROUP), metadata.get(ATTRIBUTES)
    superblock = nczarr.find_note(nczarr.SUPERBLOCK, (zattrs, zgroup))
    version = 0
    if superblock is not None:
        version = max(2, nczarr.read_superblock(superblock))
    elif metadata.get(nczarr.OBJECTS[nczarr.SUPERBLOCK]) is not None:
        version = 1
    elif zgroup is None and zattrs is None and metadata.get(ARRAY) is None:
        raise _no_store(metadata)
    properties = (zattrs or {}).get(PROPERTIES)
    return properties if isinstance(properties, str) else None, version


def _no_store(metadata: Metadata) -> FormatError:
    zmap = metadata.zmap
    if zmap.get(_V3_ROOT) is not None:
        return FormatError(
            "Zarr V3 is not read by this version of ncz yet",
            metadata.where(_V3_ROOT),
            "write the store with zarr_format=2",
        )
    looked = ", ".join(display(key) for key in (*_ROOTS, CONSOLIDATED, _V3_ROOT))
    do = None
    for child in zmap.search("")[:_CHILDREN_TO_LOOK_AT]:
        if any(zmap.get(join_key(child, root)) is not None for root in (*_ROOTS, _V3_ROOT)):
            do = f"{display(child)} looks like a store; open that"
            break
    return FormatError(f"there is no Zarr store here: none of {looked}", zmap.url, do)


def _declared(node: GroupNode, fqn: str) -> Iterator[tuple[str, tuple[Dimension, ...]]]:
    """The noted dimensions of every group, by the FQN of the group."""
    yield fqn, node.note.dimensions if node.note else ()
    for child in node.groups:
        yield from _declared(child, join(fqn, child.name))


@dataclass(frozen=True, slots=True)
class _Reading:
    """Turns nodes into variables and groups. Variables come first: they may need dimensions."""

    metadata: Metadata
    superblock: int
    dimensions: Dimensions
    notify: Notify

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
        where = self.metadata.where(node.key, ARRAY)
        document = node.document
        is_scalar = node.note is not None and (
            node.note.scalar or node.note.dimension_references == ()
        )
        if is_scalar and math.prod(document.shape) == 1:
            # NCZarr says a scalar as an array of shape [1]; its chunk has the same key and bytes.
            document = replace(document, shape=(), chunks=())
            node = replace(node, document=document)
        try:
            encoding = read_encoding(
                document.dtype,
                nczarr=self.superblock > 0,
                alias=None if node.note is None else node.note.type,
                codecs=document.codecs,
                type_name=join(group, f"{node.name}_t"),
            )
            fill = read_fill(document.fill_value, encoding)
        except NczError as error:
            self.notify(Notice(f"{error.what}; the variable is left out", where))
            return None
        attributes = self.attributes(
            node.attributes, node.types, node.key, variable_type=encoding.type
        )
        present = {attribute.name for attribute in attributes}
        attributes += tuple(hint for hint in encoding.hints if hint.name not in present)
        if not self.superblock and not document.shape and isinstance(encoding.type, Atomic):
            attributes = _with_fill(attributes, encoding.type, fill)
        storage = Storage(
            layout="chunked",
            chunks=document.chunks,
            endianness=encoding.endianness,
            filters=document.codecs,
            fill=fill,
            no_fill=document.fill_value is None,
            string_length=encoding.string_length,
            quantize=read_quantize(attributes),
        )
        return Variable(
            name=node.name,
            type=encoding.type,
            dimensions=self.dimensions.resolve(node, group, where, self.notify),
            attributes=attributes,
            storage=storage,
            data=StoredArray(self.metadata.zmap, node.key, document.layout, encoding, fill),
        )

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
        where = self.metadata.where(key, ATTRIBUTES)
        attributes = []
        for name, value in members.items():
            if is_annotation(name) or (is_root and name == PROPERTIES):
                continue
            if name in RESERVED_IN_HDF5:
                self.notify(Notice(f"attribute {name} is HDF5's own; not shown", where))
                continue
            attributes.append(
                read_attribute(
                    name,
                    value,
                    types.get(name),
                    variable_type=variable_type if isinstance(variable_type, Atomic) else None,
                    where=where,
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
