"""The growth of each variable: chunks that are new, or get new values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.commands.joining.axis_order import Arrangement, arranged_data, arranged_values
from ncz.commands.joining.error import JoinError
from ncz.commands.references import size_beside
from ncz.errors import option
from ncz.formats.chunks import as_written, check_chunk_size
from ncz.formats.growth import Growth
from ncz.formats.store_draft import StoreDraft
from ncz.model.chunks import ChunkLayout
from ncz.model.data import ChunkSource
from ncz.model.encoded_arrays import EncodedSource, EncodedTarget
from ncz.model.grid import Box, Index
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.record import record, replace
from ncz.transfer.joined_chunks import JoinedChunks
from ncz.transfer.referred_sizes import ReferredSizes, sizes_of

if TYPE_CHECKING:
    from ncz.commands.append.file import LongerVariable


@record(kw_only=True)
class Addition:
    """The growth of one variable.

    Attributes
    ----------
    array
        The array with its new shape.
    axis
        The axis along which it grows.
    start
        The first index along the axis whose values change. It is the length in the store, unless
        values are replaced.
    before
        The layout of the chunks in the store.
    source
        The old and the new values as one array; None if chunks are copied.
    chunks
        The old and the new chunks as one array, if they are copied without decoding.
    refers_above
        The size limit of stored chunks in bytes: the store refers to larger ones. None if the store
        contains all.
    is_set
        Whether the store is a reference set, which contains few values.
    """

    array: EncodedTarget
    axis: int
    start: int
    before: ChunkLayout
    source: ChunkSource | None = None
    chunks: EncodedSource | None = None
    refers_above: int | None = None
    is_set: bool = False

    @property
    def fqn(self) -> str:
        """The variable."""
        return self.array.fqn

    @property
    def shape(self) -> tuple[int, ...]:
        """The new shape."""
        return self.array.layout.shape

    @property
    def stop(self) -> int:
        """The new length."""
        return self.shape[self.axis]

    @property
    def encoded_size(self) -> int:
        """Bytes of the values that are encoded again, before any codec."""
        if not self.count:
            return 0
        layout, axis, first = self.array.layout, self.axis, (0,) * self.array.layout.rank
        borders = (*layout.grid.starts(axis), self.stop)
        length = 0
        for number in layout.grid.ranges(self._box(layout))[axis]:
            index = (*first[:axis], number, *first[axis + 1 :])
            if self.chunks is None or not self.chunks.is_stored(index):
                length += borders[number + 1] - borders[number]
        return length * math.prod(layout.shape) // self.stop * max(1, self.array.item_size)

    @property
    def replaces(self) -> bool:
        """Whether values change that the store has."""
        return self.start < self.before.shape[self.axis]

    @property
    def row(self) -> Mapping[str, Any]:
        """The plan for people and scripts."""
        way = "recode" if self.chunks is None else "raw"
        limits = {"from": self.start, "to": self.stop}
        found = self.sizes
        inline = self.refers_above or 0
        beside = size_beside(found.held, found.chunks, inline) if self.is_set else 0
        sizes = {"bytes": found.held, "bytes_beside": beside, "referred_bytes": found.referred}
        return {"variable": self.fqn, "way": way, **limits, "chunks": self.count, **sizes}

    @property
    def sizes(self) -> ReferredSizes:
        """The bytes that are written, before any codec if they are encoded, or referred to."""
        if self.chunks is None:
            return ReferredSizes(chunks=self.count, held=self.encoded_size)
        return sizes_of(self.chunks, self.indices(), self.refers_above)

    def indices(self) -> Iterator[Index]:
        """Yield the indices of the chunks to write."""
        return self._changed_indices(self.array.layout)

    def changed_keys(self) -> Iterator[str]:
        """Yield the keys of the chunks that are written or removed."""
        for layout in (self.array.layout, self.before):
            yield from map(self.array.chunk_key, self._changed_indices(layout))

    def removed_keys(self) -> list[str]:
        """Return the keys of chunks beyond the new length: replaced values may be fewer."""
        if self.stop >= self.before.shape[self.axis]:
            return []
        kept = {self.array.chunk_key(index) for index in self._changed_indices(self.array.layout)}
        keys = map(self.array.chunk_key, self._changed_indices(self.before))
        return [key for key in keys if key not in kept]

    def _changed_indices(self, layout: ChunkLayout) -> Iterator[Index]:
        return layout.grid.indices(self._box(layout))

    def _box(self, layout: ChunkLayout) -> Box:
        """Return the part of the array whose values change."""
        stop = layout.shape
        start = min(self.start, stop[self.axis])
        return Box(tuple(start if i == self.axis else 0 for i in range(layout.rank)), stop)

    @property
    def count(self) -> int:
        """The number of chunks to write, if none is missing."""
        layout = self.array.layout
        box = self._box(layout)
        return math.prod(map(len, layout.grid.ranges(box))) if box.size else 0


def plan_additions(
    datasets: Sequence[Dataset],
    arrangements: Mapping[str, Arrangement],
    axes: Mapping[str, int],
    draft: StoreDraft,
) -> list[Addition]:
    """Plan the growth of the variables of a store, which is the first dataset.

    They get their new lengths in the draft of the store. `arrangements` are by the dimension.

    Raises
    ------
    JoinError
        If a variable cannot grow.
    """
    known = [dict(variables_by_fqn(dataset.root)) for dataset in datasets]
    return [
        _plan(fqn, [variables[fqn] for variables in known], axis, arrangements, draft)
        for fqn, axis in axes.items()
    ]


def _plan(
    fqn: str,
    variables: Sequence[Variable],
    axis: int,
    arrangements: Mapping[str, Arrangement],
    draft: StoreDraft,
) -> Addition:
    old = variables[0]
    stored = old.data
    parts = [variable.data for variable in variables if variable.data is not None]
    if not isinstance(stored, EncodedSource) or len(parts) < len(variables):
        raise JoinError("the variable has no data", fqn)
    found = arrangements[old.dimensions[axis]]
    whole = arranged_data(parts, axis, found)
    layout = _lengthen(stored.layout, axis, found.length, whole)
    if layout is None:
        raise JoinError(
            "its chunks of different lengths cannot grow",
            fqn,
            f"join the datasets with {option('concat')}",
        )
    array = draft.lengthen(fqn, old, axis, layout)
    if array is None:
        raise JoinError("the variable has no data", fqn)
    check_chunk_size(array)
    start = min(found.kept_count, _unchanged_length(stored.layout, axis))
    addition = Addition(array=array, axis=axis, start=start, before=stored.layout)
    is_raw = all(v.storage.quantize == old.storage.quantize for v in variables)
    if is_raw and isinstance(whole, JoinedChunks) and whole.layout == layout:
        return replace(addition, chunks=whole)
    values = arranged_values(parts, axis, found, array.layout.chunks)
    return replace(addition, source=as_written(values, array))


def _lengthen(
    layout: ChunkLayout, axis: int, length: int, whole: ChunkSource
) -> ChunkLayout | None:
    """Return the layout of a longer array; None if it has no place for the new values."""
    if layout.lengths is not None:
        is_alike = isinstance(whole, JoinedChunks) and whole.layout.lengths is not None
        return whole.layout if is_alike and isinstance(whole, JoinedChunks) else None
    return replace(layout, shape=(*layout.shape[:axis], length, *layout.shape[axis + 1 :]))


def _unchanged_length(layout: ChunkLayout, axis: int) -> int:
    """Return the number of indices that keep their chunks: a grid with lengths cannot be filled."""
    if layout.lengths is None or sum(layout.lengths[axis]) == layout.shape[axis]:
        return layout.shape[axis]
    return sum(layout.lengths[axis][:-1])


OnPlan = Callable[[Sequence["Addition | Growth | LongerVariable"]], bool]
