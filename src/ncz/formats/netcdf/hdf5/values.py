"""The values of HDF5 datasets that only HDF5 can decode: strings, and unusual types and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.errors import CodecError
from ncz.formats.netcdf.elements import (
    MEMORY,
    GlobalHeap,
    Layout,
    MemoryReferences,
    References,
    decode,
    in_memory,
    layout_of,
)
from ncz.formats.netcdf.hdf5.attributes import string_of
from ncz.formats.netcdf.hdf5.file import Hdf5Access, hdf5_errors
from ncz.formats.netcdf.plugins import HINT, has_filter
from ncz.model.chunk.encoded import EncodedSource
from ncz.model.data import dtype_of, fill_array
from ncz.model.filters import Hdf5Filter
from ncz.model.grid import Box, ChunkGrid, Grid, Index, whole
from ncz.model.types import Atomic, NcType, Value
from ncz.record import record

if TYPE_CHECKING:
    from h5py.h5d import DatasetID
    from h5py.h5t import TypeID

    from ncz.model.data import Values


@record(kw_only=True)
class Hdf5Values:
    """A `ncz.model.data.ChunkSource` over a dataset that HDF5 decodes.

    `extent` is the shape of the dataset, which may be shorter than `shape`, that of the variable.
    `length` has the bytes of strings of fixed length. `where` names the dataset in messages.
    `references` has the references by which the file stores strings, in the same chunks.
    """

    file: Hdf5Access
    dataset: DatasetID
    shape: tuple[int, ...]
    extent: tuple[int, ...]
    chunks: tuple[int, ...]
    type: NcType
    fill: Value
    where: str
    length: int | None = None
    filters: tuple[Hdf5Filter, ...] = ()
    references: EncodedSource | None = None

    @property
    def grid(self) -> ChunkGrid:
        """The shape, and the chunks."""
        return ChunkGrid(self.shape, self.chunks)

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is not stored."""
        box = self.grid.box(index)
        common = box.intersect(whole(self.extent)) if box.start else box
        references = None if self.references is None else self.references.elements(index)
        if common is None or (references is None and self.references is not None):
            return None
        values = self.file.call(
            _read, self.dataset, common, self.type, self.length, self.filters, self.where
        )
        if references is not None:
            values[_is_nil(references, common.shape)] = None
        if common == box:
            return values
        result = fill_array(box.shape, self.type, self.fill)
        result[common.relative_to(box.start).slices] = values
        return result


def _read(
    dataset: DatasetID,
    box: Box,
    nc_type: NcType,
    length: int | None,
    filters: tuple[Hdf5Filter, ...],
    where: str,
) -> Values:
    """Return the elements of a box, as values."""
    import numpy as np
    from h5py import h5s, h5t

    stored: Values
    datatype = dataset.get_type()
    kind: TypeID | None = None
    layout: Layout | None = None
    if not isinstance(nc_type, Atomic):
        kind = in_memory(datatype)
        layout = layout_of(kind, nc_type, MEMORY)
        if layout is None:
            raise CodecError("its numbers are of an unusual size", where)
        stored = np.zeros(box.shape, layout.dtype)
    elif nc_type is not Atomic.STRING:
        stored = np.empty(box.shape, dtype_of(nc_type))
    elif length is not None:
        kind = datatype  # HDF5 removes the blanks at the end of a text of another datatype
        stored = np.empty(box.shape, f"S{length}")
    else:
        stored = np.empty(box.shape, dataset.dtype)
    space = dataset.get_space()
    memory = h5s.create_simple(box.shape) if box.shape else h5s.create(h5s.SCALAR)
    if box.shape:
        space.select_hyperslab(box.start, box.shape)
    _require_filters(filters, where)
    with hdf5_errors(where):
        dataset.read(memory, space, stored, kind)
    if layout is not None:
        return _as_values(stored, layout, MemoryReferences())
    if nc_type is not Atomic.STRING:
        return stored
    if length is not None and datatype.get_strpad() == h5t.STR_NULLTERM:
        texts = [string_of(value.partition(b"\0")[0]) for value in stored.reshape(-1).tolist()]
        return np.fromiter(texts, "O", len(texts)).reshape(box.shape)
    texts = [string_of(value) for value in stored.reshape(-1).tolist()]
    return np.fromiter(texts, "O", len(texts)).reshape(box.shape)


def _as_values(stored: Values, layout: Layout, references: References) -> Values:
    """Return elements of any shape as an array of values, as `ncz.model.data` specifies it."""
    import numpy as np

    listed = decode(stored.reshape(-1), layout, references)
    # Unlike assignment to an array, takes a tuple as one element.
    return np.fromiter(listed, "O", len(listed)).reshape(stored.shape)


@record(kw_only=True)
class HeapValues:
    """A `ncz.model.data.ChunkSource` over elements of user-defined types, read without HDF5.

    `stored` has the elements, which may refer to values in `heap`. `extent` is the shape of the
    dataset, as in `Hdf5Values`.
    """

    stored: EncodedSource
    value_layout: Layout
    heap: GlobalHeap
    extent: tuple[int, ...]
    type: NcType
    fill: Value

    @property
    def grid(self) -> Grid:
        """The shape, and the chunks."""
        return self.stored.grid

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is not stored."""
        box = self.grid.box(index)
        common = box.intersect(whole(self.extent)) if box.start else box
        elements = None if common is None else self.stored.elements(index)
        if common is None or elements is None:
            return None
        inside = elements[tuple(slice(0, n) for n in common.shape)]
        values = _as_values(inside, self.value_layout, self.heap.reader())
        if common == box:
            return values
        result = fill_array(box.shape, self.type, self.fill)
        result[common.relative_to(box.start).slices] = values
        return result


def _require_filters(filters: tuple[Hdf5Filter, ...], where: str) -> None:
    """Raise `CodecError` if HDF5 lacks a filter."""
    for used in filters:
        if not has_filter(used.id):
            raise CodecError(f"HDF5 filter {used.description} is not available", where, HINT)


def _is_nil(references: Values, shape: tuple[int, ...]) -> Values:
    """Return which strings are NIL: a length in 4 bytes, an address that is 0, and 4 bytes."""
    import numpy as np

    clipped = references[tuple(slice(0, n) for n in shape)] if shape else references
    parts = np.frombuffer(clipped.tobytes(), "u1").reshape(*shape, -1)
    return np.logical_not(parts[..., 4:-4].any(axis=-1))
