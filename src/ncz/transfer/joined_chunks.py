"""The stored chunks of arrays that are joined along one dimension, without decoding them.

A chunk of a part is also one of the joined array if it begins at one of its borders, has the same
length, and is encoded alike. All other chunks of the joined array are made of the values of parts.
"""

from __future__ import annotations

import functools
import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ncz.codec.catalogue import decoding_configuration
from ncz.late import numpy as np
from ncz.model.chunks import ChunkLayout
from ncz.model.composite_chunks import CompositeChunks, Number
from ncz.model.data import ChunkSource, Values
from ncz.model.encoded_arrays import EncodedSource, PlacedChunks, lists_present
from ncz.model.filters import Filter
from ncz.model.grid import Box, Grid, Index
from ncz.model.linear_blocks import block_shape
from ncz.model.subset import subset_source
from ncz.model.type_sizes import fixed_size
from ncz.model.types import NcType, Value
from ncz.model.window import WindowSource
from ncz.record import field, record, replace
from ncz.transfer.joined_values import JoinedValues
from ncz.transfer.made_chunks import MadeChunks

_SMALL = 1 << 20
"""Bytes of the largest array whose chunks get one length, which every reader of Zarr knows."""

_MOST_DECODED = 4
"""The limit of the times that a stored chunk is decoded for the chunks made of it."""


@record
class Part:
    """The elements of an array from one index along the axis to another."""

    source: ChunkSource
    start: int
    stop: int

    def values(self, axis: int) -> ChunkSource:
        """Return the elements as an array."""
        shape = self.source.grid.shape
        if (self.start, self.stop) == (0, shape[axis]):
            return self.source
        if self.source.is_divisible:
            begin = tuple(self.start if i == axis else 0 for i in range(len(shape)))
            return WindowSource.of(
                self.source, Box(begin, (*shape[:axis], self.stop, *shape[axis + 1 :]))
            )
        ranges = [range(n) for n in shape]
        ranges[axis] = range(self.start, self.stop)
        return subset_source(self.source, tuple(ranges))


@record
class Run:
    """Successive chunks of a part that are chunks of the joined array.

    `low` is the number of the first one along the axis in the part, and `first` in the whole.
    """

    part: int
    low: int
    first: int
    count: int


@record
class JoinedChunks(CompositeChunks):
    """An `ncz.model.encoded_arrays.EncodedSource` whose chunks are from its parts, in part or all.

    `stored` has the chunks of each part, or None for a part that is encoded otherwise. `firsts` are
    the first chunks of the runs.
    """

    joined: JoinedValues
    stored: tuple[EncodedSource | None, ...]
    layout: ChunkLayout
    runs: tuple[Run, ...]
    firsts: tuple[int, ...]
    misfit: str = ""
    divide: Callable[[], ChunkSource] | None = field(default=None, compare=False, repr=False)
    """Joins the chunks within the shards of the parts; None if these have no shards."""

    @staticmethod
    def over(
        parts: Sequence[Part],
        joined: JoinedValues,
        stored: Sequence[EncodedSource | None],
        layout: ChunkLayout,
    ) -> JoinedChunks:
        """Find which chunks of a layout of the joined array are chunks of its parts."""
        axis = joined.axis
        lengths = np.asarray(layout.lengths_along(axis), np.int64)
        borders = np.concatenate([[0], np.cumsum(lengths)])
        runs: list[Run] = []
        for number, (part, chunks) in enumerate(zip(parts, stored, strict=True)):
            if chunks is None or part.start == part.stop:
                continue
            own = np.asarray(chunks.layout.lengths_along(axis), np.int64)
            ends = np.cumsum(own)
            starts = ends - own
            shift = joined.starts[number] - part.start
            last = ends[-1] if number == len(parts) - 1 else part.stop
            places = np.searchsorted(borders, starts + shift)
            inside = (starts >= part.start) & (ends <= last) & (starts < part.stop)
            places[places >= len(lengths)] = 0
            fits = inside & (borders[places] == starts + shift) & (lengths[places] == own)
            kept = np.flatnonzero(fits)
            breaks = np.flatnonzero((np.diff(kept) != 1) | (np.diff(places[kept]) != 1)) + 1
            for group in np.split(kept, breaks):
                if len(group):
                    low, first = int(group[0]), int(places[group[0]])
                    runs.append(Run(number, low, first, len(group)))
        firsts = tuple(run.first for run in runs)
        return JoinedChunks(joined, tuple(stored), layout, tuple(runs), firsts)

    @property
    def grid(self) -> Grid:
        """The shape, and the smallest chunks that can be read alone."""
        return self.layout.reading_grid

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.joined.type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.joined.fill

    @property
    def _model(self) -> EncodedSource:
        return next(part for part in self.stored if part is not None)

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements."""
        return self._model.stored_dtype

    @property
    def item_size(self) -> int:
        """Bytes of a stored element; 0 for objects."""
        return self._model.item_size

    @property
    def stores_all(self) -> bool:
        """Whether all chunks are chunks of parts."""
        return sum(run.count for run in self.runs) == self.layout.grid.counts[self.joined.axis]

    @property
    def kept_share(self) -> float:
        """The share of the values whose chunks are chunks of parts."""
        borders = [0, *itertools.accumulate(self.layout.lengths_along(self.joined.axis))]
        length = self.layout.shape[self.joined.axis]
        kept = (
            min(borders[run.first + run.count], length) - borders[run.first] for run in self.runs
        )
        return sum(kept) / length if length else 1.0

    def is_stored(self, index: Index) -> bool:
        """Return whether a chunk is one of a part."""
        return self._run(index) is not None

    def unshard(self) -> ChunkSource:
        """Return the same values with the chunks within shards as stored chunks, or itself."""
        return CompositeChunks.unshard(self) if self.divide is None else self.divide()

    def rechunk(self, chunks: tuple[int, ...]) -> ChunkSource:
        """Return the same values in equal chunks of that shape, if some are chunks of parts."""
        axis, parts = self.joined.axis, self.joined.parts
        layout = replace(self.layout, chunks=chunks, lengths=None)
        is_same = all(
            layout.lengths_along(other) == self.layout.lengths_along(other)
            for other in range(layout.rank)
            if other != axis
        )
        whole = [Part(part, 0, part.grid.shape[axis]) for part in parts]
        own = all(
            part is None or part.layout.shape == values.grid.shape
            for part, values in zip(self.stored, parts, strict=True)
        )
        if self.layout.lengths is None or not own or not is_same:
            return self
        found = JoinedChunks.over(whole, self.joined, self.stored, layout)
        is_cheap = _decodings(found) <= _MOST_DECODED
        return replace(found, misfit=self.misfit) if found.runs and is_cheap else self

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        if self.layout.shard is not None or not all(map(self.is_stored, indices)):
            return [self._values(index) for index in indices]
        chunks = self._each(indices, lambda part, inner: part.values_of(inner))
        return [self._clip(values, i) for i, values in zip(indices, chunks, strict=True)]

    def _values(self, index: Index) -> Values | None:
        found = None if self.layout.shard is not None else self.find(index)
        if found is None:
            return self.joined.read(self.grid.box(index))
        number, inner = found
        return self._clip(self._part(number).chunk(inner), index)

    def stored_values(self, index: Index) -> Values | None:
        """Return the values of a stored chunk, or of one that is made; None if it is missing."""
        found = self.find(index)
        if found is None:
            return self.joined.read(self.layout.grid.box(index))
        number, inner = found
        return self._clip(self._part(number).stored_values(inner), index)

    def _clip(self, values: Values | None, index: Index) -> Values | None:
        """Return the values of a chunk within the array: a part may continue behind its end."""
        return None if values is None else self.layout.grid.box(index).clip(values)

    def locate(self, index: Index) -> str:
        """Return the place of a stored chunk; for a made one, of the first array with values."""
        if self.is_stored(index):
            return CompositeChunks.locate(self, index)
        start = self.layout.grid.box(index).start[self.joined.axis]
        number = bisect_right(self.joined.starts, start) - 1
        found = self.stored[number] or self._model
        return found.locate((0,) * self.layout.rank)

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that exist."""
        used = {run.part for run in self.runs}
        parts = (part for number, part in enumerate(self.stored) if number in used and part)
        return self.stores_all and all(map(lists_present, parts))

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks, and of all that are made."""
        for part, runs in self._runs_by_part():
            yield from self._shift_indices(part.present(), runs)
        yield from self._made_indices()

    def _made_indices(self) -> Iterator[Index]:
        axis, grid = self.joined.axis, self.layout.grid
        runs = sorted((run.first, run.first + run.count) for run in self.runs)
        gaps, begin = [], 0
        for first, stop in [*runs, (grid.counts[axis], 0)]:
            gaps.append(range(begin, first))
            begin = stop
        for gap in gaps:
            ranges = [range(n) for n in grid.counts]
            ranges[axis] = gap
            yield from itertools.product(*ranges)

    def _runs_by_part(self) -> Iterator[tuple[EncodedSource, list[Run]]]:
        for number, runs in itertools.groupby(self.runs, key=lambda run: run.part):
            part = self.stored[number]
            assert part is not None
            yield part, list(runs)

    def _shift_indices(self, indices: Iterable[Index], runs: Sequence[Run]) -> Iterator[Index]:
        axis = self.joined.axis
        for index in indices:
            for run in runs:
                step = index[axis] - run.low
                if 0 <= step < run.count:
                    yield (*index[:axis], run.first + step, *index[axis + 1 :])
                    break

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return the places of all stored chunks that the parts know."""
        tables: list[PlacedChunks] = []
        others: list[Index] = []
        for part, runs in self._runs_by_part():
            of_part, rest = part.places()
            tables += [self._shift_table(table, run) for table in of_part for run in runs]
            others += self._shift_indices(rest, runs)
        others += self._made_indices()
        return tables, others

    def _shift_table(self, table: PlacedChunks, run: Run) -> PlacedChunks:
        axis = self.joined.axis
        steps = table.indices[:, axis] - run.low
        kept = (steps >= 0) & (steps < run.count)
        indices = table.indices[kept]
        indices[:, axis] += run.first - run.low
        return PlacedChunks(table.url, indices, table.offsets[kept], table.lengths[kept])

    def find(self, index: Index) -> tuple[int, Index] | None:
        """Return the part that has a chunk, and the chunk's index in it; None if it is made."""
        run = self._run(index)
        if run is None:
            return None
        axis = self.joined.axis
        inner = index[axis] - run.first + run.low
        return run.part, (*index[:axis], inner, *index[axis + 1 :])

    def part(self, number: Number) -> AbstractContextManager[EncodedSource]:
        """Return the chunks of a part."""
        assert isinstance(number, int)
        return nullcontext(self._part(number))

    def _part(self, number: int) -> EncodedSource:
        found = self.stored[number]
        assert found is not None  # runs are of parts that have chunks
        return found

    def _run(self, index: Index) -> Run | None:
        """Return the run that has a chunk; None if the chunk is made."""
        number = index[self.joined.axis]
        at = bisect_right(self.firsts, number) - 1
        found = self.runs[at] if at >= 0 else None
        return found if found and number < found.first + found.count else None


def join_parts(parts: Sequence[Part], axis: int) -> ChunkSource:
    """Return the parts of several arrays as one, whose chunks stay unchanged if possible.

    If the last chunks of parts are short, or parts have chunks of different lengths, the joined
    array has such chunks too, unless it is small. Parts that are encoded otherwise are encoded as
    the first one is.
    """
    parts = [part for part in parts if part.start < part.stop] or parts[:1]
    joined = JoinedValues.of(tuple(part.values(axis) for part in parts), axis)
    divided = _in_blocks(joined)
    if divided is not None:
        return replace(divided, refer=functools.partial(_join_stored_chunks, parts, axis, joined))
    found = _join_stored_chunks(parts, axis, joined)
    within = [replace(part, source=part.source.unshard()) for part in parts]
    is_sharded = any(a.source is not b.source for a, b in zip(parts, within, strict=True))
    if not is_sharded or not isinstance(found, JoinedChunks | JoinedValues):
        return found
    return replace(found, divide=functools.partial(join_parts, within, axis))


def _in_blocks(joined: JoinedValues) -> MadeChunks | None:
    """Return arrays without chunks in blocks, like one array of a file.

    None if one of them has chunks, or if they are not joined along the first axis.
    """
    size = fixed_size(joined.type)
    if not size or not joined.is_divisible:
        return None
    blocks = block_shape(joined.grid.shape, size)
    found = joined.rechunk(blocks)
    return MadeChunks.of(found, "") if found.grid.chunks == blocks else None


def _join_stored_chunks(parts: Sequence[Part], axis: int, joined: JoinedValues) -> ChunkSource:
    """Return the parts as one array with their chunks, or references to them."""
    encoded = [_encoded_source(part.source) for part in parts]
    model = encoded[0]
    if model is None:
        return joined
    if model.layout.shard is None:
        encoded = [_unshard(part) for part in encoded]
    stored = [
        part if part is not None and _is_alike(part, model, axis, joined.fill) else None
        for part in encoded
    ]
    if stored[0] is None:
        return joined
    chosen = _in_equal_chunks(parts, joined, stored, model.layout)
    if chosen is not None and chosen.stores_all:
        return chosen
    misfit = _misfit(parts, stored, axis)
    size = math.prod(joined.grid.shape) * max(1, model.item_size)
    is_large = size > _SMALL or model.layout.lengths is not None
    uneven = _in_own_chunks(parts, joined, stored, model.layout) if is_large else None
    if uneven is not None and (chosen is None or uneven.kept_share > chosen.kept_share):
        chosen = uneven
    if chosen is None or not chosen.runs or _decodings(chosen) > _MOST_DECODED:
        return replace(joined, misfit=misfit)
    return replace(chosen, misfit=misfit)


def _encoded_source(source: ChunkSource) -> EncodedSource | None:
    """Return a source that has encoded chunks, or can be divided into some."""
    divided = source.referable()
    return divided if isinstance(divided, EncodedSource) else None


def _unshard(source: EncodedSource | None) -> EncodedSource | None:
    """Return a source whose stored chunks are those within its shards, if it has shards."""
    divided = None if source is None else source.unshard()
    return divided if isinstance(divided, EncodedSource) else source


def _in_equal_chunks(
    parts: Sequence[Part],
    joined: JoinedValues,
    stored: Sequence[EncodedSource | None],
    layout: ChunkLayout,
) -> JoinedChunks | None:
    """Return the parts in chunks of one length; None if another axis has several."""
    if layout.lengths is not None:
        return None
    layout = replace(layout, shape=joined.grid.shape)
    return JoinedChunks.over(parts, joined, stored, layout)


def _in_own_chunks(
    parts: Sequence[Part],
    joined: JoinedValues,
    stored: Sequence[EncodedSource | None],
    layout: ChunkLayout,
) -> JoinedChunks | None:
    """Return the parts in chunks of the lengths that they have in each; None if none can be."""
    axis, along = joined.axis, []
    usual = layout.chunks[axis]
    for number, (part, chunks) in enumerate(zip(parts, stored, strict=True)):
        if chunks is None:
            length = part.stop - part.start
            along += [min(usual, length - at) for at in range(0, length, usual)]
            continue
        end = math.inf if number == len(parts) - 1 else part.stop
        begin = 0
        for length in chunks.layout.lengths_along(axis):
            first, last = max(begin, part.start), min(begin + length, end)
            if first < last and first < part.stop:
                along.append(int(last - first))
            begin += length
    if layout.shard is not None and any(n % layout.shard.chunks[axis] for n in along):
        return None
    every = tuple(
        tuple(along) if number == axis else layout.lengths_along(number)
        for number in range(layout.rank)
    )
    longest = (*layout.chunks[:axis], max(along, default=usual), *layout.chunks[axis + 1 :])
    layout = replace(layout, shape=joined.grid.shape, chunks=longest, lengths=every)
    return JoinedChunks.over(parts, joined, stored, layout)


def _decodings(chunks: JoinedChunks) -> float:
    """Return the number of times that a stored chunk may be decoded for chunks made of it."""
    if chunks.stores_all:
        return 1
    axis, made = chunks.joined.axis, chunks.layout.chunks[chunks.joined.axis]
    kept = {run.part for run in chunks.runs}
    longest = max(
        (p.grid.chunks[axis] for i, p in enumerate(chunks.joined.parts) if i not in kept),
        default=1,
    )
    return longest / made + 1


def _misfit(parts: Sequence[Part], stored: Sequence[EncodedSource | None], axis: int) -> str:
    """Return the reason that the chunks of the parts do not form an array with equal chunks."""
    if None in stored:
        return "its chunks or codecs differ between the sources"
    model = stored[0]
    assert model is not None
    usual = model.layout.chunks[axis]
    for part, chunks in zip(parts[:-1], stored, strict=False):
        assert chunks is not None
        last = (part.stop - part.start) % chunks.layout.chunks[axis]
        if last:
            length = chunks.layout.chunks[axis]
            return f"the last chunk of a source has {last} of {length} along the dimension"
        if chunks.layout.chunks[axis] != usual:
            break
    return "its chunks have different lengths along the dimension"


def _is_alike(part: EncodedSource, model: EncodedSource, axis: int, fill: Value) -> bool:
    """Return whether chunks belong to one array, apart from their lengths along the axis."""
    return (
        _decoding_properties(part, axis) == _decoding_properties(model, axis)
        and part.stored_dtype == model.stored_dtype
        and part.stores_all
        and (repr(part.fill) == repr(fill) or _misses_nothing(part))  # NaN is not itself
    )


def _decoding_properties(part: EncodedSource, axis: int) -> tuple[object, ...]:
    """Return the properties that determine the decoding of chunks, for any writer."""
    layout, shard = part.layout, part.layout.shard
    inner: list[object] = []
    while shard is not None:
        inner += [shard.chunks, shard.order, _chain(shard.codecs, part.item_size)]
        inner += [_chain(shard.index_codecs, 8), shard.index_order, shard.at_end]
        inner += _chain(shard.first_codecs, part.item_size)
        shard = shard.shard
    codecs = _chain(layout.codecs, part.item_size if layout.shard is None else 1)
    others = [layout.lengths_along(other) for other in range(layout.rank) if other != axis]
    first = _chain(layout.first_codecs, part.item_size)
    return others, layout.order, first, codecs, tuple(inner)


def _chain(codecs: Sequence[Filter], item_size: int) -> list[object]:
    return [decoding_configuration(codec.to_json(), item_size) for codec in codecs]


def _misses_nothing(part: EncodedSource) -> bool:
    """Return whether a source has all chunks, so that its fill value does not matter."""
    return lists_present(part) and sum(1 for _ in part.present()) == part.layout.grid.size
