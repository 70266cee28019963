"""Statistics of a variable's values in one pass, in parallel and in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from ncz.commands.description import Statistics
from ncz.commands.moments import BLOCK, Moments, moments_of
from ncz.late import numpy as np
from ncz.model.data import fill_array
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Index, slabs, whole
from ncz.model.packing import Packing, packing_of
from ncz.model.slabs import grid_of, read_slab
from ncz.model.sparse_source import sparse
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.parallel.memory import LEAST_MEMORY
from ncz.parallel.threads import ThreadPool

if TYPE_CHECKING:
    from numpy.typing import NDArray


Step = Callable[[int, int], None]
"""Called with the number of chunks that were read, and their size in bytes."""

BINS = 24
"""Number of bins of a histogram."""

_COPIES = 3
"""Arrays of the size of a chunk that are in memory for each chunk."""


def statistics(
    variable: Variable, shape: tuple[int, ...], pool: ThreadPool, step: Step
) -> Statistics:
    """Compute the statistics of a variable of numbers.

    Parameters
    ----------
    variable
        The variable. Its attributes ``_FillValue``, ``missing_value``, ``scale_factor``,
        ``add_offset`` and ``_Unsigned`` are applied.
    shape
        Its shape.
    pool
        The threads that read and decode; its memory is the limit.
    step
        Called as values are read.

    Raises
    ------
    NczError
        If values cannot be read.
    """
    packing = packing_of(variable)
    total = Moments()
    for part in _parts(variable, shape, pool, packing, step):
        total = total.combine(part)
    return _unpack(total, packing)


def chunks_to_read(variable: Variable) -> int:
    """Return the most steps that `statistics` takes for a variable."""
    data = variable.data
    return data.layout.grid.size if isinstance(data, EncodedSource) else 1


def _parts(
    variable: Variable, shape: tuple[int, ...], pool: ThreadPool, packing: Packing, step: Step
) -> Iterator[Moments]:
    data = variable.data
    if isinstance(data, EncodedSource):
        yield from _chunk_parts(data, shape, pool, packing, step)
        return
    assert isinstance(variable.type, Atomic)
    limit = max(1, min(pool.memory, LEAST_MEMORY) // 8 // variable.type.size)
    for box in slabs(grid_of(variable, shape), limit):
        values = read_slab(variable, shape, box)
        yield moments_of(values, packing)
        step(0, values.nbytes)
        del values  # free it before the next one is read
    step(1, 0)


def _chunk_parts(
    data: EncodedSource, shape: tuple[int, ...], pool: ThreadPool, packing: Packing, step: Step
) -> Iterator[Moments]:
    """Yield the moments of each stored chunk, and at the end the moments of all missing ones."""
    layout = data.layout
    is_whole = _COPIES * layout.chunk_size * data.item_size <= pool.memory // pool.threads
    grid = layout.grid if is_whole else data.grid
    source = sparse(data)
    reads_alike = not is_whole or grid == data.grid

    def read(indices: Sequence[Index]) -> tuple[int, Moments | None]:
        found = source.values_of(indices) if reads_alike else map(data.stored_values, indices)
        flat = [values.reshape(-1) for values in found if values is not None]
        joined = flat[0] if len(flat) == 1 else _concatenate(flat)
        return len(indices), None if joined is None else moments_of(joined, packing)

    indices = iter(data.present() if is_whole else source.indices_in(whole(grid.shape)))
    rest, size = math.prod(shape), math.prod(grid.chunks)
    together = max(1, BLOCK // size)  # small chunks become one block
    cost = _COPIES * size * together * max(1, data.item_size)
    for count, part in pool.each(read, iter(lambda: list(islice(indices, together)), []), cost):
        if part is not None:
            rest -= part.size
            yield part
        step(count, 0 if part is None else part.size * data.item_size)
    if rest:
        fill = fill_array((1,), data.type, data.fill)
        yield moments_of(fill, packing).repeat(rest)


def _concatenate(parts: Sequence[NDArray[Any]]) -> NDArray[Any] | None:
    return np.concatenate(parts) if parts else None


def _unpack(total: Moments, packing: Packing) -> Statistics:
    """Return the statistics of all values, after applying scale and offset."""
    if not total.count:
        return Statistics(count=0, missing=total.missing, infinite=total.infinite)
    scale = 1 if packing.scale is None else packing.scale
    offset = 0 if packing.offset is None else packing.offset
    assert total.minimum is not None
    assert total.maximum is not None
    ends = sorted((total.minimum * scale + offset, total.maximum * scale + offset))
    histogram = total.histogram(BINS)
    return Statistics(
        count=total.count,
        missing=total.missing,
        infinite=total.infinite,
        minimum=ends[0],
        maximum=ends[1],
        mean=total.mean * scale + offset,
        std=total.std * abs(scale),
        histogram=histogram if scale >= 0 else histogram[::-1],
    )
