"""Statistics of a variable's values in one pass, in parallel and in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ncz.commands.info.moments import Moments, Rules, moments_of
from ncz.commands.info.records import Statistics
from ncz.model.chunk.encoded import EncodedSource
from ncz.model.data import fill_array, touching
from ncz.model.grid import Index, slabs, whole
from ncz.model.slabs import grid_of, read_slab
from ncz.model.sources.sparse import sparse
from ncz.model.tree import Variable
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.parallel.threads import ThreadPool

Step = Callable[[int, int], None]
"""Called with the number of chunks that were read, and their size in bytes."""

BINS = 24
"""Number of bins of a histogram."""

_COPIES = 3
"""Arrays of the size of a chunk that are in memory for each chunk."""


def has_statistics(variable: Variable) -> bool:
    """Return whether the variable holds numbers."""
    return isinstance(variable.type, Atomic) and variable.type.kind in "iuf"


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
    rules = rules_of(variable)
    total = Moments()
    for part in _parts(variable, shape, pool, rules, step):
        total = total.combined(part)
    return _unpacked(total, rules)


def chunks_to_read(variable: Variable) -> int:
    """Return the most steps that `statistics` takes for a variable."""
    data = variable.data
    return data.layout.grid.size if isinstance(data, EncodedSource) else 1


def rules_of(variable: Variable) -> Rules:
    """Return how the values of a variable are masked and unpacked."""

    def numbers(name: str) -> tuple[Any, ...]:
        attribute = variable.attribute(name)
        values = () if attribute is None else attribute.values
        return tuple(v for v in values if isinstance(v, (int, float)))

    unsigned = variable.attribute("_Unsigned")
    return Rules(
        masks=(*numbers("_FillValue"), *numbers("missing_value")),
        scale=next(iter(numbers("scale_factor")), None),
        offset=next(iter(numbers("add_offset")), None),
        unsigned=unsigned is not None and unsigned.values == ("true",),
    )


def _parts(
    variable: Variable, shape: tuple[int, ...], pool: ThreadPool, rules: Rules, step: Step
) -> Iterator[Moments]:
    data = variable.data
    if isinstance(data, EncodedSource):
        yield from _chunk_parts(data, shape, pool, rules, step)
        return
    assert isinstance(variable.type, Atomic)
    limit = max(1, pool.memory // 8 // variable.type.size)
    for box in slabs(grid_of(variable, shape), limit):
        values = read_slab(variable, shape, box)
        yield moments_of(values, rules)
        step(0, values.nbytes)
        del values  # free it before the next one is read
    step(1, 0)


def _chunk_parts(
    data: EncodedSource, shape: tuple[int, ...], pool: ThreadPool, rules: Rules, step: Step
) -> Iterator[Moments]:
    """Yield the moments of each stored chunk, and at the end those of all that are missing."""
    layout = data.layout
    is_whole = _COPIES * layout.chunk_size * data.item_size <= pool.memory // pool.threads
    grid = layout.grid if is_whole else data.grid
    source = sparse(data)

    def read(index: Index) -> Moments | None:
        values = _whole_chunk(data, index) if is_whole else source.chunk(index)
        return None if values is None else moments_of(values, rules)

    indices = data.present() if is_whole else touching(source, whole(grid.shape))
    rest = math.prod(shape)
    cost = _COPIES * math.prod(grid.chunks) * max(1, data.item_size)
    for part in pool.each(read, indices, cost):
        if part is not None:
            rest -= part.size
            yield part
        step(1, 0 if part is None else part.size * data.item_size)
    if rest:
        fill = fill_array((1,), data.type, data.fill)
        yield moments_of(fill, rules).repeated(rest)


def _whole_chunk(data: EncodedSource, index: Index) -> Values | None:
    elements = data.elements(index)
    if elements is None:
        return None
    box = data.layout.grid.box(index)
    values = data.values(elements, index)
    return values[tuple(slice(0, n) for n in box.shape)] if index else values


def _unpacked(total: Moments, rules: Rules) -> Statistics:
    """Return the statistics of all values, after applying scale and offset."""
    if not total.count:
        return Statistics(count=0, missing=total.missing, infinite=total.infinite)
    scale = 1 if rules.scale is None else rules.scale
    offset = 0 if rules.offset is None else rules.offset
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
        std=math.sqrt(total.squares / total.count) * abs(scale),
        histogram=histogram if scale >= 0 else histogram[::-1],
    )
