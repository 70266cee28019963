"""How an HDF5 dataset is stored, and the values that only HDF5 can decode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.errors import CodecError
from ncz.formats.hdf5.elements import (
    MEMORY,
    GlobalHeap,
    HeapReferences,
    Layout,
    MemoryReferences,
    decode,
    in_memory,
    layout_of,
)
from ncz.formats.hdf5.file import HINT, Hdf5Access, has_filter, hdf5_errors
from ncz.formats.hdf5.objects import Hdf5Type, string_of
from ncz.model.data import ChunkSource, Values, dtype_of, fill_array
from ncz.model.encoded import EncodedSource
from ncz.model.filters import Filter, Hdf5Filter, from_hdf5, stand_in
from ncz.model.grid import Box, ChunkGrid, Grid, Index, whole
from ncz.model.tree import Storage, StorageClass
from ncz.model.types import Atomic, NcType, Value, zero_value
from ncz.model.user_types import fixed_size, unpack
from ncz.record import record

if TYPE_CHECKING:
    from h5py.h5d import DatasetID
    from h5py.h5p import PropDCID
    from h5py.h5t import TypeID


@record(kw_only=True)
class Hdf5Values(ChunkSource):
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
        return _filled(values, common, box, self)

    def _read(self, box: Box, text: int = 0) -> Values:
        """Return the values of a box, whose strings have so many bytes."""
        item = self.length or fixed_size(self.type) or _REFERENCE
        return self.file.call(
            _read, self.dataset, box, self.type, self.length, self.filters, self.where,
            memory=_COPIES * (box.size * item + text),
        )  # fmt: skip

    def _texts(self, box: Box, references: Values) -> Values:
        """Return strings, of which few bytes are read at once: each takes memory several times."""
        parts = np.frombuffer(box.clip(references).tobytes(), "u1").reshape(*box.shape, -1)
        lengths = np.ascontiguousarray(parts[..., :4]).view("<u4")[..., 0].astype("i8")
        most = max(_LARGEST, _LONGEST * box.size)
        if (total := int(lengths.sum())) > most:
            raise CodecError(
                f"the strings of a chunk have {total} bytes, and may have {most}", self.where
            )
        values = np.empty(box.shape, "O")
        for part in _divided(box, lengths, box.start):
            inside = part.relative_to(box.start).slices
            read = self._read(part, int(lengths[inside].sum()))
            values[inside] = read if inside else read[()]
        values[np.logical_not(parts[..., 4:-4].any(axis=-1))] = None  # the address of NIL is 0
        return values


def _filled(values: Values, stored: Box, box: Box, source: ChunkSource) -> Values:
    """Return the values of a box, of which the dataset has those of the box `stored` only."""
    if stored == box:
        return values
    result = fill_array(box.shape, source.type, source.fill)
    result[stored.relative_to(box.start).slices] = values
    return result


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
    else:
        texts = [string_of(value) for value in stored.reshape(-1).tolist()]
    return np.fromiter(texts, "O", len(texts)).reshape(box.shape)


def _as_values(
    stored: Values, layout: Layout, references: MemoryReferences | HeapReferences
) -> Values:
    """Return elements of any shape as an array of values, as `ncz.model.data` specifies it."""
    listed = decode(stored.reshape(-1), layout, references)
    # Unlike assignment to an array, takes a tuple as one element.
    return np.fromiter(listed, "O", len(listed)).reshape(stored.shape)


@record(kw_only=True)
class HeapValues(ChunkSource):
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
        values = _as_values(common.clip(elements), self.value_layout, self.heap.reader())
        return _filled(values, common, box, self)


def _require_filters(filters: tuple[Hdf5Filter, ...], where: str) -> None:
    """Raise `CodecError` if HDF5 lacks a filter."""
    for used in filters:
        if not has_filter(used.id):
            raise CodecError(f"HDF5 filter {used.description} is not available", where, HINT)


# How an HDF5 dataset is stored: chunks, filters, byte order and fill value.


def read_storage(dataset: DatasetID, hdf5_type: Hdf5Type) -> Storage | None:
    """Return how a dataset is stored; None if its data are in other files."""
    from h5py import h5d

    properties = dataset.get_create_plist()
    classes: dict[int, StorageClass] = {
        h5d.CHUNKED: "chunked",
        h5d.CONTIGUOUS: "contiguous",
        h5d.COMPACT: "compact",
    }
    storage_class = classes.get(properties.get_layout())
    if storage_class is None or properties.get_external_count():
        return None
    filters = read_filters(properties)
    size = fixed_size(hdf5_type.type) or 1
    codecs = zarr_codecs(filters, size) or zarr_codecs(filters, size, replace=True)
    defined = properties.fill_value_defined() == h5d.FILL_VALUE_USER_DEFINED
    return Storage(
        storage_class=storage_class,
        chunks=tuple(properties.get_chunk()) if storage_class == "chunked" else None,
        endianness=hdf5_type.endianness,
        filters=codecs or (),
        hdf5_filters=filters,
        fill=_fill(dataset, properties, hdf5_type) if defined else None,
        no_fill=not defined,
    )


def other_files(dataset: DatasetID) -> list[str]:
    """Return the names of the files that have the data of a dataset without a `Storage`."""
    from h5py import h5d

    properties = dataset.get_create_plist()
    if properties.get_layout() == h5d.VIRTUAL:
        sources = range(properties.get_virtual_count())
        names = [properties.get_virtual_filename(number) for number in sources]
    else:
        parts = range(properties.get_external_count())
        names = [properties.get_external(number)[0].decode("utf-8", "replace") for number in parts]
    return list(dict.fromkeys(names))


def read_filters(properties: PropDCID) -> tuple[Hdf5Filter, ...]:
    """Return the filters of a dataset, in the order of encoding.

    Of szip's parameters, only the two that its user chooses are returned, as netCDF-C does.
    """
    found = (properties.get_filter(n) for n in range(properties.get_nfilters()))
    return tuple(
        Hdf5Filter(_SZIP, (values[0] & _SZIP_CODING, *values[1:2]))
        if number == _SZIP and values
        else Hdf5Filter(number, tuple(values))
        for number, _, values, _ in found
    )


_SZIP = 4
_SZIP_CODING = 4 | 32
"""The bits of entropy coding and of nearest neighbour coding."""


def zarr_codecs(
    filters: tuple[Hdf5Filter, ...], item_size: int, *, replace: bool = False
) -> tuple[Filter, ...] | None:
    """Return the Zarr codecs that do the same as all filters, or None if one has no codec.

    With `replace`, codecs that do nearly the same replace filters without an equal one.
    """
    codecs = []
    for used in filters:
        codec = from_hdf5(used, item_size) if item_size else None
        if codec is None and replace:
            codec = stand_in(used)
        if codec is None:
            return None
        codecs.append(codec)
    return tuple(codecs)


def _fill(dataset: DatasetID, properties: PropDCID, hdf5_type: Hdf5Type) -> Value:
    """Return the fill value; zero for user-defined types without a fixed size."""
    if hdf5_type.type is Atomic.STRING:
        text: Any = np.empty(1, dataset.dtype)
        properties.get_fill_value(text)
        return string_of(text.tolist()[0])
    if not isinstance(hdf5_type.type, Atomic):
        if not fixed_size(hdf5_type.type):
            return zero_value(hdf5_type.type)
        stored: Any = np.zeros((), dataset.dtype)
        properties.get_fill_value(stored)
        return unpack(stored.reshape(1), hdf5_type.type)[0]
    # The dtype of the dataset has the character set, which HDF5 does not convert.
    is_char = hdf5_type.type is Atomic.CHAR
    value: Any = np.zeros((), dataset.dtype if is_char else hdf5_type.type.dtype)
    properties.get_fill_value(value)
    item = value.item()
    return item.decode("latin-1") or "\0" if isinstance(item, bytes) else item
