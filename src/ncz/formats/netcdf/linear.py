"""Arrays whose elements lie one after the other in a file, without codecs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ncz.model.data import dtype_of
from ncz.model.grid import Grid, Index
from ncz.model.layout import ChunkLayout, in_order
from ncz.model.types import NcType, Value
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.zmap import WritableZmap

LARGEST_BLOCK = 16 << 20
"""Bytes of the largest chunk in which such an array is read."""

ReadBytes = Callable[[int, int], bytes]
"""A function that reads bytes of the array: from an offset, so many."""


def block_shape(shape: tuple[int, ...], item_size: int) -> tuple[int, ...]:
    """Return the shape of chunks that are consecutive elements, of at most 16 MiB if possible.

    The last axes are whole; the axis before them is divided, and those before it have one index.
    """
    chunks = [1] * len(shape)
    size = item_size
    for axis in reversed(range(len(shape))):
        length = max(1, shape[axis])
        parts = -(-length // max(1, LARGEST_BLOCK // size))
        chunks[axis] = -(-length // parts)
        if parts > 1:
            break
        size *= length
    return tuple(chunks)


@record(kw_only=True)
class LinearArray:
    """An `ncz.model.encoded.EncodedSource` over consecutive elements.

    `read` reads bytes of the array, and is None if nothing was ever written. `where` names the
    array in messages.
    """

    layout: ChunkLayout
    type: NcType
    stored_dtype: str
    item_size: int
    fill: Value
    read: ReadBytes | None
    where: str

    @property
    def grid(self) -> Grid:
        """The shape, and the chunks in which the array is read."""
        return self.layout.grid

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk, clipped to the array; None if nothing was written."""
        data = self._bytes(index)
        if data is None:
            return None
        return self.values(self._array(data, self.grid.box(index).shape), index)

    def locate(self, index: Index) -> str:
        """Return the file, and the array in it."""
        return self.where

    def present(self) -> Iterator[Index]:
        """Yield the indices of all chunks, or none if nothing was written."""
        if self.read is not None:
            yield from self.grid.indices()

    def stored_size(self, index: Index) -> int | None:
        """Return the bytes of a chunk in the file; None if nothing was written."""
        if self.read is None:
            return None
        return math.prod(self.grid.box(index).shape) * self.item_size

    def encoded(self, index: Index) -> bytes | None:
        """Return the bytes of a chunk; beyond the array's edge they are zero."""
        data = self._bytes(index)
        if data is None or len(data) == self.layout.chunk_size * self.item_size:
            return data
        return self._padded(data, index).tobytes()

    def copy_encoded(self, index: Index, zmap: WritableZmap, key: str) -> int | None:
        """Write a chunk to `key`."""
        data = self.encoded(index)
        if data is None:
            return None
        zmap.put(key, data)
        return len(data)

    def elements(self, index: Index) -> Values | None:
        """Return the elements of a chunk in their stored dtype; zero beyond the array's edge."""
        data = self._bytes(index)
        return None if data is None else self._padded(data, index)

    def values(self, elements: Values, index: Index) -> Values:
        """Return elements in native byte order."""
        return elements.astype(dtype_of(self.type), copy=False)

    def _bytes(self, index: Index) -> bytes | None:
        """Return the bytes of the elements of a chunk that are within the array."""
        if self.read is None:
            return None
        box = self.grid.box(index)
        start = 0
        for at, length in zip(box.start, self.layout.shape, strict=True):
            start = start * length + at
        return self.read(start * self.item_size, math.prod(box.shape) * self.item_size)

    def _array(self, data: bytes, shape: tuple[int, ...]) -> Values:
        import numpy as np

        return np.frombuffer(data, self.stored_dtype).reshape(shape)

    def _padded(self, data: bytes, index: Index) -> Values:
        import numpy as np

        shape = self.grid.box(index).shape
        if shape == self.layout.chunks:
            return self._array(data, shape)
        whole = np.zeros(self.layout.chunks, self.stored_dtype)
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
