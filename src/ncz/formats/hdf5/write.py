"""Write a planned dataset to a new netCDF-4 file, in the form that netcdf-c gives it.

All groups, dimensions, variables and attributes come first, in the order of the dataset, which HDF5
keeps; then the values. Encoded chunks are written without decoding, in the thread of the caller.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from operator import add
from typing import Any

import numpy as np

from ncz._version import __version__
from ncz.errors import FormatError, option
from ncz.formats.hdf5.library import has_filter
from ncz.formats.hdf5.memory import in_elements, layout_of
from ncz.formats.hdf5.plan import Hdf5Array, hdf5_filters, load_h5py
from ncz.model.data import Values, fill_array
from ncz.model.grid import Box, ChunkGrid
from ncz.model.sources import row_chunks
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    parent,
    walk,
)
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, UserType, Vlen
from ncz.record import field, record

_CACHED_CHUNKS = 101
"""Slots in the table of chunks that HDF5 keeps for each open dataset. The 8191 of HDF5 2.0 take
64 kB for each dataset, although most chunks are written without it."""


def address_of(obj: Any) -> int:
    """Return the address of an object of h5py's, which identifies it in the file.

    h5py's other function for it (h5o.get_info) also measures the index of chunks of every dataset.
    """
    low, high = load_h5py().h5g.get_objinfo(obj).objno
    return int(low) + (int(high) << 64)


# Names and texts in HDF5: their bytes and their types.


def encoded(name: str) -> bytes:
    """Return the bytes of a name."""
    return name.encode("utf-8", "surrogateescape")


def fixed_text(size: int) -> Any:
    """Return the HDF5 type of text of a fixed number of bytes."""
    h5t = load_h5py().h5t
    text = h5t.C_S1.copy()
    text.set_size(size)
    text.set_strpad(h5t.STR_NULLTERM)
    return text


def string_type() -> Any:
    """Return the HDF5 type of a string of variable length, in UTF-8."""
    h5t = load_h5py().h5t
    text = h5t.C_S1.copy()
    text.set_size(h5t.VARIABLE)
    text.set_cset(h5t.CSET_UTF8)
    return text


# User-defined types in netCDF-4 files: datatypes of HDF5 that are committed, as netcdf-c has them.
#
# Values are packed, without the padding that a compiler adds to structures.


@record
class Datatypes:
    """The HDF5 datatypes of netCDF types; those that are committed by the FQN of the type."""

    committed: dict[str, Any] = field(default_factory=dict)

    def commit(self, group: Any, user_type: UserType) -> None:
        """Create a type in a group (an identifier of h5py's)."""
        h5py, name = load_h5py(), encoded(base_name(user_type.name))
        # h5py cannot commit a type without the time. The oldest form of it has none, nor a copy.
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        access.set_fapl_core(1 << 12, False)
        access.set_libver_bounds(h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_LATEST)
        old = h5py.h5f.create(b"type", fapl=access)
        try:
            self._make(user_type).commit(old, b"type")
            h5py.h5f.flush(old)
            h5py.h5o.copy(old, b"type", group, name)
        finally:
            old.close()
        self.committed[user_type.name] = h5py.h5t.open(group, name)

    def of(self, nc_type: NcType) -> Any:
        """Return the datatype of a type."""
        if isinstance(nc_type, Atomic):
            return _atomic(nc_type)
        return self.committed.get(nc_type.name) or self._make(nc_type)

    def _make(self, user_type: UserType) -> Any:
        h5t = load_h5py().h5t
        match user_type:
            case Opaque(size=size):
                return h5t.create(h5t.OPAQUE, size)
            case Vlen(base=base):
                return h5t.vlen_create(self.of(base))
            case Enumeration(base=base, members=members):
                datatype = h5t.enum_create(self.of(base))
                is_large = any(number >= 2**63 for _, number in members)
                for place, (label, number) in enumerate(members):
                    datatype.enum_insert(encoded(label), place if is_large else number)
                if not is_large:
                    return datatype
                # h5py does not take these numbers. They are the end of an encoded type.
                numbers = b"".join(number.to_bytes(8, "little") for _, number in members)
                return h5t.decode(datatype.encode()[: -len(numbers)] + numbers)
            case Compound(fields=fields):
                parts = [(part.name, self._of_field(part)) for part in fields]
                datatype = h5t.create(h5t.COMPOUND, sum(kind.get_size() for _, kind in parts))
                offset = 0
                for name, kind in parts:
                    datatype.insert(encoded(name), offset, kind)
                    offset += kind.get_size()
                return datatype

    def _of_field(self, part: Field) -> Any:
        kind = self.of(part.type)
        return load_h5py().h5t.array_create(kind, part.shape) if part.shape else kind


def _atomic(nc_type: Atomic) -> Any:
    if nc_type is Atomic.STRING:
        return string_type()
    if nc_type is Atomic.CHAR:
        return fixed_text(1)
    return load_h5py().h5t.py_create(np.dtype(nc_type.dtype).newbyteorder("<"))


# The types and the attributes of a netCDF-4 file, in the form that netcdf-c gives them.
#
# A char attribute is one string of fixed length, which is null if it is empty. A string attribute
# is an array of strings of variable length. All others are arrays, also those of one value.


def write_attributes(target: Any, attributes: Sequence[Attribute], types: Datatypes) -> None:
    """Write attributes to an HDF5 group or dataset (an identifier of h5py's)."""
    for attribute in attributes:
        if attribute.type is Atomic.CHAR:
            write_text(target, attribute.name, "".join(attribute.values))
        elif attribute.type is Atomic.STRING or not isinstance(attribute.type, Atomic):
            _write_values(target, attribute, types.of(attribute.type))
        else:
            write_numbers(target, attribute.name, attribute.values, attribute.type)


def write_text(target: Any, name: str, text: str) -> None:
    """Write a char attribute."""
    h5py = load_h5py()
    data = encoded(text)
    kind = fixed_text(max(1, len(data)))
    if not data.isascii():
        kind.set_cset(h5py.h5t.CSET_UTF8)
    space = h5py.h5s.create(h5py.h5s.SCALAR if data else h5py.h5s.NULL)
    stored_attribute = h5py.h5a.create(target, encoded(name), kind, space)
    if data:
        stored_attribute.write(np.frombuffer(data, f"S{len(data)}").reshape(()), kind)


def write_numbers(
    target: Any, name: str, values: Sequence[float], nc_type: Atomic, *, scalar: bool = False
) -> None:
    """Write an attribute of numbers, as an array unless `scalar`."""
    h5py = load_h5py()
    dtype = nc_type.dtype if nc_type.size < 2 else f"<{nc_type.kind}{nc_type.size}"
    array = np.array(values, dtype).reshape(() if scalar else (len(values),))
    if scalar:
        space = h5py.h5s.create(h5py.h5s.SCALAR)
    elif len(values):
        space = h5py.h5s.create_simple((len(values),))
    else:
        space = h5py.h5s.create(h5py.h5s.NULL)
    stored_attribute = h5py.h5a.create(
        target, encoded(name), h5py.h5t.py_create(np.dtype(dtype)), space
    )
    if len(values):
        stored_attribute.write(array)


def _write_values(target: Any, attribute: Attribute, kind: Any) -> None:
    """Write an attribute of strings or of a user-defined type, whose datatype is `kind`."""
    h5py = load_h5py()
    count = len(attribute.values)
    space = h5py.h5s.create_simple((count,)) if count else h5py.h5s.create(h5py.h5s.NULL)
    stored_attribute = h5py.h5a.create(target, encoded(attribute.name), kind, space)
    layout = layout_of(kind, attribute.type)
    assert layout is not None  # of numbers that numpy has
    if count:
        with in_elements(attribute.values, layout, f"attribute {attribute.name}") as elements:
            stored_attribute.write(elements, kind)


# Dimensions as netcdf-c stores them in HDF5: as dimension scales.
#
# A dimension is the scale of its coordinate variable, or a dataset without values. Variables refer
# to the scales of their dimensions. A coordinate variable of several dimensions, which is a scale
# itself, lists the numbers of its dimensions instead.
#
# Source: the netCDF User's Guide, "NetCDF-4 File Format"; files that netcdf-c 4.9.0 writes.

_WITHOUT_VARIABLE = "This is a netCDF dimension but not a netCDF variable.{:10d}"
_NOT_A_COORDINATE = "_nc4_non_coord_"


def is_coordinate(variable: Variable, group: str) -> bool:
    """Return whether a variable of the group `group` is the scale of its first dimension."""
    return bool(variable.dimensions) and variable.dimensions[0] == join(group, variable.name)


def link_name(variable: Variable, group: Group, fqn: str) -> str:
    """Return the name of the dataset of a variable.

    A variable that has the name of a dimension of its group, but is not its coordinate variable,
    leaves the name to the scale.
    """
    names = {dimension.name for dimension in group.dimensions}
    if variable.name in names and not is_coordinate(variable, fqn):
        return _NOT_A_COORDINATE + variable.name
    return variable.name


def create_scale(group: Any, dimension: Dimension, number: int) -> Any:
    """Create the scale of a dimension without a coordinate variable; return its identifier."""
    h5py = load_h5py()
    maximum = (h5py.h5s.UNLIMITED,) if dimension.unlimited else (dimension.size,)
    properties = creation_properties()
    if dimension.unlimited:
        properties.set_chunk((1024,))
    scale = h5py.h5d.create(
        group,
        encoded(dimension.name),
        h5py.h5t.IEEE_F32BE,
        h5py.h5s.create_simple((dimension.size,), maximum),
        properties,
    )
    mark_scale(scale, _WITHOUT_VARIABLE.format(dimension.size), number)
    return scale


def creation_properties() -> Any:
    """Return the properties that all datasets have: their attributes keep their order."""
    h5py = load_h5py()
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_attr_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
    properties.set_obj_track_times(False)
    return properties


def mark_scale(dataset: Any, name: str, number: int) -> None:
    """Make a dataset the scale of the dimension with this number."""
    load_h5py().h5ds.set_scale(dataset, encoded(name))
    write_numbers(dataset, "_Netcdf4Dimid", (number,), Atomic.INT, scalar=True)


def list_references(scale: Any, references: Sequence[tuple[int, int]]) -> None:
    """Write the list of the datasets that refer to a scale."""
    h5py = load_h5py()
    kind = h5py.h5t.create(h5py.h5t.COMPOUND, 16)
    kind.insert(b"dataset", 0, h5py.h5t.STD_REF_OBJ)
    kind.insert(b"dimension", 8, h5py.h5t.STD_U32LE)
    rows = np.zeros(len(references), [("dataset", "u8"), ("dimension", "<u4"), ("", "V4")])
    rows["dataset"], rows["dimension"] = zip(*references, strict=True)
    space = h5py.h5s.create_simple(rows.shape)
    h5py.h5a.create(scale, b"REFERENCE_LIST", kind, space).write(rows, kind)


class DatasetWriter:
    """The dataset of one variable, which takes encoded chunks or values."""

    def __init__(self, dataset: Any, array: Hdf5Array, url: str) -> None:
        self._dataset = dataset
        self._array = array
        self.url = url

    def put(self, key: str, value: bytes) -> None:
        """Write an encoded chunk; the last part of `key` is its index."""
        index = map(int, key.rpartition("/")[2].split("."))
        offset = tuple(i * n for i, n in zip(index, self._array.layout.chunks, strict=True))
        self._dataset.write_direct_chunk(offset, value)

    def put_values(self, box: Box, values: Values) -> None:
        """Write the values of a box, of shape ``box.shape``."""
        h5py = load_h5py()
        space, memory = h5py.h5s.ALL, h5py.h5s.ALL
        if box.shape:
            if not box.size:
                return
            space = self._dataset.get_space()
            space.select_hyperslab(box.start, box.shape)
            memory = h5py.h5s.create_simple(box.shape)
        nc_type = self._array.type
        if not self._array.item_size:
            kind = self._dataset.get_type()
            layout = layout_of(kind, nc_type)
            assert layout is not None  # of numbers that numpy has
            listed = values.reshape(-1).tolist()
            with in_elements(listed, layout, self._array.fqn) as references:
                self._dataset.write(memory, space, references.reshape(values.shape), kind)
            return
        elements = np.ascontiguousarray(self._array.to_elements(values)).reshape(values.shape)
        self._dataset.write(memory, space, elements, self._dataset.get_type())

    def put_fill(self, box: Box) -> None:
        """Write fill values, except those that HDF5 itself gives when it reads."""
        array = self._array
        if not array.fills_missing:
            return
        pieces = ChunkGrid(box.shape, row_chunks(box.shape))
        for index in pieces.indices():
            piece = pieces.box(index)
            start = tuple(map(add, box.start, piece.start))
            stop = tuple(map(add, box.start, piece.stop))
            self.put_values(Box(start, stop), fill_array(piece.shape, array.type, array.fill))


@contextlib.contextmanager
def create_hdf5(
    path: str, dataset: Dataset, arrays: Sequence[Hdf5Array], url: str, *, strict: bool
) -> Iterator[Mapping[str, DatasetWriter]]:
    """Create a netCDF-4 file with everything but values.

    Parameters
    ----------
    path
        A path at which nothing exists.
    dataset
        What to write.
    arrays
        How each of its variables is stored.
    url
        The name of the file in messages.
    strict
        Whether the file keeps to the classic model, and says so.

    Yields
    ------
    Mapping[str, DatasetWriter]
        What takes the values of each variable, by its FQN, until the context ends.
    """
    h5py = load_h5py()
    new_file = h5py.File(
        path, "x", libver=("v108", "v108"), track_order=True, rdcc_nslots=_CACHED_CHUNKS
    )
    with new_file as file:
        writing = _Writing(dataset, {array.fqn: array for array in arrays})
        for fqn, group in walk(dataset.root):
            writing.create(file.id if not fqn else None, fqn, group)
        writing.finish()
        root = writing.groups[""]
        if strict:
            write_numbers(root, "_nc3_strict", (1,), Atomic.INT, scalar=True)
        version = h5py.version.hdf5_version
        write_text(root, "_NCProperties", f"version=2,ncz={__version__},hdf5={version}")
        yield _Stores(writing, url)


class _Stores(Mapping[str, DatasetWriter]):
    """What takes the values of each variable. An open dataset takes memory, so few are open."""

    def __init__(self, writing: _Writing, url: str) -> None:
        self._writing = writing
        self._url = url

    def __getitem__(self, fqn: str) -> DatasetWriter:
        return DatasetWriter(self._writing.open(fqn), self._writing.arrays[fqn], self._url)

    def __iter__(self) -> Iterator[str]:
        return iter(self._writing.links)

    def __len__(self) -> int:
        return len(self._writing.links)


class _Writing:
    """The groups and datasets of a file that is being written, by their FQNs."""

    def __init__(self, dataset: Dataset, arrays: Mapping[str, Hdf5Array]) -> None:
        self.arrays = arrays
        dimensions = dimensions_by_fqn(dataset.root)
        self.numbers = {fqn: number for number, fqn in enumerate(dimensions)}
        self.unlimited = {fqn for fqn, dimension in dimensions.items() if dimension.unlimited}
        self.types = Datatypes()
        self.groups: dict[str, Any] = {}
        self.links: dict[str, tuple[Any, bytes]] = {}
        """The group of each variable, and the name of its dataset there."""
        self.scales: dict[str, Any] = {}
        self.references: dict[str, list[tuple[int, int]]] = {}
        """The address of each dataset that refers to a scale, with the axis, by the scale's FQN."""
        self.pending: list[str] = []
        """The variables of which a dimension has no scale yet."""

    def create(self, root: Any, fqn: str, group: Group) -> None:
        """Create a group with its dimensions and variables; `root` is the group of the file."""
        hdf5_group = self.groups[fqn] = _create_group(self.groups, fqn) if root is None else root
        if root is not None:
            hdf5_group = self.groups[fqn] = load_h5py().h5g.open(root, b"/")
        for user_type in group.types:
            self.types.commit(hdf5_group, user_type)
        write_attributes(hdf5_group, group.attributes, self.types)
        coordinates = {v.name for v in group.variables if is_coordinate(v, fqn)}
        for dimension in group.dimensions:
            if dimension.name not in coordinates:
                name = join(fqn, dimension.name)
                self.scales[name] = create_scale(hdf5_group, dimension, self.numbers[name])
        for variable in group.variables:
            name = join(fqn, variable.name)
            link = link_name(variable, group, fqn)
            kind = self.types.of(variable.type)
            dataset = create_dataset(hdf5_group, link, self.arrays[name], kind, self.unlimited)
            self.links[name] = hdf5_group, encoded(link)
            if is_coordinate(variable, fqn):
                mark_scale(dataset, variable.name, self.numbers[name])
                self.scales[name] = dataset
            write_attributes(dataset, variable.attributes, self.types)
            if self.scales.keys() >= set(variable.dimensions):
                self.attach(dataset, variable, fqn)
            else:
                self.pending.append(name)

    def open(self, fqn: str) -> Any:
        """Return the dataset of a variable."""
        return load_h5py().h5d.open(*self.links[fqn])

    def attach(self, dataset: Any, variable: Variable, fqn: str) -> None:
        """Let the dataset of a variable of a group refer to the scales of its dimensions.

        What `list_references` writes is collected for the end: HDF5's own function for a reference
        writes the list of the scale again for each.
        """
        h5py, dimensions = load_h5py(), variable.dimensions
        is_scale = h5py.h5ds.is_scale(dataset)
        # netcdf-c looks for dimensions in the groups above, unless their numbers are given.
        is_beside = not all(is_above(dimension, fqn) for dimension in dimensions)
        if is_beside or (is_scale and len(dimensions) > 1):
            listed = [self.numbers[dimension] for dimension in dimensions]
            write_numbers(dataset, "_Netcdf4Coordinates", listed, Atomic.INT)
        if is_scale:
            return
        if not dimensions:
            return
        address = address_of(dataset)
        for axis, dimension in enumerate(dimensions):
            self.references.setdefault(dimension, []).append((address, axis))
        addresses = np.array([address_of(self.scales[d]) for d in dimensions], "u8")
        lists = np.ones((len(addresses), 2), np.uintp)  # as in memory: each a length and a pointer
        lists[:, 1] = addresses.ctypes.data + addresses.itemsize * np.arange(len(addresses))
        lists = lists.view(f"V{2 * lists.itemsize}")[:, 0]
        kind = h5py.h5t.vlen_create(h5py.h5t.STD_REF_OBJ)
        space = h5py.h5s.create_simple(lists.shape)
        h5py.h5a.create(dataset, b"DIMENSION_LIST", kind, space).write(lists, kind)

    def finish(self) -> None:
        """Let all variables refer to their dimensions, which may be those of any group."""
        for fqn in self.pending:
            self.attach(self.open(fqn), self.arrays[fqn].variable, parent(fqn))
        for fqn, listed in self.references.items():
            list_references(self.scales[fqn], listed)


def is_above(dimension: str, group: str) -> bool:
    """Return whether a dimension is one of a group or of those above it, given their FQNs."""
    return f"{group}/".startswith(f"{parent(dimension)}/")


def _create_group(groups: Mapping[str, Any], fqn: str) -> Any:
    h5py = load_h5py()
    above, _, name = fqn.rpartition("/")
    properties = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
    order = h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED
    properties.set_link_creation_order(order)
    properties.set_attr_creation_order(order)
    properties.set_obj_track_times(False)  # the same dataset gives the same bytes
    return h5py.h5g.create(groups[above], encoded(name), gcpl=properties)


def create_dataset(group: Any, name: str, array: Hdf5Array, kind: Any, unlimited: set[str]) -> Any:
    """Create the dataset of a variable without values; `kind` is its datatype.

    Raises `FormatError` if HDF5 refuses one of its filters.
    """
    h5py = load_h5py()
    properties = creation_properties()
    layout = array.layout
    if array.storage_class == "chunked":
        properties.set_chunk(layout.chunks)
        for hdf5 in hdf5_filters(layout.codecs, array.item_size, layout.chunk_size):
            # A filter that is added later, to read the source, would damage this dataset: HDF5
            # writes its name into the header, which has no room for it.
            has_filter(hdf5.id)
            properties.set_filter(hdf5.id, h5py.h5z.FLAG_OPTIONAL, hdf5.parameters)
    elif array.storage_class == "compact":
        properties.set_layout(h5py.h5d.COMPACT)
    if isinstance(array.type, Atomic) and array.type.kind in "iuf":
        kind = h5py.h5t.py_create(np.dtype(array.stored_dtype))  # in its byte order
    if array.fill is not None and array.type in (Atomic.STRING, Atomic.CHAR):
        # h5py takes the fill value of any text as a string of variable length.
        encoding = "latin-1" if array.type is Atomic.CHAR else "utf-8"
        text = array.fill.encode(encoding, "surrogateescape")
        properties.set_fill_value(np.array(text, h5py.string_dtype()))
    elif array.fill is not None and array.item_size:
        element = array.fill_element()
        is_atomic = isinstance(array.type, Atomic)
        properties.set_fill_value(element if is_atomic else element.view(kind.dtype))
    if not layout.shape:
        space = h5py.h5s.create(h5py.h5s.SCALAR)
    else:
        maximum = tuple(
            h5py.h5s.UNLIMITED if fqn in unlimited else n
            for fqn, n in zip(array.variable.dimensions, layout.shape, strict=True)
        )
        space = h5py.h5s.create_simple(layout.shape, maximum)
    try:
        return h5py.h5d.create(group, encoded(name), kind, space, properties)
    except (OSError, RuntimeError, ValueError) as error:
        # A plugin of HDF5 checks the parameters of its filter, and can be of another HDF5.
        raise FormatError(
            f"HDF5 cannot create the variable: {error}",
            array.fqn,
            f"use -d 4 or {option('codecs', 'none')} for other filters",
        ) from None
