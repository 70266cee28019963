"""Arrays of a dataset that was closed, which is opened again to read from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from ncz.errors import ZmapError
from ncz.model.data import ChunkSource, Values
from ncz.model.encoded import EncodedSource, ListedSource, PlacedChunks, lists_present
from ncz.model.grid import Box, Grid, Index
from ncz.model.tree import Dataset, Variable, each_variable
from ncz.model.types import NcType, Value
from ncz.record import record, replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.formats.open_datasets import OpenDatasets
    from ncz.model.chunks import ChunkLayout
    from ncz.zmap.byte_range import ByteRange


_T = TypeVar("_T")


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

    def use(self, use: Callable[[Any], _T]) -> _T:
        """Call a function with the array. Raises `ZmapError` if the file has changed."""
        with self.pool.variables(self.location) as variables:
            if _state(self.location) != self.state:
                raise ZmapError(
                    "the file changed while it was read", self.location.display, "copy it again"
                )
            data = variables[self.fqn].data
            assert data is not None  # it was there when the dataset was first opened
            for change in self.changes:
                data = change(data)
            return use(data)

    def changed(self, change: Callable[[Any], ChunkSource], unchanged: ChunkSource) -> ChunkSource:
        """Return the array in other chunks, or `unchanged` if it cannot be read in these."""

        def read(source: ChunkSource) -> ChunkSource | None:
            found = change(source)
            return None if found is source else found

        found = self.use(read)
        if found is None:
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

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing."""
        return self._place.use(lambda source: _copied(source.chunk(index)))

    def touching(self, box: Box) -> Iterator[Index]:
        """Yield the indices of the chunks that touch `box`, but not all that are missing."""
        yield from self._place.use(lambda source: [*source.touching(box)])

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


class _ReopenedChunks(_ReopenedSource, ListedSource):
    """An array whose chunks can be read encoded."""

    def __init__(self, source: EncodedSource, place: _Place) -> None:
        super().__init__(source, place)
        self.layout: ChunkLayout = source.layout
        self.stored_dtype: Any = source.stored_dtype
        self.item_size: int = source.item_size

    def locate(self, index: Index) -> str:
        """Return where a stored chunk is."""
        found: str = self._place.use(lambda source: source.locate(index))
        return found

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that exist."""
        return self._place.use(lists_present)

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks."""
        yield from self._place.use(lambda source: [*source.present()])

    def encoded(self, index: Index) -> bytes | None:
        """Return a stored chunk without decoding it."""
        data = self._place.use(lambda source: source.encoded(index))
        return None if data is None else bytes(data)

    def encoded_part(self, index: Index, start: int, count: int) -> bytes | None:
        """Return bytes of a stored chunk."""
        data = self._place.use(lambda source: source.encoded_part(index, start, count))
        return None if data is None else bytes(data)

    def elements(self, index: Index) -> Values | None:
        """Return the decoded elements of a stored chunk."""
        return self._place.use(lambda source: _copied(source.elements(index)))

    def values(self, elements: Values, index: Index) -> Values:
        """Convert decoded elements of a chunk to values."""
        return self._place.use(lambda source: source.values(elements, index))

    def stored_size(self, index: Index) -> int | None:
        """Return the number of bytes of a chunk as it is stored."""
        found: int | None = self._place.use(lambda source: source.stored_size(index))
        return found

    def place(self, index: Index) -> ByteRange | None:
        """Return where the bytes of a stored chunk are."""
        found: ByteRange | None = self._place.use(lambda source: source.place(index))
        return found

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return the places of stored chunks."""

        def listed(source: EncodedSource) -> tuple[list[PlacedChunks], list[Index]]:
            tables, others = source.places()
            return tables, [*others]

        return self._place.use(listed)


def _copied(values: Values | None) -> Values | None:
    """Return values that stay when the file is closed."""
    return None if values is None else values.copy()
