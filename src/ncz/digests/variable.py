"""The sums of a variable's values, in one pass, in parallel and in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ncz.digests.sums import ZERO, FillSums, Sums, add, box_sums
from ncz.digests.words import elements_of
from ncz.model.data import ChunkSource, fill_array, read_box, read_present
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Box, Index, slabs, whole
from ncz.model.packing import Packing
from ncz.model.slabs import unwritten_fill
from ncz.model.sparse_source import sparse
from ncz.model.tree import Variable
from ncz.model.type_sizes import fixed_size
from ncz.model.types import NcType, Value
from ncz.parallel.memory import LEAST_MEMORY
from ncz.parallel.threads import ThreadPool
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values

Step = Callable[[int, int], None]
"""Called with the number of values that were read, and their size in bytes."""

_COPIES = 5
"""Arrays of the size of a chunk that are in memory for each chunk."""

_OBJECT_BYTES = 64
"""Estimated size of a string or a value of a user-defined type."""

_TOGETHER = 1 << 14
"""Elements of small chunks that are read together."""


@record
class ElementConversion:
    """The conversion of values to elements: as stored or, with `packing`, as decoded."""

    type: NcType
    packing: Packing | None = None

    def elements(self, values: Values) -> Values:
        """Return the elements of values; see `elements_of`."""
        if self.packing is None:
            return elements_of(values, self.type)
        from ncz.model.types import Atomic

        return elements_of(self.packing.decode(values), Atomic.DOUBLE)

    def fill(self, value: Value) -> Values:
        """Return the element of a missing value, as an array of one."""
        return self.elements(fill_array((1,), self.type, value))


def variable_sums(
    variable: Variable,
    shape: tuple[int, ...],
    pool: ThreadPool,
    reading: ElementConversion | None = None,
    step: Step = lambda *_: None,
) -> Sums:
    """Return the sums of all values of a variable.

    Parameters
    ----------
    variable
        The variable.
    shape
        Its shape, which may be larger than the shape of its data.
    pool
        The threads that read and decode; its memory is the limit.
    reading
        How values become elements; by default as stored.
    step
        Called as values are read.

    Raises
    ------
    NczError
        If values cannot be read.
    """
    reading = reading or ElementConversion(variable.type)
    data = variable.data
    fill = unwritten_fill(variable) if data is None else data.fill
    filled = FillSums(reading.fill(fill), len(shape))
    total = filled.of(whole(shape))
    if data is None:
        step(whole(shape).size, 0)
        return total
    blocks = (
        _chunk_blocks(data, pool, reading, shape, filled)
        if isinstance(data, EncodedSource)
        else _slab_blocks(data, pool, reading, shape, filled)
    )
    for sums, count, size in blocks:
        total = add(total, sums)
        step(count, size)
    return total


def part_sums(data: ChunkSource, box: Box, pool: ThreadPool) -> Sums:
    """Return the sums of the values of one box, which is read in slabs along its first axis."""
    reading, total = ElementConversion(data.type), ZERO
    for part in _slabs_within(data, box, _limit(data, pool)):
        total = add(total, box_sums(reading.elements(read_box(data, part)), part.start))
    return total


Blocks = Iterator[tuple[Sums, int, int]]
"""The sums of blocks of values, less the sums if the values were fill; their number, and their
size in bytes."""


def _chunk_blocks(
    data: EncodedSource,
    pool: ThreadPool,
    reading: ElementConversion,
    shape: tuple[int, ...],
    filled: FillSums,
) -> Blocks:
    """Read each stored chunk."""
    layout, limits = data.layout, whole(shape)
    item = max(data.item_size, fixed_size(data.type) or _OBJECT_BYTES)
    is_whole = _COPIES * layout.chunk_size * item <= pool.memory // pool.threads
    grid = layout.grid if is_whole else data.grid
    source = sparse(data)
    reads_alike = not is_whole or grid == data.grid

    def read(indices: Sequence[Index]) -> tuple[Sums, int, int]:
        found = source.values_of(indices) if reads_alike else map(data.stored_values, indices)
        total, count, size = ZERO, 0, 0
        for index, values in zip(indices, found, strict=True):
            box = grid.box(index)
            count += box.size
            common = box.intersect(limits)
            if values is None or common is None:
                continue
            size += values.nbytes
            if common != box:
                values = values[common.relative_to(box.start).slices]
            total = add(total, box_sums(reading.elements(values), common.start))
            total = add(total, filled.of(common), -1)
        return total, count, size

    indices = iter(data.present() if is_whole else source.indices_in(whole(grid.shape)))
    size = layout.chunk_size if is_whole else whole(grid.chunks).size
    together = max(1, _TOGETHER // max(1, size))
    cost = _COPIES * size * together * item
    yield from pool.each(
        read, iter(lambda: list(islice(indices, together)), []), cost, None, 1 << 10
    )


def _slab_blocks(
    data: ChunkSource,
    pool: ThreadPool,
    reading: ElementConversion,
    shape: tuple[int, ...],
    filled: FillSums,
) -> Blocks:
    """Read slabs, by several threads if they can read the source at the same time."""
    source = sparse(data.with_zeros_missing())
    common = whole(data.grid.shape).intersect(whole(shape))
    if common is None:
        return

    def read(box: Box) -> tuple[Sums, int, int]:
        values = read_present(source, box)
        if values is None:
            return ZERO, box.size, 0
        sums = box_sums(reading.elements(values), box.start)
        return add(sums, filled.of(box), -1), box.size, values.nbytes

    limit = _limit(data, pool)
    boxes = _slabs_within(data, common, limit)
    if data.is_shared:
        item = fixed_size(data.type) or _OBJECT_BYTES
        yield from pool.each(read, boxes, _COPIES * limit * item, None, 1 << 10)
    else:
        yield from map(read, boxes)


def _limit(data: ChunkSource, pool: ThreadPool) -> int:
    item = fixed_size(data.type) or _OBJECT_BYTES
    return max(1, min(pool.memory, LEAST_MEMORY) // 8 // item)


def _slabs_within(data: ChunkSource, box: Box, limit: int) -> Iterator[Box]:
    """Divide a box into parts of at most `limit` elements, on chunk borders where possible."""
    for slab in slabs(data.grid, limit):
        part = slab.intersect(box)
        if part is not None:
            yield part
