"""Data that is read lazily: the interface between formats and texts.

A `ChunkSource` is anything that can return the values of one chunk: an array in a store, a data
list of CDL, an array in memory. Values are numpy arrays in native byte order, of dtype
`Atomic.dtype`: char as ``S1``; string as object arrays of `str` or None (NIL); user-defined types
as object arrays of `Value`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.grid import Box, ChunkGrid, Grid, Index, whole
from ncz.model.types import Atomic, NcType, Value, zero_value
from ncz.record import record, replace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.zmap.source_file import SourceFile

    Values = NDArray[Any]
else:
    Values = Any  # numpy is imported when there are values

SLAB = 1 << 20
"""Elements of a variable that are read at a time, unless one row of a chunk has more."""


class ChunkSource(ABC):
    """The values of one variable, a chunk at a time.

    Abilities of only some sources are methods with a default.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # properties of some sources, attributes of others

        @property
        @abstractmethod
        def grid(self) -> Grid:
            """The shape of the array and its chunks, regular or irregular."""

        @property
        @abstractmethod
        def type(self) -> NcType:
            """The type of the values."""

        @property
        @abstractmethod
        def fill(self) -> Value:
            """The value of missing chunks; None if it is undefined, and zero bytes are used."""

    @abstractmethod
    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks, each of shape ``grid.box(index).shape``; None if missing.

        They are in memory at the same time, so that only small chunks are read together.
        """

    def chunk(self, index: Index) -> Values | None:
        """Return the values of one chunk; None if it is missing."""
        return self.values_of((index,))[0]

    @property
    def is_shared(self) -> bool:
        """Whether threads can read chunks at the same time, in any order."""
        return False

    @property
    def is_divisible(self) -> bool:
        """Whether the source reads chunks of any consecutive elements as well as its own."""
        return False

    def indices_in(self, box: Box) -> Iterator[Index]:
        """Yield the indices of the chunks that touch `box`, but not all that are missing."""
        return self.grid.indices(box)

    def rechunk(self, chunks: tuple[int, ...]) -> ChunkSource:
        """Return the same values in chunks of that shape, or itself if it cannot serve them."""
        return self

    def split(self, most: int) -> ChunkSource:
        """Return the same values in chunks of at most `most` bytes, or itself.

        It is for readers of few elements; a source whose chunks are stored returns itself.
        """
        return self

    def within(self, box: Box) -> ChunkSource:
        """Return the same values in chunks that suit a read of one box, or itself.

        It is for sources that return any box, such as sources on a server.
        """
        return self

    @property
    def misfit(self) -> str:
        """The reason that the stored chunks do not form one array; empty if they do."""
        return ""

    def kept_sums(self) -> str | None:
        """Return the sums of the values that their store keeps; None if it keeps none.

        docs/reference/digest.md specifies them.
        """
        return None

    def preferred_chunks(self) -> tuple[int, ...] | None:
        """Return the shape of the chunks that a copy should have, if no other is chosen.

        The shape takes the least work for the source; None if the source has no preference.
        """
        return None

    def with_zeros_missing(self) -> ChunkSource:
        """Return the same values in chunks that may be missing, which read as zeros."""
        return self

    def referable(self) -> ChunkSource:
        """Return the same values in chunks that are ranges of a file's bytes, if possible."""
        return self

    def unshard(self) -> ChunkSource:
        """Return the same values with the chunks within shards as stored chunks, or itself."""
        return self


class ListedChunks(ChunkSource):
    """A `ChunkSource` that may know which of its chunks exist without reading them."""

    __slots__ = ()

    @property
    @abstractmethod
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that exist, at a cost that follows from them."""

    @property
    @abstractmethod
    def stored_grid(self) -> Grid:
        """The grid of the indices that `present` yields: `grid`, or the grid of shards."""

    @abstractmethod
    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks, in an order that is the same each time."""

    @property
    def stored_chunks(self) -> ChunkSource:
        """The source of the stored elements: this one, or the source of the references."""
        return self


class DerivedSource(ChunkSource):
    """A source made of another one, with the grid, the type and the fill of that."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        @abstractmethod
        def source(self) -> ChunkSource:
            """The other source."""

    @property
    def grid(self) -> Grid:
        """The shape of the array and its chunks."""
        return self.source.grid

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.source.type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.source.fill

    @property
    def is_shared(self) -> bool:
        """Whether threads can read chunks at the same time, in any order."""
        return self.source.is_shared


class PartitionedSource(ChunkSource):
    """A source whose values are in other datasets, each partition in one of them."""

    __slots__ = ()

    @property
    @abstractmethod
    def partition_grid(self) -> Grid:
        """The partitions."""

    @abstractmethod
    def defined_partitions(self) -> Iterable[Index]:
        """Return the partitions that have values; the others are fill."""

    @abstractmethod
    def places(self, index: Index) -> Sequence[str]:
        """Return the paths or URLs of a partition's values; the first one is read.

        Empty if the values are in the dataset itself. Raises `NczError` for one that is not
        permitted.
        """

    @abstractmethod
    def source(self, index: Index) -> SourceFile | None:
        """Return the state of the first place of a partition, or None without places."""


@record
class MemoryArray(ChunkSource):
    """A `ChunkSource` over an array in memory; by default one chunk."""

    values: Values
    type: NcType
    chunks: tuple[int, ...] | None = None
    fill: Value = None

    @property
    def grid(self) -> ChunkGrid:
        """The array's shape, and its chunks."""
        shape = self.values.shape
        return ChunkGrid(shape, self.chunks or tuple(max(1, n) for n in shape))

    @property
    def is_shared(self) -> bool:
        """True: an array in memory can be read by many threads."""
        return True

    @property
    def is_divisible(self) -> bool:
        """True: any part of an array in memory is a chunk."""
        return True

    def rechunk(self, chunks: tuple[int, ...]) -> MemoryArray:
        """Return the same array in chunks of that shape."""
        return replace(self, chunks=chunks)

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return views of the chunks."""
        # Indexing with () would return the element instead of an array.
        return [self.values[self.grid.box(i).slices] if i else self.values for i in indices]


def dtype_of(nc_type: NcType) -> np.dtype[Any]:
    """Return the numpy dtype, in native byte order, of values of `nc_type`."""
    return np.dtype(nc_type.dtype if isinstance(nc_type, Atomic) else "O")


def fill_array(shape: tuple[int, ...], nc_type: NcType, fill: Value) -> Values:
    """Return an array filled with `fill`.

    Parameters
    ----------
    shape
        Shape of the array.
    nc_type
        Type of the values, which determines the dtype; see `dtype_of`.
    fill
        The value; None for the value whose bytes are all zero, which is NIL for a string.
    """
    dtype = dtype_of(nc_type)
    if fill is None and dtype.kind != "O":
        return np.zeros(shape, dtype)
    if fill is None:
        fill = zero_value(nc_type)
    if nc_type is Atomic.CHAR and isinstance(fill, str):
        fill = fill.encode("latin-1")
    values = np.empty(shape, dtype)
    if dtype.kind == "O":
        values.fill(fill)  # unlike values[...], takes a tuple as one element
    else:
        values[...] = fill
    return values


def read_present(source: ChunkSource, box: Box) -> Values | None:
    """Return the values of `box`, or None if all the chunks that it touches are missing.

    As `read_box` otherwise. An empty box is never missing.
    """
    grid = source.grid
    result: Values | None = None
    for index, values in _chunks_of(source, box):
        if values is None:
            continue
        part = grid.box(index)
        if part == box:
            return values
        if result is None:
            result = fill_array(box.shape, source.type, source.fill)
        here, there = part.common(box)
        result[there] = values[here]
    return fill_array(box.shape, source.type, source.fill) if box.size == 0 else result


_MOST_TOGETHER = 64
"""Number of small chunks that are read together."""

_SMALL = 1 << 18
"""Bytes of all chunks that are read together."""


def _chunks_of(source: ChunkSource, box: Box) -> Iterator[tuple[Index, Values | None]]:
    """Yield the chunks that touch a box, small ones together as long as none is missing."""
    size = math.prod(source.grid.chunks) * dtype_of(source.type).itemsize
    most = 1 if dtype_of(source.type).kind == "O" else min(_MOST_TOGETHER, _SMALL // size)
    indices = source.indices_in(box)
    length = 1
    while batch := list(islice(indices, length)):
        chunks = source.values_of(batch)
        yield from zip(batch, chunks, strict=True)
        length = 1 if any(values is None for values in chunks) else max(1, min(most, 2 * length))


def read_box(source: ChunkSource, box: Box) -> Values:
    """Return the values of `box`, of shape ``box.shape``; missing chunks are filled."""
    values = read_present(source, box)
    return fill_array(box.shape, source.type, source.fill) if values is None else values


def read_all(source: ChunkSource) -> Values:
    """Return the values of the whole array. The caller knows that they fit in memory."""
    return read_box(source, whole(source.grid.shape))
