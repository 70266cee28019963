"""The chunks within shards, as separate stored chunks.

A shard is an object that begins or ends with an index of the chunks in it. With this index, each of
them is a part of a file that programs can read which do not know shards.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ncz.codec.sharding_indexed import ABSENT, Sharding, chunk_bytes
from ncz.errors import CodecError
from ncz.late import numpy as np
from ncz.model.chunks import ChunkLayout
from ncz.model.data import DerivedSource, Values, read_present
from ncz.model.encoded_arrays import EncodedSource, ListedSource, PlacedChunks, lists_present
from ncz.model.grid import Grid, Index
from ncz.record import field, record, replace

if TYPE_CHECKING:
    from ncz.model.data import ChunkSource
    from ncz.zmap.byte_range import ByteRange

_KEPT = 64 << 20
"""Bytes of the indexes that are kept."""

_THREADS = 8
"""Number of indexes that are read at the same time."""


_FEW = 16
"""For more shards than this, listing all is faster than requesting each."""

_GAP, _SPAN = 1 << 12, 1 << 20
"""Bytes between chunks that are read with them, and the most bytes that are read together."""


class _Indexes:
    """The indexes of shards that were read last; None for a missing shard."""

    def __init__(self) -> None:
        self._known: OrderedDict[Index, Values | None] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, outer: Index) -> tuple[bool, Values | None]:
        """Return whether the index of a shard is known, and the index."""
        with self._lock:
            return outer in self._known, self._known.get(outer)

    def keep(self, outer: Index, index: Values | None, most: int) -> None:
        """Keep an index, and forget the oldest if there are more than `most`."""
        with self._lock:
            self._known[outer] = index
            while len(self._known) > most:
                self._known.popitem(last=False)


@record
class InnerChunks(DerivedSource, ListedSource):
    """An `ncz.model.encoded_arrays.EncodedSource` of the chunks within another's shards.

    The index of a shard is read once, for all of its chunks.
    """

    source: EncodedSource
    _indexes: _Indexes = field(default_factory=_Indexes, compare=False, repr=False)

    @property
    def layout(self) -> ChunkLayout:
        """The grid of the chunks, and their encoding."""
        return self.source.layout.inner

    @property
    def grid(self) -> Grid:
        """The shape, and the smallest chunks that can be read alone."""
        return self.layout.reading_grid

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements."""
        return self.source.stored_dtype

    @property
    def item_size(self) -> int:
        """Bytes of a stored element; 0 for objects."""
        return self.source.item_size

    @property
    def stores_all(self) -> bool:
        """Whether all chunks are in stored shards."""
        return self.source.stores_all

    @property
    def kept_share(self) -> float:
        """The share of the values whose shards are stored."""
        return self.source.kept_share

    @property
    def misfit(self) -> str:
        """The reason that the shards do not all belong to one array; empty if they do."""
        return self.source.misfit

    @property
    def is_listed(self) -> bool:
        """Whether the existing shards are known, or few enough to request each."""
        return lists_present(self.source) or self.source.layout.grid.size <= _FEW

    def is_stored(self, index: Index) -> bool:
        """Return whether a chunk is in a stored shard."""
        return self.source.is_stored(self._outer(index)[0])

    def locate(self, index: Index) -> str:
        """Return the place of the shard that has a chunk."""
        return self.source.locate(self._outer(index)[0])

    def present(self) -> Iterator[Index]:
        """Yield the indices of the chunks that exist, shard by shard."""
        for outer, index in self._read_all():
            yield from map(tuple, self._rows(outer, index).tolist())

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return the places of chunks, a table for each shard, and the chunks without a place."""
        tables: list[PlacedChunks] = []
        others: list[Index] = []
        for outer, index in self._read_all():
            rows = self._rows(outer, index)
            place = None if index is None or not len(rows) else self.source.place(outer)
            if index is None or place is None:
                others += map(tuple, rows.tolist())
                continue
            entries = index[tuple((rows - self._first(outer)).T)]
            most = 2**62 if place.length is None else place.length
            fits = (entries <= most).all(axis=1) & (entries.sum(axis=1) <= most)
            others += map(tuple, rows[~fits].tolist())  # reading one of them raises the error
            starts, counts = entries[fits].astype(np.int64).T
            tables.append(PlacedChunks(place.url, rows[fits], starts + place.offset, counts))
        return tables, others

    def place(self, index: Index) -> ByteRange | None:
        """Return the part of a file that is a chunk; None for a missing or changed one."""
        entry = self._entry(index)
        if entry is None:
            return None
        outer, _ = self._outer(index)
        shard = self.source.place(outer)
        if shard is None:
            return None
        start, count = _refuse_end(entry, shard.length, self.source.locate(outer))
        return replace(shard, offset=shard.offset + start, length=count)

    def stored_size(self, index: Index) -> int | None:
        """Return the bytes of a chunk; None if it is missing."""
        entry = self._entry(index)
        return None if entry is None else int(entry[1])

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return chunks without decoding them; None for each that is missing.

        Neighbours in a shard are read together.
        """
        chunks: list[bytes | None] = [None] * len(indices)
        numbered = enumerate(zip(map(self._outer, indices), map(self._entry, indices), strict=True))
        present = ((outer, number, e) for number, ((outer, _), e) in numbered if e is not None)
        for outer, group in groupby(present, key=itemgetter(0)):
            entries = sorted(((e, number) for _, number, e in group), key=lambda each: each[0][0])
            for span in _spans(entries):
                for number, data in self._read(outer, span):
                    chunks[number] = data
        return chunks

    def _read(self, outer: Index, span: Sequence[_Numbered]) -> Iterator[tuple[int, bytes | None]]:
        """Yield the numbers and the bytes of chunks of a shard that are read together."""
        location, (first, _) = self.source.locate(outer), _refuse_end(span[0][0], None, "")
        last = max(sum(_refuse_end(entry, None, location)) for entry, _ in span)
        data = self.source.encoded_part(outer, first, last - first)
        for entry, number in span:
            yield (
                number,
                chunk_bytes(
                    entry,
                    lambda start, count: data and data[start - first :][:count],
                    location,
                ),
            )

    def encoded_part(self, index: Index, start: int, count: int) -> bytes | None:
        """Return bytes of a chunk from `start` on, which may count from its end."""
        entry, (outer, _) = self._entry(index), self._outer(index)
        if entry is None:
            return None
        first, length = (int(n) for n in entry)
        begin = max(0, length + start) if start < 0 else min(start, length)
        return self.source.encoded_part(outer, first + begin, min(count, length - begin))

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        if self.source.grid == self.grid:
            return self.source.values_of(indices)
        return [read_present(self.source, self.grid.box(index)) for index in indices]

    def stored_values(self, index: Index) -> Values | None:
        """Return the values of a stored chunk, or of one that is made; None if it is missing."""
        return read_present(self.source, self.layout.grid.box(index))

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the decoded elements of chunks; None for each that is missing."""
        return [self._elements(index) for index in indices]

    def _elements(self, index: Index) -> Values | None:
        if self._entry(index) is None:
            return None
        outer, place = self._outer(index)
        whole = self.source.chunk_elements(outer)
        if whole is None:
            return None
        spans = zip(place, self.layout.chunks, strict=True)
        return whole[tuple(slice(i * n, (i + 1) * n) for i, n in spans)]

    def values(self, elements: Values, index: Index) -> Values:
        """Convert decoded elements of a chunk to values."""
        return self.source.values(elements, self._outer(index)[0])

    def referable(self) -> ChunkSource:
        """Return itself: its chunks are parts of files."""
        return self

    def _outer(self, index: Index) -> tuple[Index, Index]:
        """Return the index of the shard that has a chunk, and the place of the chunk in it."""
        return self.source.layout.object_of(index)

    def _first(self, outer: Index) -> Index:
        """Return the index of the first chunk of a shard."""
        start = self.source.layout.grid.box(outer).start
        return tuple(a // n for a, n in zip(start, self.layout.chunks, strict=True))

    def _rows(self, outer: Index, index: Values | None) -> Values:
        """Return the indices of the chunks of a shard that are in the array and exist."""
        shape = self.source.layout.grid.box(outer).shape
        counts = tuple(-(-n // m) for n, m in zip(shape, self.layout.chunks, strict=True))
        if index is not None:
            exists = (index[tuple(map(slice, counts))] != ABSENT).any(axis=-1)
        else:  # the shard is not missing: it is made of others, or its index is damaged
            exists = np.ones(counts, bool)
        return np.argwhere(exists) + np.asarray(self._first(outer), np.int64)

    def _read_all(self) -> Iterator[tuple[Index, Values | None]]:
        """Yield the index of each shard that exists; None for one that is made, or is damaged."""
        from ncz.parallel.threads import ThreadPool

        def read(outer: Index) -> tuple[Index, bool, Values | None]:
            is_made = not self.source.is_stored(outer)
            try:
                return outer, is_made, None if is_made else self._index(outer)
            except CodecError:  # reading one of its chunks raises the error
                return outer, True, None

        size = self._sharding(self.source.layout).index_size(self.source.layout.chunks)
        with ThreadPool(_KEPT, _THREADS) as pool:
            for outer, is_unknown, index in pool.each(read, self.source.present(), size):
                if index is not None or is_unknown:
                    yield outer, index

    def _entry(self, index: Index) -> Values | None:
        """Return the entry of a chunk in the index of its shard; None if it is missing."""
        outer, place = self._outer(index)
        places = self._index(outer) if self.source.is_stored(outer) else None
        entry = None if places is None else places[place]
        return None if entry is None or (entry == ABSENT).all() else entry

    def _index(self, outer: Index) -> Values | None:
        """Return the index of a shard: see `Sharding.read_index`. None if the shard is missing."""
        is_known, found = self._indexes.find(outer)
        if is_known:
            return found
        layout = self.source.layout.at(outer)
        sharding = self._sharding(layout)
        size = sharding.index_size(layout.chunks)
        data = self.source.encoded_part(outer, -size if sharding.at_end else 0, size)
        found = None
        if data is not None:
            found = sharding.read_index(data, layout.chunks, self.source.locate(outer))
        self._indexes.keep(outer, found, max(1, _KEPT // size))
        return found

    @staticmethod
    def _sharding(layout: ChunkLayout) -> Sharding:
        assert layout.shard is not None
        return layout.shard.sharding


_Numbered = tuple[Values, int]
"""The entry of a chunk in the index of its shard, and the number of the chunk."""


def _spans(entries: Sequence[_Numbered]) -> Iterator[list[_Numbered]]:
    """Divide chunks, which are sorted by their places in a shard, into those read together."""
    span: list[_Numbered] = []
    for each in entries:
        if span:
            start, (at, count) = int(span[0][0][0]), map(int, each[0])
            end = sum(map(int, span[-1][0]))
            if at - end > _GAP or at + count - start > _SPAN:
                yield span
                span = []
        span.append(each)
    if span:
        yield span


def _refuse_end(entry: Values, length: int | None, location: str) -> tuple[int, int]:
    """Return the first byte and the number of bytes of a chunk that is within its shard."""
    start, count = (int(n) for n in entry)
    if max(start, count) >= 2**62 or (length is not None and start + count > length):
        raise CodecError(
            "the shard is shorter than its index says", location, "restore it from a copy"
        )
    return start, count


def unshard(source: EncodedSource) -> EncodedSource:
    """Return a source whose stored chunks are not within shards; itself without shards.

    Shards within shards, and shards that codecs encode as a whole, stay unchanged.
    """
    shard = source.layout.shard
    is_divided = shard is not None and shard.shard is None and source.layout.is_partial
    return InnerChunks(source) if is_divided else source
