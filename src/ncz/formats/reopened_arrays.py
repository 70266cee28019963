"""Arrays of a closed dataset, which is opened again when they are read."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ncz.codec import ArraySpec
from ncz.codec.bounds import max_stored_size
from ncz.errors import NczError, ZmapError
from ncz.formats.linear_array import LinearArray
from ncz.model.composite_chunks import CompositeChunks, Number
from ncz.model.data import ChunkSource, Values
from ncz.model.encoded_arrays import EncodedSource, PlacedChunks, lists_present
from ncz.model.grid import Box, Grid, Index
from ncz.model.tree import Dataset, Variable, each_variable
from ncz.model.types import NcType, Value
from ncz.record import record, replace
from ncz.system_errors import storage_errors
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.local.offset_reads import read_at
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.formats.open_datasets import OpenDatasets
    from ncz.model.chunks import ChunkLayout


def reopened_dataset(dataset: Dataset, location: Location, pool: OpenDatasets) -> Dataset:
    """Return an open dataset of a local file as one that is read from `pool`, and can be closed."""
    state = _state(location)

    def apart(fqn: str, variable: Variable) -> Variable:
        if variable.data is None:
            return variable
        return replace(variable, data=_apart(variable.data, Place(pool, location, fqn, state)))

    return each_variable(dataset, apart)


def _state(location: Location) -> tuple[int, int]:
    """Return the identity of a file, which changes when the file is replaced or written."""
    return _state_of(os.stat(location.path))


def _state_of(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


@record
class Place:
    """The place of an array: a variable of a dataset, perhaps read in other chunks."""

    pool: OpenDatasets
    location: Location
    fqn: str
    state: tuple[int, int]
    changes: tuple[Callable[[Any], ChunkSource], ...] = ()

    @contextmanager
    def open(self) -> Iterator[ChunkSource]:
        """Return the array until the context ends. Raises `ZmapError` if the file has changed."""
        with self.pool.variables(self.location) as variables:
            self.check_unchanged()
            data = variables[self.fqn].data
            assert data is not None  # it was there when the dataset was first opened
            for change in self.changes:
                data = change(data)
            yield data

    def read(self, parts: Sequence[tuple[int, int]]) -> bytes:
        """Return parts of the file, by their offsets and lengths, without opening the dataset.

        Raises `ZmapError` if the file has changed since it was first open.
        """
        path = self.location.path
        with storage_errors(self.location.display, "read"), open(path, "rb", buffering=0) as file:
            if _state_of(os.fstat(file.fileno())) != self.state:
                raise self._change_error()
            data = b"".join(read_at(file.fileno(), *part) for part in parts)
        if len(data) < sum(count for _, count in parts):
            raise self._change_error()
        return data

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the file has changed since it was first open."""
        if _state(self.location) != self.state:
            raise self._change_error()

    def _change_error(self) -> ZmapError:
        return ZmapError(
            "the file changed while it was read", self.location.display, "copy it again"
        )

    def change(
        self,
        change: Callable[[Any], ChunkSource],
        unchanged: ChunkSource,
        unread: ChunkSource | None = None,
    ) -> ChunkSource:
        """Return the array in other chunks, or `unchanged` if it cannot be read in these.

        `unread` is the array without its file, if that is enough to know its chunks.
        """
        with self.open() if unread is None else nullcontext(unread) as source:
            found = change(source)
            if found is source:
                return unchanged
            return _apart(found, replace(self, changes=(*self.changes, change)))


def _apart(source: ChunkSource, place: Place) -> ChunkSource:
    if isinstance(source, LinearArray) and not place.changes and (found := _linear(source, place)):
        return found
    if isinstance(source, EncodedSource):
        return ReopenedChunks(source, place)
    return ReopenedValues(source, place)


def _linear(source: LinearArray, place: Place) -> LinearArray | None:
    """Return an array whose bytes are found without the header of its file; None if they are not.

    They are together in the file, or the values of each record are.
    """
    if source.read is None or source.find is None or not source.has_all:
        return None
    shape, item = source.layout.shape, source.item_size
    count = shape[0] if source.by_record and shape else 1
    size = math.prod(shape) * item // max(1, count)
    if not size or not count:
        return None
    first, second = source.find(0, size), source.find(size, size) if count > 1 else None
    last = source.find((count - 1) * size, size)
    if first is None or last is None or (count > 1 and second is None):
        return None
    stride = size if second is None else second.offset - first.offset
    is_even = last.offset == first.offset + (count - 1) * stride
    if not is_even or last.offset + size > place.state[0]:
        return None
    records = RecordsOfFile(place, first.url, first.offset, size, stride)
    return replace(source, read=ReadOfFile(records), find=records)


@record
class RecordsOfFile:
    """The places of the bytes of an array in its file: records of one size, equally far apart."""

    place: Place
    url: str
    first: int
    size: int
    stride: int

    def __call__(self, offset: int, count: int) -> ByteRange | None:
        """Return the place of bytes of the array; None if they are not together."""
        parts = self.parts(offset, count)
        return ByteRange(self.url, *parts[0]) if len(parts) == 1 else None

    def parts(self, offset: int, count: int) -> list[tuple[int, int]]:
        """Return the offsets and lengths of the parts of the file that have bytes of the array."""
        record, start = divmod(offset, self.size)
        if self.stride == self.size:
            return [(self.first + offset, count)]
        parts: list[tuple[int, int]] = []
        while count > 0 or not parts:
            length = min(count, self.size - start)
            parts.append((self.first + record * self.stride + start, length))
            count, record, start = count - length, record + 1, 0
        return parts


@record
class ReadOfFile:
    """Reads bytes of an array out of its file, whose header need not be parsed again."""

    records: RecordsOfFile

    def __call__(self, offset: int, count: int) -> bytes:
        """Return bytes of the array. Raises `ZmapError` if the file has changed, or ends."""
        return self.records.place.read(self.records.parts(offset, count))


class ReopenedSource(ChunkSource):
    """A `ChunkSource` over an array of a dataset that is opened again to read it."""

    def __init__(self, source: ChunkSource, place: Place) -> None:
        self._place = place
        self._preferred = source.preferred_chunks()
        self._is_divisible = source.is_divisible
        self.grid: Grid = source.grid
        self.type: NcType = source.type
        self.fill: Value = source.fill

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        with self._place.open() as source:
            return list(map(_copy, source.values_of(indices)))

    def indices_in(self, box: Box) -> Iterator[Index]:
        """Yield the indices of the chunks that touch `box`, but not all that are missing."""
        with self._place.open() as source:
            found = [*source.indices_in(box)]
        yield from found

    def preferred_chunks(self) -> tuple[int, ...] | None:
        """Return the shape of the chunks that a copy should have, if no other is chosen."""
        return self._preferred

    @property
    def is_divisible(self) -> bool:
        """Whether the source reads chunks of any consecutive elements as well as its own."""
        return self._is_divisible

    def _change(self, change: Callable[[Any], ChunkSource]) -> ChunkSource:
        """Return the array in other chunks, or itself if it cannot be read in these."""
        return self._place.change(change, self)

    def rechunk(self, chunks: tuple[int, ...]) -> ChunkSource:
        """Return the same values in chunks of that shape, or itself if it cannot serve them."""
        return self._change(lambda source: source.rechunk(chunks))

    def split(self, most: int) -> ChunkSource:
        """Return the same values in chunks of at most `most` bytes, or itself."""
        return self._change(lambda source: source.split(most))

    def within(self, box: Box) -> ChunkSource:
        """Return the same values in chunks that suit a read of one box, or itself."""
        return self._change(lambda source: source.within(box))

    def referable(self) -> ChunkSource:
        """Return the same values in chunks that are ranges of a file's bytes, if possible."""
        return self._change(lambda source: source.referable())


class ReopenedValues(ReopenedSource):
    """An array whose chunks cannot be read encoded."""


@record
class SmallArray:
    """A small array, such as a coordinate, which every join looks at again.

    `encoded` is its only chunk; None if it is divided, which an array without codecs can be.
    """

    encoded: bytes | None
    elements: Values
    values: Values


_LARGEST_HELD = 4096
"""Bytes of the largest array that is kept in memory."""

_MOST_COUNTED = 10_000
"""The most chunks of an array that are counted when its file is first open."""


class ReopenedChunks(ReopenedSource, CompositeChunks):
    """An array whose chunks can be read encoded.

    Facts needed of every file are kept from when it was first open: whether all chunks exist,
    and the values of small arrays. So most files are opened once more, to read their data.
    """

    def __init__(self, source: EncodedSource, place: Place) -> None:
        super().__init__(source, place)
        self.layout: ChunkLayout = source.layout
        self.stored_dtype: Any = source.stored_dtype
        self.item_size: int = source.item_size
        self._is_listed = lists_present(source)
        self._unread = source.without_file() if isinstance(source, LinearArray) else None
        self._held: SmallArray | None = None
        self._has_all = False
        self._table: PlacedChunks | None = None
        self._rows: dict[Index, int] = {}
        if not place.changes:
            with suppress(NczError):  # reading a damaged part raises the error
                self._has_all = self._is_listed and _has_all(source)
                self._held = _small_array(source) if self._has_all else None
                self._table = _table(source) if self._has_all else None

    def _change(self, change: Callable[[Any], ChunkSource]) -> ChunkSource:
        """Return the array in other chunks; only arrays without chunks change."""
        if self._unread is None:
            return self
        found = self._place.change(change, self, self._unread)
        if isinstance(found, ReopenedChunks):
            found._has_all = self._has_all  # the elements are the same
            found._held = self._held and replace(self._held, encoded=None)
        return found

    @property
    def _whole(self) -> SmallArray | None:
        """The values in memory, if no chunk goes beyond the array."""
        size = self.layout.grid.size * self.layout.chunk_size
        is_whole = size == math.prod(self.layout.shape) or (self._held and self._held.encoded)
        return self._held if is_whole else None

    def _part(self, values: Values, index: Index) -> Values:
        """Return a chunk of the array in memory."""
        self._place.check_unchanged()
        return values[self.grid.box(index).slices] if index else values

    def indices_in(self, box: Box) -> Iterator[Index]:
        """Yield the indices of the chunks that touch `box`, but not all that are missing."""
        return self.grid.indices(box) if self._has_all else super().indices_in(box)

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        if self._held is not None:
            return [self._part(self._held.values, index) for index in indices]
        return super().values_of(indices)

    def find(self, index: Index) -> tuple[int, Index]:
        """Return the index of a chunk, which is the same in the dataset that is opened."""
        return 0, index

    @contextmanager
    def part(self, number: Number = 0) -> Iterator[EncodedSource]:
        """Return the array, until the context ends."""
        with self._place.open() as source:
            assert isinstance(source, EncodedSource)
            yield source

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that exist."""
        return self._is_listed

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks."""
        if self._has_all:
            yield from self.layout.grid.indices()
            return
        with self.part() as source:
            found = [*source.present()]
        yield from found

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return stored chunks without decoding them."""
        if (held := self._whole) is not None:
            one, elements = held.encoded, held.elements
            return [self._part(elements, i).tobytes() if one is None else one for i in indices]
        if self._table is not None:
            return [self._read(index, self._table) for index in indices]
        with self.part() as source:
            return [
                None if data is None else bytes(data) for data in source.encoded_chunks(indices)
            ]

    def _read(self, index: Index, table: PlacedChunks) -> bytes:
        """Return a chunk out of its file, whose header need not be parsed again."""
        if not self._rows:
            self._rows = {tuple(i): row for row, i in enumerate(table.indices.tolist())}
        row = self._rows[index]
        return self._place.read([(int(table.offsets[row]), int(table.lengths[row]))])

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the decoded elements of stored chunks."""
        if (held := self._whole) is not None:
            is_one = held.encoded is not None
            return [held.elements if is_one else self._part(held.elements, i) for i in indices]
        with self.part() as source:
            return list(map(_copy, source.elements(indices)))

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return the places of stored chunks."""
        if self._table is not None:
            self._place.check_unchanged()
            return [self._table], []
        with self.part() as source:
            tables, others = source.places()
            return tables, [*others]


def _has_all(source: EncodedSource) -> bool:
    """Return whether an array has all its chunks, if these are few and in the usual order."""
    grid = source.layout.grid
    if grid.size > _MOST_COUNTED:
        return False
    return all(a == b for a, b in zip_longest(source.present(), grid.indices()))


def _table(source: EncodedSource) -> PlacedChunks | None:
    """Return the places of all chunks, if each is a part of the file of a possible size."""
    if not source.item_size or not all(source.layout.chunks):
        return None
    tables, others = source.places()
    if len(tables) != 1 or next(iter(others), None) is not None:
        return None
    codecs = [codec.to_json() for codec in source.layout.codecs]
    most = max_stored_size(codecs, ArraySpec(source.layout.chunks, source.item_size))
    is_possible = source.layout.shard is None and not (tables[0].lengths > most).any()
    return tables[0] if is_possible and len(tables[0].lengths) == source.layout.grid.size else None


def _small_array(source: EncodedSource) -> SmallArray | None:
    """Return the only chunk of a small array of numbers; None for others."""
    size = source.layout.chunk_size * source.item_size
    if not 0 < size <= _LARGEST_HELD or source.grid.size != 1 or source.layout.grid.size != 1:
        return None
    first = (0,) * source.layout.rank
    (encoded,), (elements,) = source.encoded_chunks((first,)), source.elements((first,))
    values = source.chunk(first)
    if encoded is None or elements is None or values is None:
        return None
    copy = elements.copy()
    is_same = elements.dtype == values.dtype and elements.tobytes() == values.tobytes()
    copies = copy, copy if is_same and elements.shape == values.shape else values.copy()
    for each in copies:
        each.setflags(write=False)  # many readers share them
    return SmallArray(bytes(encoded), *copies)


def _copy(values: Values | None) -> Values | None:
    """Return values that stay when the file is closed."""
    return None if values is None else values.copy()
