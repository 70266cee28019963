"""The values of HDF5 datasets whose elements must be decoded one by one.

These are values of variable length, strings of fixed length, structures with gaps, and numbers that
numpy does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from ncz.formats.hdf5.decode import decoder
from ncz.formats.hdf5.errors import value_errors
from ncz.formats.hdf5.metadata.datatype import Datatype
from ncz.formats.hdf5.metadata.faults import PARSE_ERRORS, DamageError
from ncz.formats.hdf5.metadata.global_heap import GlobalHeap
from ncz.formats.hdf5.numbers import convert
from ncz.formats.linear_array import LinearArray
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, DerivedSource, ListedChunks, fill_array, read_present
from ncz.model.grid import Box, ChunkGrid, Grid, Index, whole
from ncz.model.types import NcType, Value
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values


class StoredElements(Protocol):
    """The stored elements of an array, a chunk at a time."""

    @property
    def grid(self) -> Grid:
        """The shape, and the chunks."""
        ...

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return all elements of chunks; None for each that is not stored."""
        ...

    def present(self) -> Iterator[Index]:
        """Yield the indices of the chunks that are stored."""
        ...


ToValues = Callable[["Values"], "Values"]
"""A function that turns stored elements of any shape into values."""


@record(kw_only=True)
class DecodedValues(ListedChunks):
    """A `ChunkSource` over elements that are decoded by a function.

    `stored` has the elements. `extent` is the shape of the dataset, which may be shorter than the
    variable along unlimited dimensions. `where` names the dataset in messages.
    """

    stored: StoredElements
    to_values: ToValues
    extent: tuple[int, ...]
    type: NcType
    fill: Value
    where: str

    @property
    def grid(self) -> Grid:
        """The shape, and the chunks."""
        return self.stored.grid

    @property
    def stored_grid(self) -> Grid:
        """The grid of stored chunks, which covers all."""
        return self.stored.grid

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that are stored, as indexes of chunks do."""
        return not isinstance(self.stored, LinearArray)

    @property
    def stored_chunks(self) -> ChunkSource:
        """The elements, if their chunks are a source by themselves."""
        return self.stored if isinstance(self.stored, ChunkSource) else self

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks that are within the array."""
        return self.stored.present()

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is not stored."""
        box = self.grid.box(index)
        common = box.intersect(whole(self.extent)) if box.start else box
        elements = None if common is None else self.stored.elements((index,))[0]
        if common is None or elements is None:
            return None
        with value_errors(self.where):
            values = self.to_values(common.clip(elements))
        return _fill_box(values, common, box, self)


def _fill_box(values: Values, stored: Box, box: Box, source: ChunkSource) -> Values:
    """Return the values of a box; the dataset has only the values of the box `stored`."""
    if stored == box:
        return values
    result = fill_array(box.shape, source.type, source.fill)
    result[stored.relative_to(box.start).slices] = values
    return result


@record
class NumbersFromElements:
    """Converts numbers that numpy does not have; see `ncz.formats.hdf5.numbers.convert`."""

    datatype: Datatype

    def __call__(self, elements: Values) -> Values:
        """Return the values of elements of any shape."""
        return convert(elements.tobytes(), self.datatype).reshape(elements.shape)


@record
class ObjectsFromElements:
    """Decodes elements as Python's objects; see `ncz.formats.hdf5.decode.decoder`."""

    datatype: Datatype
    type: NcType
    heap: GlobalHeap

    def __call__(self, elements: Values) -> Values:
        """Return the values of elements of any shape. Raises `DamageError`."""
        decode = decoder(self.datatype, self.type, self.heap.sizes)
        try:
            values = decode(elements.tobytes(), 0, elements.size, self.heap.reader())
        except PARSE_ERRORS as error:
            raise DamageError(f"values cannot be parsed ({error})") from error
        # Unlike assignment to an array, takes a tuple as one element.
        return np.fromiter(values, "O", len(values)).reshape(elements.shape)


@record(kw_only=True)
class ExtendedValues(DerivedSource):
    """The values of a dataset without chunks that is shorter than its variable, which is filled."""

    source: ChunkSource
    grid: ChunkGrid

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing."""
        box = self.grid.box(index)
        common = box.intersect(whole(self.source.grid.shape))
        values = None if common is None else read_present(self.source, common)
        return None if common is None or values is None else _fill_box(values, common, box, self)
