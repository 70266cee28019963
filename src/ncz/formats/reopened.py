"""Arrays of a dataset that was closed, which is opened again to read from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ncz.errors import ZmapError
from ncz.model.composite_chunks import CompositeChunks, Number
from ncz.model.data import ChunkSource, Values
from ncz.model.encoded import EncodedSource, PlacedChunks, lists_present
from ncz.model.grid import Box, Grid, Index
from ncz.model.tree import Dataset, Variable, each_variable
from ncz.model.types import NcType, Value
from ncz.record import record, replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.formats.open_datasets import OpenDatasets
    from ncz.model.chunks import ChunkLayout


def reopened(dataset: Dataset, location: Location, pool: OpenDatasets) -> Dataset:
    """Return an open dataset of a local file as one that is read from `pool`, and can be closed."""
    state = _state(location)

    def apart(fqn: str, variable: Variable) -> Variable:
        if variable.data is None:
            return variable
        return replace(variable, data=_apart(variable.data, _Place(pool, location, fqn, state)))

    return each_variable(dataset, apart)


def _state(location: Location) -> tuple[int, int]:
    """Return what differs if a file was replaced or written."""
    status = os.stat(location.path)
    return status.st_size, status.st_mtime_ns


@record
class _Place:
    """Where an array is: a variable of a dataset, perhaps read in other chunks."""

    pool: OpenDatasets
    location: Location
    fqn: str
    state: tuple[int, int]
    changes: tuple[Callable[[Any], ChunkSource], ...] = ()

    @contextmanager
    def opened(self) -> Iterator[ChunkSource]:
        """Return the array until the context ends. Raises `ZmapError` if the file has changed."""
        with self.pool.variables(self.location) as variables:
            if _state(self.location) != self.state:
                raise ZmapError(
                    "the file changed while it was read", self.location.display, "copy it again"
                )
            data = variables[self.fqn].data
            assert data is not None  # it was there when the dataset was first opened
            for change in self.changes:
                data = change(data)
            yield data

    def changed(self, change: Callable[[Any], ChunkSource], unchanged: ChunkSource) -> ChunkSource:
        """Return the array in other chunks, or `unchanged` if it cannot be read in these."""
        with self.opened() as source:
            found = change(source)
            if found is source:
                return unchanged
            return _apart(found, replace(self, changes=(*self.changes, change)))


def _apart(source: ChunkSource, place: _Place) -> ChunkSource:
    if isinstance(source, EncodedSource):
        return _ReopenedChunks(source, place)
    return _ReopenedValues(source, place)


class _ReopenedSource(ChunkSource):
    """A `ChunkSource` over an array of a dataset that is opened again to read it."""

    def __init__(self, source: ChunkSource, place: _Place) -> None:
        self._place = place
        self._preferred = source.preferred_chunks()
        self._is_divisible = source.is_divisible
        self.grid: Grid = source.grid
        self.type: NcType = source.type
        self.fill: Value = source.fill

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        with self._place.opened() as source:
            return list(map(_copied, source.values_of(indices)))

    def touching(self, box: Box) -> Iterator[Index]:
        """Yield the indices of the chunks that touch `box`, but not all that are missing."""
        with self._place.opened() as source:
            found = [*source.touching(box)]
        yield from found

    def preferred_chunks(self) -> tuple[int, ...] | None:
        """Return the shape of the chunks that a copy should have, if no other is chosen."""
        return self._preferred

    @property
    def is_divisible(self) -> bool:
        """Whether the source reads chunks of any consecutive elements as well as its own."""
        return self._is_divisible

    def rechunked(self, chunks: tuple[int, ...]) -> ChunkSource:
        """Return the same values in chunks of that shape, or itself if it cannot serve them."""
        return self._place.changed(lambda source: source.rechunked(chunks), self)

    def divided(self, most: int) -> ChunkSource:
        """Return the same values in chunks of at most so many bytes, or itself."""
        return self._place.changed(lambda source: source.divided(most), self)

    def within(self, box: Box) -> ChunkSource:
        """Return the same values in chunks that suit a read of one box, or itself."""
        return self._place.changed(lambda source: source.within(box), self)

    def referable(self) -> ChunkSource:
        """Return the same values in chunks of which each is one part of a file, if possible."""
        return self._place.changed(lambda source: source.referable(), self)


class _ReopenedValues(_ReopenedSource):
    """An array whose chunks cannot be read encoded."""


class _ReopenedChunks(_ReopenedSource, CompositeChunks):
    """An array whose chunks can be read encoded."""

    def __init__(self, source: EncodedSource, place: _Place) -> None:
        super().__init__(source, place)
        self.layout: ChunkLayout = source.layout
        self.stored_dtype: Any = source.stored_dtype
        self.item_size: int = source.item_size

    def find(self, index: Index) -> tuple[int, Index]:
        """Return the index of a chunk, which is the same in the dataset that is opened."""
        return 0, index

    @contextmanager
    def part(self, number: Number = 0) -> Iterator[EncodedSource]:
        """Return the array, until the context ends."""
        with self._place.opened() as source:
            assert isinstance(source, EncodedSource)
            yield source

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that exist."""
        with self.part() as source:
            return lists_present(source)

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks."""
        with self.part() as source:
            found = [*source.present()]
        yield from found

    def encoded(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return stored chunks without decoding them."""
        with self.part() as source:
            return [None if data is None else bytes(data) for data in source.encoded(indices)]

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the decoded elements of stored chunks."""
        with self.part() as source:
            return list(map(_copied, source.elements(indices)))

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return the places of stored chunks."""
        with self.part() as source:
            tables, others = source.places()
            return tables, [*others]


def _copied(values: Values | None) -> Values | None:
    """Return values that stay when the file is closed."""
    return None if values is None else values.copy()
