"""The variables of an open dataset by number, and their values through a cache."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ncz.commands.view.chunk_cache import ITEM_SIZE, CachedSource, ChunkCache
from ncz.commands.view.request import Request, RequestError
from ncz.model.data import ChunkSource, fill_array
from ncz.model.grid import Index
from ncz.model.subset import subset_source
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.parallel.threads import ThreadPool

SMALL_CHUNK = 1 << 18
"""Bytes that a chunk on a server counts as for threads, so that each is a separate request."""

_PART = 1 << 16
"""Bytes that one read takes of values that are not stored in chunks."""

_CHUNK_COST = 4096
"""Bytes that a chunk counts as, if it has fewer."""


class ValueReader:
    """Reads values of the variables of a dataset, by their numbers. Many threads may read.

    Parameters
    ----------
    dataset
        The dataset, which stays open.
    pool
        The threads that read chunks.
    cache
        The chunks that were decoded last.
    is_remote
        Whether a read waits for a server.
    """

    def __init__(
        self, dataset: Dataset, pool: ThreadPool, cache: ChunkCache, *, is_remote: bool
    ) -> None:
        self.dataset = dataset
        self.pool = pool
        self.is_remote = is_remote
        self.variables = list(variables_by_fqn(dataset.root))
        part = SMALL_CHUNK if is_remote else _PART
        self.sources = [
            None if one.data is None else one.data.split(part) for _, one in self.variables
        ]
        self.numbers = {fqn: number for number, (fqn, _) in enumerate(self.variables)}
        self.lengths = dimensions_by_fqn(dataset.root)
        self._cache = cache

    def variable(self, request: Request) -> tuple[str, Variable, tuple[int, ...]]:
        """Return the variable of a request, with its name and shape."""
        if request.variable >= len(self.variables):
            raise RequestError("the dataset has no such variable")
        fqn, variable = self.variables[request.variable]
        shape = shape_of(variable, self.lengths)
        if any(axis is not None and axis >= len(shape) for axis in (request.x, request.y)) or (
            request.x is None and request.y is not None
        ):
            raise RequestError("the variable has no such axis")
        return fqn, variable, shape

    def read(
        self,
        number: int,
        ranges: Sequence[range],
        is_stale: Callable[[], bool],
    ) -> Values:
        """Read values; indices beyond the data, which another variable may have, are fill."""
        data = self.sources[number]
        assert data is not None
        source = subset_source(CachedSource(data, number, self._cache, is_stale), ranges)
        result = fill_array(tuple(map(len, ranges)), data.type, data.fill)

        def put(index: Index) -> None:
            values = source.chunk(index)
            if values is not None:
                result[source.grid.box(index).slices or ...] = values

        cost = chunk_cost(data)
        if self.is_remote:
            cost = max(cost, SMALL_CHUNK)
        for _ in self.pool.each(put, source.grid.indices(), cost):
            pass
        return result


def chunk_cost(data: ChunkSource) -> int:
    """Return the bytes of a decoded chunk, with a minimum cost per chunk."""
    each = data.type.size if isinstance(data.type, Atomic) and data.type.size else ITEM_SIZE
    return max(_CHUNK_COST, math.prod(data.grid.chunks) * each)
