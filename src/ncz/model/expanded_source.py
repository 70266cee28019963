"""Arrays with one more axis, of length 1: the values of one time or one member among others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ncz.late import numpy as np
from ncz.model.chunks import ChunkLayout
from ncz.model.data import ChunkSource, DerivedSource, Values
from ncz.model.encoded_arrays import EncodedSource, ListedSource, PlacedChunks, lists_present
from ncz.model.grid import Box, ChunkGrid, Grid, Index, IrregularGrid
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.zmap import WritableZmap
    from ncz.zmap.byte_range import ByteRange

_T = TypeVar("_T")


def expanded_source(source: ChunkSource, axis: int) -> ChunkSource:
    """Return a source with an axis of length 1 before `axis`.

    Its stored chunks are the source's, unless they are shards.
    """
    if not isinstance(source, EncodedSource):
        return ExpandedValues(source, axis)
    is_plain = source.layout.shard is None and not source.layout.first_codecs
    return ExpandedChunks(source, axis) if is_plain else ExpandedValues(source, axis)


def with_axis(members: tuple[_T, ...], axis: int, new: _T) -> tuple[_T, ...]:
    """Return one item for each axis of an array, with `new` for the axis that is added."""
    return (*members[:axis], new, *members[axis:])


def _without(index: Index, axis: int) -> Index:
    return (*index[:axis], *index[axis + 1 :])


def _all_without(indices: Sequence[Index], axis: int) -> list[Index]:
    return [_without(index, axis) for index in indices]


def _with(index: Index, axis: int) -> Index:
    return with_axis(index, axis, 0)


def _expand(values: Values | None, axis: int) -> Values | None:
    return None if values is None else values.reshape(with_axis(values.shape, axis, 1))


class _ExpandedSource(DerivedSource):
    """A source with one more axis."""

    __slots__ = ()

    if TYPE_CHECKING:
        axis: int

    @property
    def grid(self) -> Grid:
        """The shape and the chunks; a chunk is one index long along the new axis."""
        grid = self.source.grid
        if isinstance(grid, IrregularGrid):
            return IrregularGrid(with_axis(grid.borders, self.axis, (0, 1)))
        return ChunkGrid(*(with_axis(each, self.axis, 1) for each in (grid.shape, grid.chunks)))

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        chunks = self.source.values_of(_all_without(indices, self.axis))
        return [_expand(values, self.axis) for values in chunks]

    @property
    def is_divisible(self) -> bool:
        """Whether the source reads chunks of any consecutive elements as well as its own."""
        return self.source.is_divisible

    def within(self, box: Box) -> ChunkSource:
        """Return the same values in chunks that suit a read of one box, if the source has such."""
        own = Box(_without(box.start, self.axis), _without(box.stop, self.axis))
        source = self.source.within(own)
        return self if source is self.source else expanded_source(source, self.axis)

    def rechunk(self, chunks: tuple[int, ...]) -> ChunkSource:
        """Return the same values in chunks of that shape, or itself if it cannot serve them."""
        source = self.source.rechunk(_without(chunks, self.axis))
        return self if source is self.source else expanded_source(source, self.axis)

    def with_zeros_missing(self) -> ChunkSource:
        """Return the same values in chunks that may be missing, which read as zeros."""
        source = self.source.with_zeros_missing()
        return self if source is self.source else expanded_source(source, self.axis)

    def referable(self) -> ChunkSource:
        """Return the same values in chunks that are ranges of a file's bytes, if possible."""
        source = self.source.referable()
        return self if source is self.source else expanded_source(source, self.axis)

    def unshard(self) -> ChunkSource:
        """Return the same values with the chunks within shards as stored chunks, or itself."""
        source = self.source.unshard()
        return self if source is self.source else expanded_source(source, self.axis)


@record
class ExpandedValues(_ExpandedSource):
    """A `ncz.model.data.ChunkSource` of values with one more axis."""

    source: ChunkSource
    axis: int


@record
class ExpandedChunks(_ExpandedSource, ListedSource):
    """An `ncz.model.encoded_arrays.EncodedSource` of chunks with one more axis.

    A chunk has the same bytes, as its elements have the same order.
    """

    source: EncodedSource
    axis: int

    @property
    def layout(self) -> ChunkLayout:
        """The grid of stored chunks, and their encoding."""
        ours = self.source.layout
        order = tuple(n if n < self.axis else n + 1 for n in ours.order)
        return replace(
            ours,
            shape=with_axis(ours.shape, self.axis, 1),
            chunks=with_axis(ours.chunks, self.axis, 1),
            order=(self.axis, *order),
            lengths=None if ours.lengths is None else with_axis(ours.lengths, self.axis, (1,)),
        )

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements."""
        return self.source.stored_dtype

    @property
    def item_size(self) -> int:
        """Bytes of a stored element; 0 for objects."""
        return self.source.item_size

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that exist."""
        return lists_present(self.source)

    def locate(self, index: Index) -> str:
        """Return the place of a stored chunk."""
        return self.source.locate(_without(index, self.axis))

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks."""
        return (_with(index, self.axis) for index in self.source.present())

    @property
    def stores_all(self) -> bool:
        """Whether the bytes of all chunks are stored as `layout` says."""
        return self.source.stores_all

    @property
    def kept_share(self) -> float:
        """The share of the values whose chunks are stored as `layout` says."""
        return self.source.kept_share

    def is_stored(self, index: Index) -> bool:
        """Return whether the bytes of a chunk are stored as `layout` says."""
        return self.source.is_stored(_without(index, self.axis))

    def stored_values(self, index: Index) -> Values | None:
        """Return the values of a stored chunk; None if it is missing."""
        values = self.source.stored_values(_without(index, self.axis))
        return _expand(values, self.axis)

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return stored chunks without decoding them."""
        return self.source.encoded_chunks(_all_without(indices, self.axis))

    def encoded_part(self, index: Index, start: int, count: int) -> bytes | None:
        """Return bytes of a stored chunk."""
        return self.source.encoded_part(_without(index, self.axis), start, count)

    def stored_size(self, index: Index) -> int | None:
        """Return the number of bytes of a chunk as stored."""
        return self.source.stored_size(_without(index, self.axis))

    def copy(
        self, indices: Sequence[Index], zmap: WritableZmap, keys: Sequence[str]
    ) -> Iterator[int | None]:
        """Put stored chunks into `zmap` under `keys`."""
        return self.source.copy(_all_without(indices, self.axis), zmap, keys)

    def place(self, index: Index) -> ByteRange | None:
        """Return the byte range of a stored chunk."""
        return self.source.place(_without(index, self.axis))

    def places(self) -> tuple[list[PlacedChunks], Iterable[Index]]:
        """Return the places of stored chunks."""
        tables, others = self.source.places()
        return (
            [replace(t, indices=np.insert(t.indices, self.axis, 0, axis=1)) for t in tables],
            (_with(index, self.axis) for index in others),
        )

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the decoded elements of stored chunks."""
        chunks = self.source.elements(_all_without(indices, self.axis))
        return [_expand(elements, self.axis) for elements in chunks]

    def values(self, elements: Values, index: Index) -> Values:
        """Convert decoded elements of a chunk to values."""
        inner = elements.reshape(_without(elements.shape, self.axis))
        values = self.source.values(inner, _without(index, self.axis))
        return values.reshape(with_axis(values.shape, self.axis, 1))
