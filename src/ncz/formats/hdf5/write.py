"""Write a planned dataset to a new netCDF-4 file in the same form as netcdf-c.

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
from ncz.formats.hdf5.attribute_writer import write_attributes, write_numbers, write_text
from ncz.formats.hdf5.codecs import hdf5_filters
from ncz.formats.hdf5.datatypes import Datatypes
from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.library import has_filter
from ncz.formats.hdf5.memory import in_elements, layout_of
from ncz.formats.hdf5.plan import Hdf5Array
from ncz.formats.hdf5.scales import (
    create_scale,
    creation_properties,
    is_coordinate,
    link_names,
    list_references,
    mark_scale,
)
from ncz.formats.hdf5.text_types import encode_name
from ncz.model.data import Values, fill_array
from ncz.model.flat_blocks import row_chunks
from ncz.model.grid import Box, ChunkGrid
from ncz.model.tree import Dataset, Group, Variable, dimensions_by_fqn, join, parent, walk
from ncz.model.types import Atomic

_CACHED_CHUNKS = 101
"""Slots in the table of chunks that HDF5 keeps for each open dataset. The 8191 of HDF5 2.0 take
64 kB for each dataset, although most chunks are written without it."""


def address_of(obj: Any) -> int:
    """Return the address of an object of h5py's, which identifies it in the file.

    h5py's other function for it (h5o.get_info) also measures the index of chunks of every dataset.
    """
    low, high = load_h5py().h5g.get_objinfo(obj).objno
    return int(low) + (int(high) << 64)


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
        """Write fill values, except where HDF5 itself returns them on reading."""
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
        A path without a file.
    dataset
        What to write.
    arrays
        The storage of each of its variables.
    url
        The name of the file in messages.
    strict
        Whether the file keeps to the classic model, and is marked so.

    Yields
    ------
    Mapping[str, DatasetWriter]
        The writers of the values of each variable, by its FQN, until the context ends.
    """
    h5py = load_h5py()
    new_file = h5py.File(
        path, "x", libver=("v108", "v108"), track_order=True, rdcc_nslots=_CACHED_CHUNKS
    )
    with new_file as file:
        writing = _FileWriter(dataset, {array.fqn: array for array in arrays})
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
    """The target for the values of each variable. An open dataset takes memory, so few are open."""

    def __init__(self, writing: _FileWriter, url: str) -> None:
        self._writing = writing
        self._url = url

    def __getitem__(self, fqn: str) -> DatasetWriter:
        return DatasetWriter(self._writing.open(fqn), self._writing.arrays[fqn], self._url)

    def __iter__(self) -> Iterator[str]:
        return iter(self._writing.links)

    def __len__(self) -> int:
        return len(self._writing.links)


class _FileWriter:
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
        """The variables with a dimension that has no scale yet."""

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
        links = link_names(group, fqn)
        for variable in group.variables:
            name = join(fqn, variable.name)
            link = links[variable.name]
            kind = self.types.of(variable.type)
            dataset = create_dataset(hdf5_group, link, self.arrays[name], kind, self.unlimited)
            self.links[name] = hdf5_group, encode_name(link)
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
        """Let all variables refer to their dimensions, which may be in any group."""
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
    return h5py.h5g.create(groups[above], encode_name(name), gcpl=properties)


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
        return h5py.h5d.create(group, encode_name(name), kind, space, properties)
    except (OSError, RuntimeError, ValueError) as error:
        # A plugin of HDF5 checks the parameters of its filter, and can be of another HDF5.
        raise FormatError(
            f"HDF5 cannot create the variable: {error}",
            array.fqn,
            f"use -d 4 or {option('codecs', 'none')} for other filters",
        ) from None
