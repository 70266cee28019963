"""The values of HDF5 datasets that only HDF5 can decode: strings, and unusual types and filters."""

from __future__ import annotations

from collections.abc import Iterator
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
from ncz.model.user_types.sizes import fixed_size
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
        values = self._read(common) if references is None else self._texts(common, references)
        if common == box:
            return values
        result = fill_array(box.shape, self.type, self.fill)
        result[common.relative_to(box.start).slices] = values
        return result

    def _read(self, box: Box, text: int = 0) -> Values:
        """Return the values of a box, whose strings have so many bytes."""
        item = self.length or fixed_size(self.type) or _REFERENCE
        return self.file.call(
            _read, self.dataset, box, self.type, self.length, self.filters, self.where,
            memory=_COPIES * (box.size * item + text),
        )  # fmt: skip

    def _texts(self, box: Box, references: Values) -> Values:
        """Return strings, of which few bytes are read at once: each takes memory several times."""
        import numpy as np

        clipped = references[tuple(slice(0, n) for n in box.shape)] if box.shape else references
        parts = np.frombuffer(clipped.tobytes(), "u1").reshape(*box.shape, -1)
        lengths = np.ascontiguousarray(parts[..., :4]).view("<u4")[..., 0].astype("i8")
        most = max(_LARGEST, _LONGEST * box.size)
        if (total := int(lengths.sum())) > most:
            raise CodecError(
                f"the strings of a chunk have {total} bytes, and may have {most}", self.where
            )
        values = np.empty(box.shape, "O")
        for part in _divided(box, lengths, box.start):
            inside = part.relative_to(box.start).slices
            values[inside] = self._read(part, int(lengths[inside].sum()))
        values[np.logical_not(parts[..., 4:-4].any(axis=-1))] = None  # the address of NIL is 0
        return values


_COPIES = 6
"""How often a process holds values that it reads: as HDF5 does, as Python does, as a message."""

_REFERENCE = 16

_LARGEST = 256 << 20
_LONGEST = 1 << 10
"""Bytes of the strings of a chunk: in all, or for each of them if that is more."""

_AT_ONCE = 16 << 20
"""Bytes of strings that are read at once, unless one has more."""


def _divided(box: Box, lengths: Values, origin: Index) -> Iterator[Box]:
    """Divide a box of strings, so that those of each part have few bytes."""
    if box.size <= 1 or int(lengths[box.relative_to(origin).slices].sum()) <= _AT_ONCE:
        yield box
        return
    axis = max(range(len(box.shape)), key=lambda n: box.shape[n])
    middle = (box.start[axis] + box.stop[axis]) // 2
    for part in (
        Box(box.start, (*box.stop[:axis], middle, *box.stop[axis + 1 :])),
        Box((*box.start[:axis], middle, *box.start[axis + 1 :]), box.stop),
    ):
        yield from _divided(part, lengths, origin)


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
