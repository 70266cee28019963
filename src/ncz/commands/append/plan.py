"""What an append writes: for each variable the chunks that are new, or get new values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.commands.append.agree import AppendError
from ncz.commands.references.joined import joined_chunks, joined_values
from ncz.formats.chunks import check_chunk_size, values_to_write
from ncz.formats.zarr.array.array import ZarrArray
from ncz.formats.zarr.plan.array import ArrayPlan
from ncz.model.chunk.encoded import EncodedSource
from ncz.model.data import ChunkSource
from ncz.model.grid import Box, Index
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.model.chunk.layout import ChunkLayout


@record(kw_only=True)
class Addition:
    """How one variable becomes longer.

    Attributes
    ----------
    array
        The array with its new shape.
    axis
        The axis along which it grows.
    start
        The length that it has in the store.
    source
        The old and the new values as one array; None if chunks are copied.
    chunks
        The old and the new chunks as one array, if they are copied without decoding.
    """

    array: ArrayPlan
    axis: int
    start: int
    source: ChunkSource | None = None
    chunks: EncodedSource | None = None

    @property
    def stop(self) -> int:
        """The new length."""
        return self.array.layout.shape[self.axis]

    def indices(self) -> Iterator[Index]:
        """Yield the indices of the chunks to write."""
        layout = self.array.layout
        if self.start < self.stop:
            start = tuple(self.start if i == self.axis else 0 for i in range(layout.rank))
            yield from layout.grid.indices(Box(start, layout.shape))

    @property
    def count(self) -> int:
        """The number of chunks to write, if none is missing."""
        grid = self.array.layout.grid
        per_step = grid.size // max(1, grid.counts[self.axis])
        return per_step * (
            grid.counts[self.axis] - self.start // self.array.layout.chunks[self.axis]
        )


def plan_additions(old: Dataset, new: Dataset, axes: dict[str, int]) -> list[Addition]:
    """Plan how the variables of `old` become longer by those of `new`.

    Raises
    ------
    AppendError
        If a variable cannot grow.
    """
    ours, theirs = dict(variables_by_fqn(old.root)), dict(variables_by_fqn(new.root))
    return [_plan(fqn, ours[fqn], theirs[fqn], axis) for fqn, axis in axes.items()]


def _plan(fqn: str, old: Variable, new: Variable, axis: int) -> Addition:
    stored = old.data
    if not isinstance(stored, ZarrArray) or new.data is None:
        raise AppendError("the variable has no data", fqn)
    if stored.layout.lengths is not None:
        raise AppendError(
            "chunks of different lengths cannot grow", fqn, "join the datasets with --concat"
        )
    start = stored.layout.shape[axis]
    layout = _longer(stored.layout, axis, new.data.grid.shape[axis])
    array = ArrayPlan(
        fqn=fqn,
        variable=old,
        layout=layout,
        encoding=stored.encoding,
        fill=stored.fill,
        keys=stored.keys,
        source=stored,
    )
    check_chunk_size(array)
    whole = joined_chunks((stored, new.data), axis)
    if whole is not None and old.storage.quantize == new.storage.quantize:
        return Addition(array=array, axis=axis, start=start, chunks=whole)
    values = joined_values((stored, new.data), axis, layout.chunks)
    written = replace(array, variable=replace(old, data=values), source=None)
    return Addition(array=array, axis=axis, start=start, source=values_to_write(written))


def _longer(layout: ChunkLayout, axis: int, count: int) -> ChunkLayout:
    shape = layout.shape
    return replace(layout, shape=(*shape[:axis], shape[axis] + count, *shape[axis + 1 :]))
