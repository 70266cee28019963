"""Read an HDF5 file as a dataset, with the same names, dimensions and order as netCDF-C.

Only metadata are read; values are read on demand.
"""

from __future__ import annotations

import contextlib
from typing import Any

from ncz.errors import Notice, Notify, list_names
from ncz.formats.hdf5.attributes import AttributeReader, collections_of
from ncz.formats.hdf5.chunks import OpenFile
from ncz.formats.hdf5.decode import decoder, is_decodable
from ncz.formats.hdf5.dimensions import DimensionScales
from ncz.formats.hdf5.errors import metadata_errors
from ncz.formats.hdf5.filters import hdf5_filters, zarr_codecs
from ncz.formats.hdf5.lock import check_lock
from ncz.formats.hdf5.metadata.datatype import Datatype
from ncz.formats.hdf5.metadata.faults import (
    PARSE_ERRORS,
    DamageError,
    UnreadableError,
    UnsupportedError,
)
from ncz.formats.hdf5.metadata.file import open_metadata
from ncz.formats.hdf5.metadata.global_heap import FIRST_READ, HeapReader
from ncz.formats.hdf5.metadata.objects import Objects
from ncz.formats.hdf5.metadata.virtual import source_names
from ncz.formats.hdf5.names import CLASSIC_MODEL, PROPERTIES, RESERVED
from ncz.formats.hdf5.sources import source_of
from ncz.formats.hdf5.types import FileTypes, Hdf5Type, text_of, type_name
from ncz.formats.hdf5.walk import Hdf5Dataset, Hdf5Group, walk_file
from ncz.model.tree import Dataset, Group, Provenance, Storage, StorageClass, Variable, parent
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Value, zero_value
from ncz.zmap.range_file import RangeFile

_NOT_COORDINATE = "_nc4_non_coord_"

_THIS_FILE = b"."
"""The name of the file itself among the sources of a virtual dataset."""

_SHOWN = 3
"""Number of other files that a message names."""

_MOST_PASSES = 4
"""The number of times that a file is read to leave out parts with wrong checksums."""


def read_hdf5(file: RangeFile, name: str, notify: Notify) -> Dataset:
    """Read the dataset in an HDF5 file.

    Parameters
    ----------
    file
        The file, which must stay open as long as values are read.
    name
        The name of the dataset.
    notify
        Receives a notice of everything that ncz cannot read.

    Returns
    -------
    Dataset
        The dataset.

    Raises
    ------
    FormatError
        If the file is damaged, or has something that ncz does not read.
    ZmapError
        If a program has the file open for writing.
    """
    if file.path is not None:
        check_lock(file.path)
    with metadata_errors(file.url):
        opened = OpenFile(file, open_metadata(file))
        return _read(opened, name, notify)


def _read(file: OpenFile, name: str, notify: Notify) -> Dataset:
    """Read the dataset; structures with wrong checksums are left out in a second pass."""
    bad: frozenset[int] = frozenset()
    for _ in range(_MOST_PASSES):
        notices: list[Notice] = []
        objects = file.metadata.objects(bad)
        dataset = None
        try:
            dataset = _ObjectReader(file, objects, notices.append).dataset(name)
        except UnreadableError:
            if not objects.source.checksums.wrong():
                raise
        wrong = objects.source.checksums.wrong()
        if dataset is not None and not wrong:
            for notice in notices:
                notify(notice)
            return dataset
        bad |= wrong
    raise DamageError("many checksums of its metadata are wrong")


class _ObjectReader:
    """Turns the objects of one file into groups and variables."""

    def __init__(self, file: OpenFile, objects: Objects, notify: Notify) -> None:
        self._file = file
        self._objects = objects
        self._sizes = objects.sizes
        self._notify = notify
        self._url = file.bytes.url
        self._types = FileTypes()
        self._heap = file.metadata.heap(objects.source)
        self._data_heap = file.metadata.heap()
        self._attributes = AttributeReader(self._types, self._heap, self._sizes, notify)
        self._storages: dict[tuple[Any, ...], Storage] = {}

    def dataset(self, name: str) -> Dataset:
        """Return the dataset."""
        root = walk_file(self._objects, self._url, self._notify)
        self._prepare(root)
        self._read_types(root)
        self._dimensions = DimensionScales(
            root, self._url, self._attributes, lambda n: self._types.has(n.datatype), self._notify
        )
        return Dataset(name=name, root=self._group(root), provenance=self._provenance(root))

    def _prepare(self, root: Hdf5Group) -> None:
        """Read the values of variable length of a file on a server at the same time."""
        if self._objects.source.blocks.is_remote:
            addresses = [
                address
                for group in root.walk()
                for found in (group.object, *(node.object for node in group.datasets))
                for address in collections_of(found, self._sizes)
            ]
            self._objects.source.fetch(addresses, FIRST_READ)

    def _read_types(self, root: Hdf5Group) -> None:
        """Find the types of the file; one that netCDF does not have is left out, with a notice."""
        for group in root.walk():
            for fqn, datatype in group.types:
                fault = self._types.add(datatype, fqn)
                if fault is not None:
                    text = f"type {fqn}: {fault}; the type is left out"
                    self._notify(Notice("type-left-out", text, f"{self._url}: {fqn}", lost=True))
        for group in root.walk():
            for node in group.datasets:
                if self._types.plain(node.datatype) is None:
                    self._types.find_or_name(node.datatype, group.fqn)

    def _provenance(self, root: Hdf5Group) -> Provenance:
        names = root.object.attributes
        is_classic = CLASSIC_MODEL.encode() in names
        reserved = {name.encode() for name in RESERVED}
        marks = sum(len(reserved & node.object.attributes.keys())
                    for group in root.walk() for node in group.datasets)  # fmt: skip
        return Provenance(
            properties=self._attributes.text(root.object, PROPERTIES),
            netcdf_kind="netCDF-4 classic model" if is_classic else "netCDF-4",
            hdf5_superblock=self._objects.superblock.version,
            is_netcdf4=is_classic or PROPERTIES.encode() in names or marks >= 2,
        )

    def _group(self, node: Hdf5Group) -> Group:
        """Return a group with everything below it."""
        found = [self._variable(child) for child in self._dimensions.variables[node.fqn]]
        where = f"{self._url}: {node.fqn}"
        attributes = self._attributes.all_of(node.object, node.fqn, where)
        return Group(
            name=node.name,
            types=self._types.of_group(node.fqn),  # with the types that only attributes have
            dimensions=self._dimensions.of_group(node.fqn),
            variables=tuple(variable for variable in found if variable is not None),
            attributes=attributes,
            groups=tuple(self._group(child) for child in node.groups),
        )

    def _variable(self, node: Hdf5Dataset) -> Variable | None:
        """Return the variable of a dataset; None, with a notice, if it cannot be read."""
        where = f"{self._url}: {node.fqn}"
        group = parent(node.fqn)
        hdf5_type = self._types.of_values(node.datatype, group)
        if node.space.is_null:
            self._leave_out(where, "it has no elements, not even one")
            return None
        if hdf5_type is None or not is_decodable(node.datatype):
            self._leave_out(where, f"its type is {type_name(node.datatype)}")
            return None
        if node.object.external is not None or node.layout.kind == "virtual":
            names = [text if text.isprintable() else repr(text) for text in self._other_files(node)]
            files = f"files ({list_names(names, _SHOWN, whole=True)})" if names else "datasets"
            self._leave_out(where, f"its data are in other {files}")
            return None
        dimensions = self._dimensions.of_variable(node)
        shape = tuple([dimension.size for dimension in dimensions])
        try:
            attributes = self._attributes.all_of(node.object, group, where)
            storage = self._storage(node, hdf5_type)
            source = source_of(self._file, node, hdf5_type, storage, shape, self._data_heap, where)
        except (UnreadableError, *PARSE_ERRORS) as error:
            self._leave_out(where, f"it is damaged ({error})")
            return None
        return Variable(
            name=variable_name(node),
            type=hdf5_type.type,
            dimensions=tuple([dimension.fqn for dimension in dimensions]),
            attributes=attributes,
            storage=storage,
            data=source,
        )

    def _leave_out(self, where: str, reason: str) -> None:
        """Report that a variable is left out."""
        message = f"{reason}, which ncz cannot read; the variable is left out"
        self._notify(Notice("variable-left-out", message, where, lost=True))

    def _other_files(self, node: Hdf5Dataset) -> list[str]:
        """Return the names of other files that have the data of a dataset."""
        names = node.object.external
        if names is None:
            names = ()
            with contextlib.suppress(UnreadableError, *PARSE_ERRORS):
                if node.layout.address is not None:
                    listed = self._heap.find(node.layout.address, node.layout.number)
                    names = tuple(source_names(listed, self._sizes))
        return [text_of(name) for name in names if name != _THIS_FILE]

    def _storage(self, node: Hdf5Dataset, hdf5_type: Hdf5Type) -> Storage:
        """Return the storage of a dataset. A file has few different ones."""
        layout, found = node.layout, node.object
        key = (
            layout.kind,
            node.chunks,
            found.filters,
            found.fill,
            node.datatype,
            id(hdf5_type.type),
        )
        storage = self._storages.get(key)
        if storage is None:
            storage = self._storages[key] = self._new_storage(node, hdf5_type)
        return storage

    def _new_storage(self, node: Hdf5Dataset, hdf5_type: Hdf5Type) -> Storage:
        filters = hdf5_filters(node.object.filters)
        size = fixed_size(hdf5_type.type) or 1
        codecs = zarr_codecs(filters, size) or zarr_codecs(filters, size, replace=True)
        fill = node.object.fill
        kind: StorageClass = "chunked" if node.layout.kind == "virtual" else node.layout.kind
        return Storage(
            storage_class=kind,
            chunks=node.chunks if kind == "chunked" else None,
            endianness=hdf5_type.endianness,
            filters=codecs or (),
            hdf5_filters=filters,
            fill=self._fill(node.datatype, hdf5_type, fill.data) if fill.data else None,
            no_fill=not fill.data,
        )

    def _fill(self, datatype: Datatype, hdf5_type: Hdf5Type, data: bytes) -> Value:
        """Return the fill value; zero for user-defined types without a fixed size."""
        nc_type = hdf5_type.type
        if nc_type is Atomic.CHAR:
            return data[:1].decode("latin-1") or "\0"
        if not isinstance(nc_type, Atomic) and not fixed_size(nc_type):
            return zero_value(nc_type)
        if len(data) < datatype.size:
            raise DamageError("its fill value is too short")
        if len({data[at : at + datatype.size] for at in range(0, len(data), datatype.size)}) > 1:
            raise UnsupportedError("the items of its fill value differ")
        decode = decoder(datatype, nc_type, self._sizes)
        (value,) = decode(data, 0, 1, HeapReader(self._heap))
        return "" if value is None and nc_type is Atomic.STRING else value


def variable_name(node: Hdf5Dataset) -> str:
    """Return the name of a variable: one with the name of a dimension has a prefix in HDF5."""
    name = node.name
    return name.removeprefix(_NOT_COORDINATE) if len(name) > len(_NOT_COORDINATE) else name
