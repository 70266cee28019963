"""The chunk source of an HDF5 dataset, by its datatype, its layout and its filters."""

from __future__ import annotations

from functools import partial
from typing import Any

from ncz.formats.hdf5.chunks import ChunkIndex, Hdf5Chunks, OpenFile
from ncz.formats.hdf5.filters import zarr_codecs
from ncz.formats.hdf5.library import LibraryChunks
from ncz.formats.hdf5.metadata.faults import DamageError
from ncz.formats.hdf5.metadata.global_heap import GlobalHeap
from ncz.formats.hdf5.types import Hdf5Type
from ncz.formats.hdf5.values import (
    DecodedValues,
    ExtendedValues,
    NumbersFromElements,
    ObjectsFromElements,
    StoredElements,
    ToValues,
)
from ncz.formats.hdf5.walk import Hdf5Dataset
from ncz.formats.linear_array import LinearArray, linear_layout
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.data import ChunkSource
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import ChunkGrid
from ncz.model.linear_blocks import block_shape
from ncz.model.tree import Storage
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic
from ncz.model.user_types import from_elements
from ncz.record import record
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.range_file import RangeFile


def source_of(
    file: OpenFile,
    node: Hdf5Dataset,
    hdf5_type: Hdf5Type,
    storage: Storage,
    shape: tuple[int, ...],
    heap: GlobalHeap,
    where: str,
) -> ChunkSource:
    """Return the values of a dataset as values of a variable.

    Parameters
    ----------
    file, node
        The file, and the dataset.
    hdf5_type, storage
        Its type, and its storage.
    shape
        The shape of the variable, which may be longer than the dataset's.
    heap
        The values of variable length.
    where
        Names the dataset in messages.

    Raises
    ------
    DamageError
        If the data are shorter than the shape needs.
    """
    return _ValueReader(file, node, hdf5_type, storage, shape, heap, where).values()


@record
class ContiguousBytes:
    """The bytes of a dataset that are together in the file, from an offset."""

    file: RangeFile
    offset: int

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the dataset; see `ncz.formats.linear_array.ReadBytes`."""
        return self.file.read(self.offset + start, count)

    def find(self, start: int, count: int) -> ByteRange:
        """Return the place of bytes in the file; see `ncz.formats.linear_array.FindBytes`."""
        return ByteRange(self.file.address, self.offset + start, count)


@record
class CompactBytes:
    """The bytes of a dataset that are stored in its header."""

    data: bytes

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the dataset; see `ncz.formats.linear_array.ReadBytes`."""
        return self.data[start : start + count]


@record
class _ValueReader:
    """Turns one dataset into the values of a variable of `shape`."""

    file: OpenFile
    node: Hdf5Dataset
    hdf5_type: Hdf5Type
    storage: Storage
    shape: tuple[int, ...]
    heap: GlobalHeap
    where: str

    def values(self) -> ChunkSource:
        """Return the values."""
        extent = self.node.space.shape
        if self.storage.chunks is not None or extent == self.shape:
            return self._within(self.shape)
        item = fixed_size(self.hdf5_type.type) or self.node.datatype.size
        grid = ChunkGrid(self.shape, block_shape(self.shape, item))
        return ExtendedValues(source=self._within(extent), grid=grid)

    def _within(self, shape: tuple[int, ...]) -> ChunkSource:
        dtype = self.hdf5_type.stored_dtype
        item_size = self.node.datatype.size
        stored = self._stored_elements(
            shape, f"V{item_size}" if dtype is None else dtype, item_size
        )
        if dtype is not None and isinstance(stored, EncodedSource):
            return stored
        return DecodedValues(
            stored=stored,
            to_values=self._to_values(),
            extent=self.node.space.shape,
            type=self.hdf5_type.type,
            fill=self.storage.fill,
            where=self.where,
        )

    def _to_values(self) -> ToValues:
        """Return the function that turns stored elements into values."""
        nc_type, datatype = self.hdf5_type.type, self.node.datatype
        if self.hdf5_type.stored_dtype is not None:
            return partial(from_elements, nc_type=nc_type)
        if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
            return NumbersFromElements(datatype)
        return ObjectsFromElements(datatype, nc_type, self.heap)

    def _stored_elements(
        self, shape: tuple[int, ...], dtype: Any, item_size: int
    ) -> EncodedSource | StoredElements:
        """Return the stored elements of the dataset."""
        storage, nc_type, where = self.storage, self.hdf5_type.type, self.where
        found = self.node.object
        if storage.chunks is None:
            contents = self._contents()
            return LinearArray(
                layout=linear_layout(shape, item_size),
                type=nc_type,
                stored_dtype=dtype,
                item_size=item_size,
                fill=storage.fill,
                read=None if contents is None else contents.read,
                find=contents.find if isinstance(contents, ContiguousBytes) else None,
                where=where,
            )
        if len(storage.chunks) != len(shape):
            raise DamageError(f"chunks of rank {len(storage.chunks)} do not fit rank {len(shape)}")
        filters, datatype, space = found.filters, found.datatype, found.space
        assert datatype is not None
        assert space is not None
        inner = len(shape) - len(space.shape)
        index = ChunkIndex(
            self.file, self.node.layout, space, len(filters), datatype.size, inner, where
        )
        codecs = zarr_codecs(storage.hdf5_filters or (), item_size)
        if codecs is not None:
            return Hdf5Chunks(
                file=self.file,
                index=index,
                layout=ChunkLayout(
                    shape=shape, chunks=storage.chunks, order=in_order(len(shape)), codecs=codecs
                ),
                type=nc_type,
                stored_dtype=dtype,
                item_size=item_size,
                fill=storage.fill,
                where=where,
            )
        return LibraryChunks(
            file=self.file,
            index=index,
            grid=ChunkGrid(shape, storage.chunks),
            filters=filters,
            datatype=datatype.encoded,
            inner=inner,
            item_size=item_size,
            dtype=dtype,
            where=where,
        )

    def _contents(self) -> ContiguousBytes | CompactBytes | None:
        """Return the bytes of a dataset without chunks; None if nothing was written."""
        layout = self.node.layout
        size = self.node.space.count * self.node.datatype.size
        if layout.kind == "compact":
            if len(layout.data) < size:
                raise DamageError("its data are shorter than its shape needs")
            return CompactBytes(layout.data)
        if layout.address is None:
            return None
        if layout.size is not None and layout.size < size:
            raise DamageError("its data are shorter than its shape needs")
        base = self.file.metadata.superblock.base
        return ContiguousBytes(self.file.bytes, layout.address + base)
