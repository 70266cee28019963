"""Data that is read when asked for: the one seam between formats and texts.

A `ChunkSource` is anything that can give the values of one chunk. A format's stored array is one,
a data list of CDL another, an array in memory a third. Values cross as numpy arrays in native
byte order, of dtype `Atomic.dtype`: char as ``S1``; string as object arrays of `str` or None
(NIL); user-defined types as object arrays of `Value`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ncz.model.grid import Box, ChunkGrid, Index, slabs, whole
from ncz.model.types import Atomic, NcType, Value
from ncz.record import record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[Any]

SLAB = 1 << 20
"""Elements that a reader who streams a variable holds at a time, if one chunk's row is not more."""


class ChunkSource(Protocol):
    """The values of one variable, a chunk at a time."""

    @property
    def grid(self) -> ChunkGrid:
        """The shape of the array and how it is cut."""
        ...

    @property
    def type(self) -> NcType:
        """The type of the values."""
        ...

    @property
    def fill(self) -> Value:
        """What a missing chunk holds; None if that is undefined (zero bytes, then)."""
        ...

    def chunk(self, index: Index) -> Values | None:
        """Values of chunk `index`, of shape ``grid.box(index).shape``; None if it is missing."""
        ...


@runtime_checkable
class RechunkableSource(ChunkSource, Protocol):
    """A source that can be cut in any way, and serves some ways better than others would."""

    def rechunked(self, chunks: tuple[int, ...]) -> ChunkSource:
        """The same values in chunks of that shape."""
        ...


def rechunk(source: ChunkSource, chunks: tuple[int, ...]) -> ChunkSource:
    """`source` in chunks of that shape if it can do so; else as it is."""
    return source.rechunked(chunks) if isinstance(source, RechunkableSource) else source


@record
class MemoryArray:
    """A `ChunkSource` over an array that is in memory anyway; by default one chunk."""

    values: Values
    type: NcType
    chunks: tuple[int, ...] | None = None
    fill: Value = None

    @property
    def grid(self) -> ChunkGrid:
        """The array's shape; one chunk unless `chunks` says otherwise."""
        shape = self.values.shape
        return ChunkGrid(shape, self.chunks or tuple(max(1, n) for n in shape))

    def chunk(self, index: Index) -> Values:
        """A view of that block."""
        if not index:
            return self.values  # not indexed: that would take the value out of its array
        return self.values[self.grid.box(index).slices]


def dtype_of(nc_type: NcType) -> np.dtype[Any]:
    """The numpy dtype, in native byte order, of values of `nc_type` in memory."""
    import numpy as np

    return np.dtype(nc_type.dtype if isinstance(nc_type, Atomic) else "O")


def fill_array(shape: tuple[int, ...], nc_type: NcType, fill: Value) -> Values:
    """An array of that shape that holds `fill` everywhere (zeros, or NIL, if None)."""
    import numpy as np

    dtype = dtype_of(nc_type)
    if fill is None:
        return np.zeros(shape, dtype) if dtype.kind != "O" else np.full(shape, None, dtype)
    if nc_type is Atomic.CHAR and isinstance(fill, str):
        fill = fill.encode("latin-1")
    values = np.empty(shape, dtype)
    if dtype.kind == "O":
        for position in np.ndindex(shape):  # a tuple would be taken for a sequence of elements
            values[position] = fill
    else:
        values[...] = fill
    return values


def read_present(source: ChunkSource, box: Box) -> Values | None:
    """As `read_box`, but None if `box` is not empty and every chunk that it touches is missing."""
    grid = source.grid
    result: Values | None = None
    for index in grid.indices(box):
        values = source.chunk(index)
        if values is None:
            continue
        part = grid.box(index)
        if part == box:
            return values
        common = part.intersect(box) or box  # a box of rank 0 is its own
        if result is None:
            result = fill_array(box.shape, source.type, source.fill)
        here = common.relative_to(part.start).slices
        result[common.relative_to(box.start).slices] = values[here]
    return fill_array(box.shape, source.type, source.fill) if box.size == 0 else result


def read_box(source: ChunkSource, box: Box) -> Values:
    """The values of `box`, of shape ``box.shape``, with the missing ones filled."""
    values = read_present(source, box)
    return fill_array(box.shape, source.type, source.fill) if values is None else values


def read_all(source: ChunkSource) -> Values:
    """The whole array; for callers who know it is small."""
    return read_box(source, whole(source.grid.shape))


def read_slabs(source: ChunkSource, limit: int = SLAB) -> Iterator[tuple[Box, Values]]:
    """The array as consecutive row-major slabs (see `ncz.model.grid.slabs`) with their values."""
    for box in slabs(source.grid, limit):
        yield box, read_box(source, box)
