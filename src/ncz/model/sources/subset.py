"""Subsets of a dataset along its dimensions, as a view: data are read on demand.

Only the chunks that the selected indices touch are read. Every variable with a selected dimension
becomes shorter, so that coordinates and bounds match the data.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ncz.model.data import ChunkSource
from ncz.model.grid import Grid, Index, IrregularGrid
from ncz.model.tree import Dataset, Dimension, Group, Storage, Variable, dimensions_by_fqn, join
from ncz.model.types import NcType, Value
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.model.data import Values


@record
class SubsetSource:
    """A `ChunkSource` of some indices of another one.

    `ranges` has the indices of the source along each dimension, in ascending order. A chunk is the
    part of one chunk of the source; `firsts` has the indices of those chunks along each dimension.
    """

    source: ChunkSource
    ranges: tuple[range, ...]
    firsts: tuple[tuple[int, ...], ...]
    grid: Grid

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.source.type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.source.fill

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if that of the source is missing."""
        if not index:
            return self.source.chunk(index)
        outer = tuple(firsts[i] for firsts, i in zip(self.firsts, index, strict=True))
        values = self.source.chunk(outer)
        if values is None:
            return None
        start = self.source.grid.box(outer).start
        box = self.grid.box(index)
        parts = zip(self.ranges, box.start, box.stop, start, strict=True)
        return values[tuple(slice(r[a] - at, r[b - 1] - at + 1, r.step) for r, a, b, at in parts)]


def subset_source(source: ChunkSource, ranges: tuple[range, ...]) -> SubsetSource:
    """Return the given indices of a source; indices beyond its end are left out."""
    shape = source.grid.shape
    kept = tuple(r[: bisect_left(r, n)] for r, n in zip(ranges, shape, strict=True))
    axes = [_pieces(source.grid, axis, r) for axis, r in enumerate(kept)]
    borders = tuple(borders for borders, _ in axes)
    return SubsetSource(source, kept, tuple(f for _, f in axes), IrregularGrid(borders))


def _pieces(grid: Grid, axis: int, chosen: range) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Divide indices along one dimension by the chunks that hold them.

    Returns the borders of the pieces, and the index of the chunk of each.
    """
    if grid.size == 0:
        return ((0, len(chosen)), (0,)) if chosen else ((0,), ())
    borders, firsts = [0], []
    origin = [0] * len(grid.shape)
    # Chunks are in ascending order, so that each piece begins where the one before it ends.
    for number in range(grid.counts[axis]):
        origin[axis] = number
        stop = bisect_left(chosen, grid.box(tuple(origin)).stop[axis])
        if stop > borders[-1]:
            borders.append(stop)
            firsts.append(number)
    return tuple(borders), tuple(firsts)


def subset(dataset: Dataset, chosen: Mapping[str, range]) -> Dataset:
    """Return a dataset with some indices of its dimensions.

    Parameters
    ----------
    dataset
        The dataset, which must stay open while values are read.
    chosen
        The indices to keep, in ascending order, by the FQN of the dimension.

    Returns
    -------
    Dataset
        The same groups, attributes and variables over shorter dimensions.
    """
    lengths = dimensions_by_fqn(dataset.root)

    def shortened(fqn: str, dimension: Dimension) -> Dimension:
        return replace(dimension, size=len(chosen[fqn])) if fqn in chosen else dimension

    def part(variable: Variable) -> Variable:
        if not any(d in chosen for d in variable.dimensions):
            return variable
        ranges = tuple(chosen.get(d, range(lengths[d].size)) for d in variable.dimensions)
        data = None if variable.data is None else subset_source(variable.data, ranges)
        return replace(variable, data=data, storage=_storage(variable.storage, ranges))

    def within(group: Group, fqn: str) -> Group:
        return replace(
            group,
            dimensions=tuple(shortened(join(fqn, d.name), d) for d in group.dimensions),
            variables=tuple(part(v) for v in group.variables),
            groups=tuple(within(g, join(fqn, g.name)) for g in group.groups),
        )

    return replace(dataset, root=within(dataset.root, ""))


def _storage(storage: Storage, ranges: tuple[range, ...]) -> Storage:
    """Return how the subset is to be stored: in chunks no longer than it, without shards."""
    if storage.chunks is None:
        return storage
    chunks = tuple(min(c, max(1, len(r))) for c, r in zip(storage.chunks, ranges, strict=True))
    return replace(storage, chunks=chunks, shards=None)
