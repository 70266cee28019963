"""How each variable becomes longer: the chunks that are new, or get new values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ncz.commands.joining.concatenation import Joining
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.ordering import Arrangement, arranged_data, arranged_values
from ncz.errors import option
from ncz.formats.chunks import as_written, check_chunk_size
from ncz.formats.growth import Growth
from ncz.formats.store_draft import StoreDraft
from ncz.model.data import ChunkSource
from ncz.model.encoded import EncodedSource, EncodedTarget
from ncz.model.grid import Box, Index
from ncz.model.tree import Variable, variables_by_fqn
from ncz.record import record, replace
from ncz.transfer.joined import JoinedChunks


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
        The first index along the axis whose values change. It is the length in the store, unless
        values are replaced.
    old
        The shape in the store.
    source
        The old and the new values as one array; None if chunks are copied.
    chunks
        The old and the new chunks as one array, if they are copied without decoding.
    """

    array: EncodedTarget
    axis: int
    start: int
    old: tuple[int, ...]
    source: ChunkSource | None = None
    chunks: EncodedSource | None = None

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
    def replaces(self) -> bool:
        """Whether values change that the store has."""
        return self.start < self.old[self.axis]

    @property
    def row(self) -> Mapping[str, Any]:
        """The plan for people and scripts."""
        way = "recode" if self.chunks is None else "raw"
        limits = {"from": self.start, "to": self.stop}
        return {"variable": self.fqn, "way": way, **limits, "chunks": self.count}

    def indices(self) -> Iterator[Index]:
        """Yield the indices of the chunks to write."""
        return self._changed(self.shape)

    def changed_keys(self) -> Iterator[str]:
        """Yield the keys of the chunks that are written or removed."""
        for shape in (self.shape, self.old):
            yield from map(self.array.chunk_key, self._changed(shape))

    def _changed(self, shape: tuple[int, ...]) -> Iterator[Index]:
        layout = replace(self.array.layout, shape=shape)
        if self.start < shape[self.axis]:
            start = tuple(self.start if i == self.axis else 0 for i in range(layout.rank))
            yield from layout.grid.indices(Box(start, shape))

    @property
    def count(self) -> int:
        """The number of chunks to write, if none is missing."""
        grid = self.array.layout.grid
        per_step = grid.size // max(1, grid.counts[self.axis])
        return per_step * (
            grid.counts[self.axis] - self.start // self.array.layout.chunks[self.axis]
        )


def plan_additions(joining: Joining, axes: Mapping[str, int], draft: StoreDraft) -> list[Addition]:
    """Plan how the variables of a store, which is the first dataset, become longer.

    They get their new lengths in the draft of the store.

    Raises
    ------
    JoinError
        If a variable cannot grow.
    """
    known = [dict(variables_by_fqn(dataset.root)) for dataset in joining.datasets]
    return [
        _plan(fqn, [variables[fqn] for variables in known], axis, joining.arrangements, draft)
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
    if stored.layout.lengths is not None:
        raise JoinError(
            "chunks of different lengths cannot grow",
            fqn,
            f"join the datasets with {option('concat')}",
        )
    found = arrangements[old.dimensions[axis]]
    array = draft.lengthen(fqn, old, axis, found.length)
    if array is None:
        raise JoinError("the variable has no data", fqn)
    check_chunk_size(array)
    addition = Addition(array=array, axis=axis, start=found.kept, old=stored.layout.shape)
    whole = arranged_data(parts, axis, found)
    is_raw = (
        isinstance(whole, JoinedChunks)
        and replace(whole.layout, shape=()) == replace(stored.layout, shape=())
        and all(v.storage.quantize == old.storage.quantize for v in variables)
    )
    if is_raw and isinstance(whole, JoinedChunks):
        return replace(addition, chunks=whole)
    values = arranged_values(parts, axis, found, array.layout.chunks)
    return replace(addition, source=as_written(values, array))


OnPlan = Callable[[Sequence[Addition | Growth]], bool]
