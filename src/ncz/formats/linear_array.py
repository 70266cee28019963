"""Arrays whose elements are consecutive in a file, without codecs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.encoded_arrays import EncodedSource, PlacedChunks
from ncz.model.grid import Box, Grid, Index
from ncz.model.linear_blocks import aligned_blocks, are_consecutive, block_shape, whole_blocks
from ncz.model.types import NcType, Value
from ncz.model.user_types import from_elements, numpy_dtype
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.zmap.byte_range import ByteRange


_MANY = 1 << 12
"""Number of chunks, of 16 MiB each, that are listed only if the file has the last of them."""

_SMALL = 1 << 16
"""Bytes of chunks that are read together rather than one by one."""

FindBytes = Callable[[int, int], "ByteRange | None"]
"""A function that returns the place in the file of bytes of the array, by their offset and number;
None if they are not contiguous."""

ReadBytes = Callable[[int, int], bytes]
"""A function that reads bytes of the array, by their offset and number."""


@record(kw_only=True)
class LinearArray(EncodedSource):
    """An `ncz.model.encoded_arrays.EncodedSource` over consecutive elements.

    `read` reads bytes of the array, and is None if nothing was ever written. `find` returns their
    place, and is None if the file stores them in another form; `by_record` is true if the elements
    of two records are not contiguous. `where` names the array in messages. `has_all` is
    false if the file ends before the array does, so that only chunks of `layout` can be read.
    """

    layout: ChunkLayout
    type: NcType
    stored_dtype: Any
    item_size: int
    fill: Value
    read: ReadBytes | None
    where: str
    find: FindBytes | None = None
    by_record: bool = False
    has_all: bool = True

    @property
    def grid(self) -> Grid:
        """The shape, and the chunks for reading the array."""
        return self.layout.grid

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk, clipped to the array; None if nothing was written."""
        data = self._bytes(index)
        if data is None:
            return None
        return self.values(self._array(data, self.grid.box(index).shape), index)

    def locate(self, index: Index) -> str:
        """Return the file, and the array in it."""
        return self.where

    def present(self) -> Iterator[Index]:
        """Yield the indices of all chunks, or none if nothing was written.

        Raises `ZmapError` if there are too many: the file is then damaged, and ends before them.
        """
        if self.read is None:
            return
        if self.grid.size > _MANY:
            self.read(math.prod(self.layout.shape) * self.item_size - 1, 1)
        yield from self.grid.indices()

    def stored_size(self, index: Index) -> int | None:
        """Return the bytes of a chunk in the file; None if nothing was written."""
        if self.read is None:
            return None
        return math.prod(self.grid.box(index).shape) * self.item_size

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return the bytes of chunks; beyond the array's edge they are zero."""
        return [self._stored_bytes(index) for index in indices]

    def _stored_bytes(self, index: Index) -> bytes | None:
        data = self._bytes(index)
        if data is None or len(data) == self.layout.chunk_size * self.item_size:
            return data
        return self._pad(data, index).tobytes()

    def encoded_part(self, index: Index, start: int, count: int) -> bytes | None:
        """Return bytes of a chunk within the array, without reading the rest of it."""
        first, size = self._span(index)
        return None if self.read is None else self.read(first + start, min(count, size - start))

    def place(self, index: Index) -> ByteRange | None:
        """Return the byte range of a chunk; None if it is incomplete or not contiguous."""
        if self.find is None or self.grid.box(index).shape != self.layout.chunks:
            return None
        return self.find(*self._span(index))

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return the byte ranges of all chunks, and the chunks that are not contiguous."""
        found = [(index, self.place(index)) for index in self.present()]
        placed = [(index, place) for index, place in found if place is not None]
        others = [index for index, place in found if place is None]
        if not placed:
            return [], others
        rows = np.array([(p.offset, p.length) for _, p in placed], np.int64).reshape(-1, 2)
        indices = np.array([index for index, _ in placed], np.int64)
        indices = indices.reshape(len(placed), self.layout.rank)
        return [PlacedChunks(placed[0][1].url, indices, rows[:, 0], rows[:, 1])], others

    def referable(self) -> LinearArray:
        """Return the array in chunks that are contiguous byte ranges of the file."""
        shape = self.layout.shape
        chunks = whole_blocks(shape, self.item_size, by_record=self.by_record)
        return replace(self, layout=replace(self.layout, chunks=chunks))

    def split(self, most: int) -> LinearArray:
        """Return the array in chunks of at most `most` bytes, if an element has fewer."""
        chunks = block_shape(self.layout.shape, self.item_size, most)
        return replace(self, layout=replace(self.layout, chunks=chunks))

    def without_file(self) -> LinearArray:
        """Return the array without its file, which it does not keep open: it has chunks alone."""
        return replace(self, read=None, find=None)

    @property
    def is_divisible(self) -> bool:
        """Whether chunks of any consecutive elements can be read."""
        return self.has_all

    def rechunk(self, chunks: tuple[int, ...]) -> LinearArray:
        """Return the array in chunks of that shape if these are large, and consecutive elements."""
        shape = self.layout.shape
        is_small = math.prod(chunks) * self.item_size < _SMALL
        is_whole = all(a >= b for a, b in zip(chunks, shape, strict=True))
        if not self.has_all or (is_small and not is_whole) or not are_consecutive(shape, chunks):
            return self
        return replace(self, layout=replace(self.layout, chunks=chunks))

    def within(self, box: Box) -> LinearArray:
        """Return the array in chunks that begin and end about where a box does."""
        chunks = aligned_blocks(self.layout.shape, self.item_size, box.start, box.stop)
        if not self.has_all or chunks is None:
            return self
        return replace(self, layout=replace(self.layout, chunks=chunks))

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the elements of chunks in their stored dtype; zero beyond the array's edge."""
        chunks = [(index, self._bytes(index)) for index in indices]
        return [None if data is None else self._pad(data, index) for index, data in chunks]

    def values(self, elements: Values, index: Index) -> Values:
        """Return elements in native byte order."""
        return from_elements(elements, self.type)

    def _bytes(self, index: Index) -> bytes | None:
        """Return the bytes of the elements of a chunk that are within the array."""
        return None if self.read is None else self.read(*self._span(index))

    def _span(self, index: Index) -> tuple[int, int]:
        """Return the first byte of a chunk in the array, and the number of its bytes."""
        box = self.grid.box(index)
        start = 0
        for at, length in zip(box.start, self.layout.shape, strict=True):
            start = start * length + at
        return start * self.item_size, math.prod(box.shape) * self.item_size

    def _array(self, data: bytes, shape: tuple[int, ...]) -> Values:
        return np.frombuffer(data, numpy_dtype(self.stored_dtype)).reshape(shape)

    def _pad(self, data: bytes, index: Index) -> Values:
        shape = self.grid.box(index).shape
        if shape == self.layout.chunks:
            return self._array(data, shape)
        whole = np.zeros(self.layout.chunks, numpy_dtype(self.stored_dtype))
        whole[tuple(slice(0, n) for n in shape)] = self._array(data, shape)
        return whole


def linear_layout(shape: tuple[int, ...], item_size: int) -> ChunkLayout:
    """Return the layout of an array of consecutive elements."""
    return ChunkLayout(
        shape=shape, chunks=block_shape(shape, item_size), order=in_order(len(shape))
    )


def stored_dtype_of(nc_type: Any, big: bool) -> str:
    """Return the numpy dtype of stored elements of an atomic type, as Zarr arrays spell it."""
    if nc_type.size == 1:
        return str(nc_type.dtype)
    return f"{'>' if big else '<'}{nc_type.dtype}"
