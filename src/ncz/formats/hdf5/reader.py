"""An HDF5 file to a dataset, with the names, dimensions and order that netCDF-C gives it.

Only metadata are read; values are read on demand.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.codec import chain
from ncz.codec.chain import probe_for
from ncz.errors import CodecError, CodecMissing, FormatError, Notice, Notify, counted, list_names
from ncz.formats.hdf5.elements import MEMORY, GlobalHeap, file_form, layout_of
from ncz.formats.hdf5.file import Hdf5Access, Hdf5File, ReadAhead, address_of, hdf5_errors
from ncz.formats.hdf5.objects import (
    CLASSIC_MODEL,
    COORDINATES,
    DIMENSION_ID,
    PROPERTIES,
    RESERVED,
    FileTypes,
    Hdf5Dataset,
    Hdf5Group,
    Hdf5Type,
    read_attributes,
    read_integers,
    read_text,
    read_type,
    read_types,
    type_name,
    walk_file,
)
from ncz.formats.hdf5.values import Hdf5Values, HeapValues, other_files, read_storage, zarr_codecs
from ncz.formats.netcdf.linear import LinearArray, block_shape, linear_layout
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.data import ChunkSource
from ncz.model.encoded import EncodedChunks, EncodedSource, ListedSource, PlacedChunks
from ncz.model.grid import Grid, Index
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Provenance,
    Storage,
    Variable,
    join,
    parent,
)
from ncz.model.types import Atomic, Enumeration, NcType, Value
from ncz.model.user_types import fixed_size, from_elements, numpy_dtype, packed_layout
from ncz.record import record, replace
from ncz.zmap.byte_range import ByteRange, RangeFile

if TYPE_CHECKING:
    from h5py.h5d import DatasetID, StoreInfo
    from h5py.h5t import TypeID

    from ncz.model.data import Values


# The bytes of HDF5 datasets, chunked or contiguous, read from the file without HDF5.
#
# `Hdf5Chunks` is the `EncodedSource` of a chunked dataset whose filters all have a Zarr codec. Like
# chunks of Zarr, those at the edge are stored whole.


@record
class StoredChunk:
    """Where a chunk is in the file, and which filters were skipped when it was written.

    Bit N of `skipped` stands for filter N of the dataset.
    """

    offset: int
    size: int
    skipped: int = 0


class ChunkIndex:
    """Where the chunks of one dataset are in the file. It is read when a chunk is asked for."""

    def __init__(
        self, file: Hdf5Access, dataset: DatasetID, layout: ChunkLayout, location: str
    ) -> None:
        self._file = file
        self._dataset = dataset
        self._layout = layout
        self._location = location
        self._lock = threading.Lock()
        self._columns: Columns | None = None
        self._rows: dict[Index, int] | None = None
        self._number = file.ahead.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._file, self._dataset, self._layout, self._location)

    def find(self, index: Index) -> StoredChunk | None:
        """Return where a chunk is; None if it is not stored."""
        columns = self._read()
        with self._lock:
            if self._rows is None:
                indices = map(tuple, columns.indices.tolist())
                self._rows = {index: row for row, index in enumerate(indices)}
        row = self._rows.get(index)
        if row is None:
            return None
        return StoredChunk(
            int(columns.offsets[row]), int(columns.sizes[row]), int(columns.skipped[row])
        )

    def columns(self) -> Columns:
        """Return the chunks that are stored within the array, as columns."""
        columns = self._read()
        return columns.where(np.all(columns.indices < self._layout.grid.counts, axis=1))

    def _read(self) -> Columns:
        with self._lock:
            if self._columns is None:
                self.fetch(self._file.ahead.following(self._number), self._file.call)
            assert self._columns is not None
            return self._columns

    @property
    def is_read(self) -> bool:
        """Whether it is known where the chunks are."""
        return self._columns is not None

    @staticmethod
    def fetch(indices: list[ChunkIndex], call: Callable[..., list[Columns]]) -> None:
        """Read the first of several indices, and those that follow while there are few chunks."""
        sizes = itertools.accumulate(index._layout.grid.size for index in indices)
        count = sum(size <= _MOST_CHUNKS for size in sizes)
        few = indices[: max(1, count)]
        requests = [(each._dataset, each._layout.chunks, each._location) for each in few]
        for index, columns in zip(few, call(_read_several, requests), strict=False):
            index._columns = columns


_MOST_CHUNKS = 10_000
"""Number of chunks of several datasets that are looked up together."""


def read_ahead(ahead: ReadAhead, call: Callable[..., list[Columns]]) -> None:
    """Read the indices of chunks that have not been read, while there are few chunks."""
    unread = [index for index in ahead.things if not index.is_read]
    if unread:
        ChunkIndex.fetch(unread, call)


def _read_several(requests: list[tuple[DatasetID, tuple[int, ...], str]]) -> list[Columns]:
    """Return the chunks of a dataset, and of those that follow it up to the first damaged one."""
    first, *others = requests
    found = [_read_columns(*first)]
    with contextlib.suppress(FormatError):
        found += (_read_columns(*each) for each in others)
    return found


def _read_columns(dataset: DatasetID, chunks: tuple[int, ...], location: str) -> Columns:
    """Return all chunks that are stored."""
    infos: list[StoreInfo] = []
    with hdf5_errors(location):
        dataset.chunk_iter(infos.append)
        count, rank = len(infos), len(chunks)
        offsets, skipped, starts, sizes = (map(itemgetter(n), infos) for n in range(4))
        starting = np.fromiter(itertools.chain.from_iterable(offsets), np.int64, count * rank)
        return Columns(
            starting.reshape(count, rank) // chunks,
            np.fromiter(starts, np.int64, count),
            np.fromiter(sizes, np.int64, count),
            np.fromiter(skipped, int, count),
        )


@record
class Columns:
    """The chunks of a dataset: indices of shape (chunks, rank), and columns of `StoredChunk`."""

    indices: Values
    offsets: Values
    sizes: Values
    skipped: Values

    def where(self, mask: Values) -> Columns:
        """Return the rows for which `mask` is true."""
        return Columns(self.indices[mask], self.offsets[mask], self.sizes[mask], self.skipped[mask])


@record(kw_only=True)
class Hdf5Chunks(ListedSource):
    """An `EncodedSource` over the chunks of a dataset. `where` names the dataset in messages."""

    file: Hdf5Access
    index: ChunkIndex
    layout: ChunkLayout
    type: NcType
    stored_dtype: Any
    item_size: int
    fill: Value
    where: str

    @property
    def grid(self) -> Grid:
        """The shape, and the chunks."""
        return self.layout.grid

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk, clipped to the array; None if it is not stored."""
        elements = self.elements(index)
        if elements is None:
            return None
        return self.values(self.grid.box(index).clip(elements), index)

    def locate(self, index: Index) -> str:
        """Return the file, the dataset, and the chunk."""
        return f"{self.where} chunk {'.'.join(map(str, index))}"

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that are stored, as the index of chunks does."""
        return True

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks that are within the array."""
        yield from map(tuple, self.index.columns().indices.tolist())

    def stored_size(self, index: Index) -> int | None:
        """Return the bytes of a chunk in the file; None if it is not stored."""
        stored = self.index.find(index)
        return None if stored is None else stored.size

    def encoded(self, index: Index) -> bytes | None:
        """Return a chunk as it is stored; one without some of the filters is encoded again."""
        stored = self.index.find(index)
        if stored is None:
            return None
        data = self._bytes(stored, index)
        if not self._skipped(stored):
            return data
        return chain.encode(
            self._codecs(),
            self._decoded(data, stored, index).reshape(-1),
            item_size=self.item_size,
            location=self.locate(index),
        )

    def place(self, index: Index) -> ByteRange | None:
        """Return where a chunk is in the file; None for one without some of the filters."""
        stored = self.index.find(index)
        if stored is None or self._skipped(stored):
            return None
        return ByteRange(self.file.bytes.address, stored.offset, stored.size)

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return where all chunks are in the file, but for those without some of the filters."""
        columns = self.index.columns()
        is_whole = columns.skipped & self._all_filters == 0
        found = columns.where(is_whole)
        table = PlacedChunks(self.file.bytes.address, found.indices, found.offsets, found.sizes)
        return [table], [tuple(index) for index in columns.indices[~is_whole].tolist()]

    def checked(self, *, decodes: bool) -> CheckedHdf5Chunks:
        """Return the encoded chunks; damaged ones are errors. See `EncodedSource.checked`."""

        return CheckedHdf5Chunks(self, decodes=decodes)

    def elements(self, index: Index) -> Values | None:
        """Return all elements of a chunk, in their stored dtype; None if it is not stored."""
        stored = self.index.find(index)
        if stored is None:
            return None
        return self._decoded(self._bytes(stored, index), stored, index)

    def values(self, elements: Values, index: Index) -> Values:
        """Return elements in native byte order."""
        return from_elements(elements, self.type)

    def _bytes(self, stored: StoredChunk, index: Index) -> bytes:
        most = chain.most_stored(self._codecs(), self.layout.chunk_size, self.item_size)
        if stored.size > most:
            raise CodecError(
                f"the chunk has {counted(stored.size, 'byte')}, and at most {most} are possible",
                self.locate(index),
                "the file is damaged; restore it from a copy",
            )
        return self.file.bytes.read(stored.offset, stored.size)

    def _decoded(self, data: bytes, stored: StoredChunk, index: Index) -> Values:
        decoded = chain.decode(
            self._codecs(stored.skipped),
            data,
            count=self.layout.chunk_size,
            item_size=self.item_size,
            location=self.locate(index),
        )
        return np.frombuffer(decoded, numpy_dtype(self.stored_dtype)).reshape(self.layout.chunks)

    def _skipped(self, stored: StoredChunk) -> int:
        """Return the mask of the filters that were skipped, of those that there are."""
        return stored.skipped & self._all_filters

    @property
    def _all_filters(self) -> int:
        """The mask of all filters."""
        return (1 << len(self.layout.codecs)) - 1

    def _codecs(self, skipped: int = 0) -> list[dict[str, Any]]:
        codecs = self.layout.codecs
        return [codec.to_json() for n, codec in enumerate(codecs) if not skipped >> n & 1]


# The bytes of HDF5 datasets without chunks.


@record
class ContiguousBytes:
    """The bytes of a dataset that are together in the file, from an offset."""

    file: RangeFile
    offset: int

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the dataset; see `ncz.formats.netcdf.linear.ReadBytes`."""
        return self.file.read(self.offset + start, count)

    def find(self, start: int, count: int) -> ByteRange:
        """Return where bytes are in the file; see `ncz.formats.netcdf.linear.FindBytes`."""
        return ByteRange(self.file.address, self.offset + start, count)


@record
class CompactBytes:
    """The bytes of a dataset in whose header they are stored."""

    data: bytes

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the dataset; see `ncz.formats.netcdf.linear.ReadBytes`."""
        return self.data[start : start + count]


# Chunks of HDF5 that are checked when they are copied without decoding.


class CheckedHdf5Chunks(EncodedChunks):
    """The encoded chunks of a dataset; reading a damaged one raises `CodecError`.

    Parameters
    ----------
    source
        The chunks.
    decodes
        Whether every chunk is decoded; otherwise only those whose length or header is suspicious.
    """

    def __init__(self, source: Hdf5Chunks, *, decodes: bool) -> None:
        codecs = [codec.to_json() for codec in source.layout.codecs]
        self._source = source
        self._decodes = decodes
        self._looks_whole = probe_for(codecs, source.layout.chunk_size, source.item_size)

    def encoded(self, index: Index) -> bytes | None:
        """Return a chunk as it is stored; see `EncodedSource.encoded`."""
        data = self._source.encoded(index)
        if data is not None and (self._decodes or not self._looks_whole(data)):
            try:
                self._source.elements(index)
            except CodecMissing:
                if self._decodes:
                    raise
        return data


# The dimensions of variables in an HDF5 file, found as netCDF-C finds them.
#
# A dimension is a dataset that is a dimension scale. A variable names its dimensions by their ids,
# in the attribute ``_Netcdf4Coordinates``, or by references to their scales. For a dataset without
# scales, dimensions are invented: ``phony_dim_N``.

_NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"
_NOT_COORDINATE = "_nc4_non_coord_"


class ScaleDimension:
    """A dimension of one group."""

    def __init__(self, number: int, name: str, group: str, size: int, unlimited: bool) -> None:
        self.number = number
        self.name = name
        self.group = group
        self.size = size
        self.unlimited = unlimited

    @property
    def fqn(self) -> str:
        """The dimension's fully qualified name."""
        return join(self.group, self.name)


class DimensionScales:
    """The dimensions of all groups and variables of a file.

    Parameters
    ----------
    root
        The root group.
    is_readable
        Whether a dataset can be a variable. For others no dimensions are invented.

    Attributes
    ----------
    variables
        The datasets that are variables, by the FQN of their group; a dimension without a variable
        is not among them.
    """

    def __init__(self, root: Hdf5Group, is_readable: Callable[[Hdf5Dataset], bool]) -> None:
        self._is_readable = is_readable
        self._next = 0
        self._by_group: dict[str, list[ScaleDimension]] = {}
        self._by_number: dict[int, ScaleDimension] = {}
        self._by_address: dict[int, ScaleDimension] = {}
        self._of: dict[int, tuple[ScaleDimension, ...]] = {}
        self.variables: dict[str, list[Hdf5Dataset]] = {}
        for group in root.walk():
            self._find_scales(group)
        self._match(root, [])
        self._measure(root)

    def of_group(self, fqn: str) -> tuple[Dimension, ...]:
        """Return the dimensions of a group, in the order of their ids."""
        ordered = sorted(self._by_group[fqn], key=lambda d: d.number)
        return tuple(Dimension(name=d.name, size=d.size, unlimited=d.unlimited) for d in ordered)

    def of_variable(self, node: Hdf5Dataset) -> tuple[ScaleDimension, ...]:
        """Return the dimensions of a variable."""
        return self._of[id(node)]

    def _find_scales(self, group: Hdf5Group) -> None:
        from h5py import h5ds

        self._by_group[group.fqn] = []
        self.variables[group.fqn] = []
        for node in group.datasets:
            shape = node.extent
            if not shape or "CLASS" not in node.attributes or not h5ds.is_scale(node.id):
                self.variables[group.fqn].append(node)
                continue
            numbers = read_integers(node, DIMENSION_ID)
            number = numbers[0] if numbers else self._next
            self._next = max(self._next, number + 1)
            self._add(group.fqn, node.name, number, *shape[0], node.address)
            if not (h5ds.get_scale_name(node.id) or b"").startswith(_NO_VARIABLE):
                self.variables[group.fqn].append(node)

    def _add(
        self, group: str, name: str, number: int, size: int, unlimited: bool, address: int | None
    ) -> ScaleDimension:
        dimension = ScaleDimension(number, name, group, size, unlimited)
        self._by_group[group].append(dimension)
        self._by_number[number] = dimension
        if address is not None:
            self._by_address[address] = dimension
        return dimension

    def _match(self, group: Hdf5Group, above: list[str]) -> None:
        """Find the dimensions of variables, of inner groups first."""
        for child in group.groups:
            self._match(child, [*above, group.fqn])
        for node in self.variables[group.fqn]:
            found = self._with_scales(node)
            if all(found) or self._is_readable(node):
                self._of[id(node)] = self._completed(node, group.fqn, found)

    def _with_scales(self, node: Hdf5Dataset) -> list[ScaleDimension | None]:
        """Return the dimensions of a dataset that have scales."""
        rank = len(node.extent)
        own = self._by_address.get(node.address)
        numbers = read_integers(node, COORDINATES)
        if numbers is not None and len(numbers) == rank:
            return [self._by_number.get(number) for number in numbers]
        if own is not None:
            return [own, *self._attached(node)[1:]]
        return self._attached(node)

    def _completed(
        self, node: Hdf5Dataset, group: str, found: list[ScaleDimension | None]
    ) -> tuple[ScaleDimension, ...]:
        """Return all dimensions of a dataset, of which those without scales are invented."""
        dimensions: list[ScaleDimension] = []
        for dimension, (size, unlimited) in zip(found, node.extent, strict=True):
            dimensions.append(dimension or self._invented(group, size, unlimited, dimensions))
        return tuple(dimensions)

    def _attached(self, node: Hdf5Dataset) -> list[ScaleDimension | None]:
        """Return the dimensions whose scales are attached to a dataset."""
        from h5py import h5ds

        dataset, rank = node.id, len(node.extent)
        if not rank or "DIMENSION_LIST" not in node.attributes:
            return [None] * rank
        found: list[ScaleDimension | None] = []
        for axis in range(rank):
            addresses: list[int] = []
            try:
                h5ds.iterate(
                    dataset, axis, lambda scale, into=addresses: into.append(address_of(scale))
                )
            except RuntimeError:  # also if the axis has no scale
                if h5ds.get_num_scales(dataset, axis) > 0:
                    raise
            found.append(self._by_address.get(addresses[-1]) if addresses else None)
        return found

    def _invented(
        self, group: str, size: int, unlimited: bool, used: list[ScaleDimension]
    ) -> ScaleDimension:
        """Return a dimension of that size which the variable does not use yet, or a new one."""
        for dimension in self._by_group[group]:
            is_alike = (dimension.size, dimension.unlimited) == (size, unlimited)
            if is_alike and dimension not in used:
                return dimension
        number = self._next
        self._next += 1
        return self._add(group, f"phony_dim_{number}", number, size, unlimited, None)

    def _measure(self, root: Hdf5Group) -> None:
        """Give each unlimited dimension the length of the longest variable along it."""
        longest: dict[int, int] = {}
        for group in root.walk():
            for node in self.variables[group.fqn]:
                if id(node) not in self._of:
                    continue
                for dimension, (size, _) in zip(self._of[id(node)], node.extent, strict=True):
                    longest[dimension.number] = max(longest.get(dimension.number, 0), size)
        for dimension in self._by_number.values():
            if dimension.unlimited:
                dimension.size = longest.get(dimension.number, 0)


def variable_name(node: Hdf5Dataset) -> str:
    """Return the name of a variable: one with the name of a dimension has a prefix in HDF5."""
    name = node.name
    return name.removeprefix(_NOT_COORDINATE) if len(name) > len(_NOT_COORDINATE) else name


_SHOWN = 3
"""Number of other files that a message names."""

_REFERENCE = 16
"""Bytes of the reference by which a file stores a value of variable size."""


def read_hdf5(file: Hdf5File, name: str, notify: Notify) -> Dataset:
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
        If the file is damaged.
    """
    with hdf5_errors(file.url):
        root = walk_file(file, notify)
        types = read_types(root, file.url, notify)
        dimensions = DimensionScales(root, types.has)
        reading = _Reading(file, dimensions, types, notify)
        return Dataset(name=name, root=reading.group(root), provenance=_provenance(file, root))


def _provenance(file: Hdf5File, root: Hdf5Group) -> Provenance:
    names = root.attributes
    is_classic = CLASSIC_MODEL in names
    marks = (name for group in root.walk() for node in group.datasets
             for name in node.attributes if name in RESERVED)  # fmt: skip
    is_netcdf4 = is_classic or PROPERTIES in names or len(list(marks)) >= 2
    return Provenance(
        properties=read_text(root, PROPERTIES),
        netcdf_kind="netCDF-4 classic model" if is_classic else "netCDF-4",
        hdf5_superblock=file.superblock,
        is_netcdf4=is_netcdf4,
    )


@record
class _Reading:
    """Turns the objects of one file into groups and variables."""

    file: Hdf5File
    dimensions: DimensionScales
    types: FileTypes
    notify: Notify

    def group(self, node: Hdf5Group) -> Group:
        """Return a group with everything below it."""
        found = [self.variable(child) for child in self.dimensions.variables[node.fqn]]
        attributes = self.attributes(node, node.fqn, f"{self.file.url}: {node.fqn}")
        return Group(
            name=node.name,
            types=self.types.of_group(node.fqn),  # with those that only attributes have
            dimensions=self.dimensions.of_group(node.fqn),
            variables=tuple(variable for variable in found if variable is not None),
            attributes=attributes,
            groups=tuple(self.group(child) for child in node.groups),
        )

    def variable(self, node: Hdf5Dataset) -> Variable | None:
        """Return the variable of a dataset; None, with a notice, if it cannot be read."""
        where = f"{self.file.url}: {node.fqn}"
        hdf5_type = node.plain or self.user_type(node.type, parent(node.fqn))
        if node.is_null:
            self.leave_out(where, "it has no elements, not even one")
            return None
        if hdf5_type is None:
            self.leave_out(where, f"its type is {type_name(node.type)}")
            return None
        storage = read_storage(node.id, hdf5_type)
        if storage is None:
            names = [n if n.isprintable() else repr(n) for n in other_files(node.id)]
            files = list_names(names, _SHOWN, whole=True)
            self.leave_out(where, f"its data are in other files ({files})")
            return None
        attributes = self.attributes(node, parent(node.fqn), where)
        dimensions = self.dimensions.of_variable(node)
        shape = tuple(dimension.size for dimension in dimensions)
        reading = _ReadingValues(self.file, node, hdf5_type.type, storage, shape, where)
        return Variable(
            name=variable_name(node),
            type=hdf5_type.type,
            dimensions=tuple(dimension.fqn for dimension in dimensions),
            attributes=attributes,
            storage=storage,
            data=reading.values(hdf5_type.stored_dtype, hdf5_type.length),
        )

    def attributes(
        self, node: Hdf5Group | Hdf5Dataset, group: str, where: str
    ) -> tuple[Attribute, ...]:
        """Return the attributes of a group, or of a dataset in it."""
        find_type = partial(self.types.find_or_name, group=group)
        return read_attributes(node, where, find_type, self.notify)

    def user_type(self, datatype: TypeID, group: str) -> Hdf5Type | None:
        """Return the user-defined type of a datatype, or None. An enum is stored as its base."""
        found = self.types.find(datatype, group)
        if found is None:
            return None
        base = read_type(datatype.get_super()) if isinstance(found, Enumeration) else None
        if base is not None:
            return replace(base, type=found)
        packed = packed_layout(found, "<") if fixed_size(found) else None
        layout = layout_of(datatype, found, MEMORY)
        is_packed = packed and layout is not None and layout.dtype == numpy_dtype(packed)
        return Hdf5Type(found, packed if is_packed else None)

    def leave_out(self, where: str, reason: str) -> None:
        """Say that a variable is left out."""
        message = f"{reason}, which ncz cannot read; the variable is left out"
        self.notify(Notice("variable-left-out", message, where, lost=True))


@record
class _ReadingValues:
    """Turns one dataset into the values of a variable of `shape`."""

    file: Hdf5File
    node: Hdf5Dataset
    type: NcType
    storage: Storage
    shape: tuple[int, ...]
    where: str

    def values(self, dtype: Any, length: int | None) -> ChunkSource:
        """Return the values; `dtype` and `length` are those of the `Hdf5Type`."""
        nc_type, storage, sizes = self.type, self.storage, self.node.sizes
        is_string = nc_type is Atomic.STRING and length is None
        item = sum(self.file.id.get_create_plist().get_sizes()[:1], 8) if is_string else 0
        elements = None
        if storage.chunks is not None or sizes == self.shape:
            if is_string and storage.storage_class != "compact":
                elements = self.stored(f"V{item}", item)
            if dtype is not None:
                elements = self.stored(dtype, fixed_size(nc_type))
            elif not isinstance(nc_type, Atomic):
                values = self.heap_values()
                if values is not None:
                    return values
        if elements is not None and not is_string:
            return elements
        item = item or length or fixed_size(nc_type) or _REFERENCE
        return Hdf5Values(
            file=self.file,
            dataset=self.node.id,
            shape=self.shape,
            extent=sizes,
            chunks=storage.chunks or block_shape(self.shape, item),
            type=nc_type,
            fill=storage.fill,
            where=self.where,
            length=length,
            filters=storage.hdf5_filters or (),
            references=elements,
        )

    def heap_values(self) -> ChunkSource | None:
        """Return the values of elements that are padded or refer to the file's heap.

        None if only HDF5 can decode them.
        """
        properties = self.file.id.get_create_plist()
        offset_size, length_size = properties.get_sizes()
        layout = layout_of(self.node.type, self.type, file_form(offset_size))
        if layout is None or self.storage.storage_class == "compact":
            return None  # HDF5 gives compact data in the form of memory
        elements = self.stored(layout.dtype, layout.dtype.itemsize)
        if elements is None:
            return None
        base = properties.get_userblock()
        return HeapValues(
            stored=elements,
            value_layout=layout,
            heap=GlobalHeap(self.file.bytes, base, offset_size, length_size, self.where),
            extent=self.node.sizes,
            type=self.type,
            fill=self.storage.fill,
        )

    def stored(self, dtype: Any, item_size: int) -> EncodedSource | None:
        """Return the stored elements of a dataset; None if only HDF5 can decode them."""
        storage, shape, where = self.storage, self.shape, self.where
        codecs = zarr_codecs(storage.hdf5_filters or (), item_size)
        if codecs is None:
            return None
        if storage.chunks is not None:
            layout = ChunkLayout(
                shape=shape, chunks=storage.chunks, order=in_order(len(shape)), codecs=codecs
            )
            return Hdf5Chunks(
                file=self.file,
                index=ChunkIndex(self.file, self.node.id, layout, where),
                layout=layout,
                type=self.type,
                stored_dtype=dtype,
                item_size=item_size,
                fill=storage.fill,
                where=where,
            )
        contents = _contents(self.file, self.node, storage)
        return LinearArray(
            layout=linear_layout(shape, item_size),
            type=self.type,
            stored_dtype=dtype,
            item_size=item_size,
            fill=storage.fill,
            read=None if contents is None else contents.read,
            find=contents.find if isinstance(contents, ContiguousBytes) else None,
            where=where,
        )


def _contents(
    file: Hdf5File, node: Hdf5Dataset, storage: Storage
) -> ContiguousBytes | CompactBytes | None:
    """Return the bytes of a dataset without chunks; None if nothing was written."""
    if storage.storage_class == "compact":
        return CompactBytes(_compact_bytes(node))
    offset = node.id.get_offset()
    return None if offset is None else ContiguousBytes(file.bytes, offset)


def _compact_bytes(node: Hdf5Dataset) -> bytes:
    """Return the data of a dataset in whose header they are stored."""
    import numpy as np
    from h5py import h5s

    values = np.empty(node.sizes, node.id.dtype)
    node.id.read(h5s.ALL, h5s.ALL, values, node.type)
    return values.tobytes()
