"""Arrays that are joined along one dimension: chunk sources made of several."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec.catalogue import for_decoding
from ncz.model.chunks import ChunkLayout
from ncz.model.data import (
    ChunkSource,
    DerivedSource,
    Values,
    dtype_of,
    fill_array,
    read_box,
    read_present,
)
from ncz.model.encoded import EncodedSource, ListedSource, PlacedChunks, lists_present
from ncz.model.filters import Filter
from ncz.model.grid import Box, ChunkGrid, Grid, Index
from ncz.model.types import NcType, Value
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.zmap import WritableZmap
    from ncz.zmap.byte_range import ByteRange


def join_arrays(parts: Sequence[ChunkSource], axis: int) -> ChunkSource:
    """Return the arrays of several files as one, whose chunks stay as they are if possible.

    That needs the same layout in all parts, and whole chunks along the axis in all but the last.
    """
    joined = joined_chunks(parts, axis)
    if joined is not None:
        return joined
    return replace(
        JoinedValues.of(tuple(parts), axis), misfit=_misfit_joined(_encoded(parts), axis)
    )


def joined_chunks(parts: Sequence[ChunkSource], axis: int) -> JoinedChunks | None:
    """Return the arrays as one whose chunks are theirs; None if that is not possible."""
    encoded = _encoded(parts)
    return (
        None if encoded is None or _misfit_joined(encoded, axis) else JoinedChunks.of(encoded, axis)
    )


def _encoded(parts: Sequence[ChunkSource]) -> tuple[EncodedSource, ...] | None:
    """Return the parts if all have encoded chunks, or can be divided into some."""
    divided = [part.referable() for part in parts]
    encoded = tuple(part for part in divided if isinstance(part, EncodedSource))
    return encoded if len(encoded) == len(parts) else None


def joined_values(parts: Sequence[ChunkSource], axis: int, chunks: tuple[int, ...]) -> JoinedValues:
    """Return the arrays as one, which is read in chunks of that shape."""
    joined = JoinedValues.of(tuple(parts), axis)
    return replace(joined, grid=ChunkGrid(joined.grid.shape, chunks))


def _misfit_joined(parts: Sequence[EncodedSource] | None, axis: int) -> str:
    """Return why the chunks of the parts are not those of one array, or "" if they are."""
    if parts is None:
        return ""
    first = parts[0]
    wanted = _as_decoded(first)
    alike = all(
        _as_decoded(part) == wanted
        and part.stored_dtype == first.stored_dtype
        and (repr(part.fill) == repr(first.fill) or _misses_nothing(part))  # NaN is not itself
        for part in parts
    )
    if not alike or first.layout.lengths is not None:
        return "its chunks or codecs differ between the sources"
    length = first.layout.chunks[axis]
    for part in parts[:-1]:
        last = part.layout.shape[axis] % length
        if last:
            return f"the last chunk of a source has {last} of {length} along the dimension"
    return ""


def _as_decoded(part: EncodedSource) -> tuple[object, ...]:
    """Return what must be equal so that chunks are decoded alike, whatever wrote them."""
    layout, shard = part.layout, part.layout.shard
    inner: list[object] = []
    while shard is not None:
        inner += [shard.chunks, shard.order, _chain(shard.codecs, part.item_size)]
        inner += [_chain(shard.index_codecs, 8), shard.index_order, shard.at_end]
        shard = shard.shard
    codecs = _chain(layout.codecs, part.item_size if layout.shard is None else 1)
    return layout.chunks, layout.order, layout.lengths, codecs, tuple(inner)


def _chain(codecs: Sequence[Filter], item_size: int) -> list[object]:
    return [for_decoding(codec.to_json(), item_size) for codec in codecs]


def _misses_nothing(part: EncodedSource) -> bool:
    """Return whether a source has all chunks, so that its fill value does not matter."""
    return lists_present(part) and sum(1 for _ in part.present()) == part.layout.grid.size


def _joined_shape(shapes: Sequence[tuple[int, ...]], axis: int) -> tuple[int, ...]:
    length = sum(shape[axis] for shape in shapes)
    return (*shapes[0][:axis], length, *shapes[0][axis + 1 :])


def _starts(lengths: Sequence[int]) -> tuple[int, ...]:
    """Return where each part begins."""
    starts = [0]
    for length in lengths[:-1]:
        starts.append(starts[-1] + length)
    return tuple(starts)


class _CompositeSource(ChunkSource):
    """A source made of several parts, which have the type and the fill of the first one."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        @abstractmethod
        def parts(self) -> Sequence[ChunkSource]:
            """The parts."""

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.parts[0].type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.parts[0].fill


@record
class JoinedChunks(_CompositeSource, ListedSource):
    """An `ncz.model.encoded.EncodedSource` made of the chunks of several.

    `layout` is that of the parts, with the joined shape. `starts` are the indices along the axis at
    which the stored chunks of each part begin, and `grid_starts` those of its grid.
    """

    parts: tuple[EncodedSource, ...]
    axis: int
    layout: ChunkLayout
    starts: tuple[int, ...]
    grid_starts: tuple[int, ...]

    @staticmethod
    def of(parts: tuple[EncodedSource, ...], axis: int) -> JoinedChunks:
        """Join the chunks of `parts`."""
        shape = _joined_shape([part.layout.shape for part in parts], axis)
        return JoinedChunks(
            parts,
            axis,
            replace(parts[0].layout, shape=shape),
            _starts([part.layout.grid.counts[axis] for part in parts]),
            _starts([part.grid.counts[axis] for part in parts]),
        )

    @property
    def grid(self) -> Grid:
        """The shape, and the smallest chunks that can be read alone."""
        return self.layout.reading_grid

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements."""
        return self.parts[0].stored_dtype

    @property
    def item_size(self) -> int:
        """Bytes of a stored element; 0 for objects."""
        return self.parts[0].item_size

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing."""
        part, inner = self._find(index, self.grid_starts)
        return part.chunk(inner)

    def locate(self, index: Index) -> str:
        """Return where a stored chunk is."""
        part, inner = self._stored(index)
        return part.locate(inner)

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that exist."""
        return all(map(lists_present, self.parts))

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks."""
        for part, start in zip(self.parts, self.starts, strict=True):
            yield from self._shifted(part.present(), start)

    def _shifted(self, indices: Iterable[Index], start: int) -> Iterator[Index]:
        axis = self.axis
        for index in indices:
            yield (*index[:axis], index[axis] + start, *index[axis + 1 :])

    def encoded(self, index: Index) -> bytes | None:
        """Return a stored chunk without decoding it."""
        part, inner = self._stored(index)
        return part.encoded(inner)

    def place(self, index: Index) -> ByteRange | None:
        """Return where the bytes of a stored chunk are."""
        part, inner = self._stored(index)
        return part.place(inner)

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return where all stored chunks are whose places the parts know."""
        tables: list[PlacedChunks] = []
        others: list[Index] = []
        for part, start in zip(self.parts, self.starts, strict=True):
            of_part, rest = part.places()
            for table in of_part:
                indices = table.indices.copy()
                indices[:, self.axis] += start
                tables.append(replace(table, indices=indices))
            others += self._shifted(rest, start)
        return tables, others

    def copy_encoded(self, index: Index, zmap: WritableZmap, key: str) -> int | None:
        """Put a stored chunk into `zmap` under `key`."""
        part, inner = self._stored(index)
        return part.copy_encoded(inner, zmap, key)

    def elements(self, index: Index) -> Values | None:
        """Return the decoded elements of a stored chunk."""
        part, inner = self._stored(index)
        return part.elements(inner)

    def values(self, elements: Values, index: Index) -> Values:
        """Convert decoded elements of a chunk to values."""
        part, inner = self._stored(index)
        return part.values(elements, inner)

    def _stored(self, index: Index) -> tuple[EncodedSource, Index]:
        return self._find(index, self.starts)

    def _find(self, index: Index, starts: Sequence[int]) -> tuple[EncodedSource, Index]:
        """Return the part that has a chunk, and the chunk's index in it."""
        axis = self.axis
        number = bisect_right(starts, index[axis]) - 1
        inner = (*index[:axis], index[axis] - starts[number], *index[axis + 1 :])
        return self.parts[number], inner


@record
class JoinedValues(_CompositeSource):
    """A `ncz.model.data.ChunkSource` whose chunks are read from one or more parts.

    `grid` has the joined shape, in chunks like the first of the first part. `starts` are the
    indices along the axis at which each part begins. `misfit` says why the stored chunks of the
    parts are not those of one array.
    """

    parts: tuple[ChunkSource, ...]
    axis: int
    grid: Grid
    starts: tuple[int, ...]
    misfit: str = ""

    @staticmethod
    def of(parts: tuple[ChunkSource, ...], axis: int) -> JoinedValues:
        """Join the values of `parts`."""
        first = parts[0].grid
        shape = _joined_shape([part.grid.shape for part in parts], axis)
        chunks = first.box((0,) * len(shape)).shape if first.size else (1,) * len(shape)
        starts = _starts([part.grid.shape[axis] for part in parts])
        return JoinedValues(parts, axis, ChunkGrid(shape, chunks), starts)

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing in all parts.

        Missing chunks of some parts are filled.
        """
        import numpy as np

        box, axis = self.grid.box(index), self.axis
        start, stop = box.start[axis], box.stop[axis]
        parts: list[tuple[ChunkSource, Box, Values | None]] = []
        number = bisect_right(self.starts, start) - 1
        while start < stop:
            part, first = self.parts[number], self.starts[number]
            high = min(stop, first + part.grid.shape[axis])
            if start < high:
                inner = (*box.start[:axis], start - first, *box.start[axis + 1 :])
                end = (*box.stop[:axis], high - first, *box.stop[axis + 1 :])
                parts.append((part, Box(inner, end), read_present(part, Box(inner, end))))
                start = high
            number += 1
        if all(v is None and repr(part.fill) == repr(self.fill) for part, _, v in parts):
            return None
        return np.concatenate(
            [fill_array(b.shape, p.type, p.fill) if v is None else v for p, b, v in parts], axis
        )


@record
class GatheredValues(_CompositeSource):
    """A `ncz.model.data.ChunkSource` of some indices of several parts, in any order.

    `numbers` and `indices` have the part and its index along the axis of each joined index.
    """

    parts: tuple[ChunkSource, ...]
    axis: int
    grid: Grid
    numbers: Values
    indices: Values

    @staticmethod
    def of(
        parts: tuple[ChunkSource, ...], axis: int, numbers: Values, indices: Values
    ) -> GatheredValues:
        """Gather the values of `parts`."""
        first = JoinedValues.of(parts[:1], axis).grid
        shape = (*first.shape[:axis], numbers.size, *first.shape[axis + 1 :])
        chunks = first.box((0,) * len(shape)).shape if first.size else (1,) * len(shape)
        return GatheredValues(parts, axis, ChunkGrid(shape, chunks), numbers, indices)

    def chunk(self, index: Index) -> Values:
        """Return the values of a chunk."""
        import numpy as np

        box, axis = self.grid.box(index), self.axis
        here = slice(box.start[axis], box.stop[axis])
        numbers, indices = self.numbers[here], self.indices[here]
        result = np.empty(box.shape, dtype_of(self.type))
        before: tuple[Any, ...] = (slice(None),) * axis
        for number in np.unique(numbers):
            places = np.flatnonzero(numbers == number)
            # Neighbours are read together, and what lies between them if it is little.
            ranks = places[np.argsort(indices[places], kind="stable")]
            for run in np.split(ranks, np.flatnonzero(np.diff(indices[ranks]) > _BETWEEN) + 1):
                low, high = int(indices[run[0]]), int(indices[run[-1]]) + 1
                start = (*box.start[:axis], low, *box.start[axis + 1 :])
                stop = (*box.stop[:axis], high, *box.stop[axis + 1 :])
                values = read_box(self.parts[number], Box(start, stop))
                result[(*before, run)] = values[(*before, indices[run] - low)]
        return result


@record
class CompletedValues(DerivedSource):
    """The values of an array, and where they are missing, those of another of the same shape.

    `missing` returns which of some values are missing; None if none is.
    """

    source: ChunkSource
    other: ChunkSource
    missing: Callable[[Values], Values | None]

    def chunk(self, index: Index) -> Values:
        """Return the values of a chunk."""
        import numpy as np

        box = self.grid.box(index)
        values = read_box(self.source, box)
        missing = self.missing(values)
        if missing is None:
            return values
        return np.where(missing, read_box(self.other, box), values)


_BETWEEN = 4
"""The longest step between two indices that are read together."""
