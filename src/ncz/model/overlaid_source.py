"""A source whose values at some indices are replaced by another's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.model.data import ChunkSource, DerivedSource, Values, fill_array, read_box
from ncz.model.grid import Box, Grid, Index
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray


@record
class Place:
    """The indices of a patch along one dimension: `indices` in ascending order.

    `order` has the index in the patch of each of them; None if the patch has the same order.
    """

    indices: NDArray[np.int64]
    order: NDArray[np.int64] | None = None

    def within(self, start: int, stop: int) -> slice:
        """Return which of the indices are from `start` to `stop`."""
        first, last = self.indices.searchsorted((start, stop)).tolist()
        return slice(first, last)


@record
class OverlaidSource(DerivedSource):
    """A `ChunkSource` with the values of `source`, except at `places`, which `patch` fills.

    `patch` has the type of `source`, and as many dimensions.
    """

    source: ChunkSource
    patch: ChunkSource
    places: tuple[Place, ...]

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for a missing chunk outside the patch."""
        chunks = self.source.values_of(indices)
        return [self._overlay(index, old) for index, old in zip(indices, chunks, strict=True)]

    def _overlay(self, index: Index, old: Values | None) -> Values | None:
        box = self.grid.box(index)
        found = [p.within(a, b) for p, a, b in zip(self.places, box.start, box.stop, strict=True)]
        if any(part.start >= part.stop for part in found):
            return old
        targets, wanted = [], []
        for place, part, start in zip(self.places, found, box.start, strict=True):
            targets.append(place.indices[part] - start)
            own = np.arange(part.start, part.stop) if place.order is None else place.order[part]
            wanted.append(own)
        part_of_patch = Box(
            tuple(int(own.min()) for own in wanted), tuple(int(own.max()) + 1 for own in wanted)
        )
        new = read_box(self.patch, part_of_patch)
        picked = [own - start for own, start in zip(wanted, part_of_patch.start, strict=True)]
        is_whole = all(len(t) == n for t, n in zip(targets, box.shape, strict=True))
        if old is None or is_whole:
            values = fill_array(box.shape, self.source.type, self.source.fill)
        else:
            values = old.copy()
        values[np.ix_(*targets)] = new[np.ix_(*picked)]
        return values

    def rechunk(self, chunks: tuple[int, ...]) -> OverlaidSource:
        """Return the same values in chunks of that shape, if the source can serve them."""
        return OverlaidSource(self.source.rechunk(chunks), self.patch, self.places)


def touched_chunks(grid: Grid, places: Sequence[Place]) -> Iterator[Index]:
    """Yield the indices of the chunks of a grid that have values at some places."""
    box = Box(
        tuple(int(place.indices[0]) for place in places),
        tuple(int(place.indices[-1]) + 1 for place in places),
    )
    for index in grid.indices(box):
        of_chunk = grid.box(index)
        parts = (
            place.within(a, b)
            for place, a, b in zip(places, of_chunk.start, of_chunk.stop, strict=True)
        )
        if all(part.start < part.stop for part in parts):
            yield index
