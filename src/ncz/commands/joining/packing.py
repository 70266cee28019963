"""Pack the values of a joined variable again, in the range of all its values."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import Numbers
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, Values, dtype_of, fill_array
from ncz.model.filters import Filter
from ncz.model.grid import Index, whole
from ncz.model.tree import Storage, Variable
from ncz.model.types import Atomic
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.errors import Progress
    from ncz.parallel.threads import ThreadPool

_T = TypeVar("_T")

PACKED_TYPES = ("byte", "ubyte", "short", "ushort", "int", "uint")
"""Types of packed values."""


def each_chunk(
    source: ChunkSource | None, pool: ThreadPool, use: Callable[[Values], _T]
) -> Iterator[_T]:
    """Apply a function to the values of each chunk, and yield the results; each chunk is read once.

    Of chunks that are missing, it gets one fill value.
    """
    if source is None or not math.prod(source.grid.shape):
        return
    present = source

    def use_chunk(index: Index) -> _T:
        values = present.chunk(index)
        return use(fill_array((1,), present.type, present.fill) if values is None else values)

    indices = source.indices_in(whole(source.grid.shape))
    size = math.prod(source.grid.chunks) * (dtype_of(source.type).itemsize or 1)
    if source.is_shared:
        yield from pool.each(use_chunk, indices, 4 * size, result_cost=0)
    else:
        yield from map(use_chunk, indices)


def range_of(
    fqn: str, variable: Variable, numbers: Numbers, name: str, pool: ThreadPool, progress: Progress
) -> tuple[float, float]:
    """Return the least and the largest value of a variable, unpacked; infinities without values.

    Each chunk is read once. Raises `JoinError` for infinite values; `name` is the dataset's name.
    """

    def limits(values: Values) -> tuple[int, int, list[float]]:
        missing = numbers.missing(values)
        present = values if missing is None else values[~missing]
        signed = numbers.packing.to_signed(present)
        ends = [signed.min(), signed.max()] if signed.size else []
        unpacked = numbers.unpack(np.array(ends, signed.dtype).view(values.dtype))
        return values.size, values.nbytes, unpacked.tolist()

    low, high = math.inf, -math.inf
    for count, size, ends in each_chunk(variable.data, pool, limits):
        low, high = min(low, *ends, math.inf), max(high, *ends, -math.inf)
        progress.advance(fqn, count, size)
    if math.inf in (high, -low) and low <= high:
        raise JoinError(f"{fqn}: infinite values cannot be packed", name)
    return low, high


def with_headroom(low: float, high: float, percent: float) -> tuple[float, float]:
    """Return a range with space for other values: `percent` of its length at both ends."""
    if low > high:
        return low, high
    room = (high - low) * (percent / 100)
    return low - room, high + room


def packing_for(low: float, high: float, atomic: Atomic) -> tuple[float, float, float]:
    """Return the factor and the offset for a range, and the largest change of a value.

    The default fill value of the type, which is at one end of its range, marks missing data.
    """
    if low > high:  # all values are missing
        return 1.0, 0.0, 0.0
    first, last = atomic.limits
    steps = last - first - 1 if atomic.kind == "u" else 2 * last - 2
    if low == high:
        return 1.0, low, 0.0
    # The range of the smallest numbers would be rounded to a factor of 0, which unpacks nothing.
    scale = max(high / steps - low / steps, sys.float_info.min)
    offset = low if atomic.kind == "u" else low / 2 + high / 2
    return scale, offset, scale / 2 * 1.001 + 4 * math.ulp(max(abs(low), abs(high)))


def storage_as(storage: Storage, atomic: Atomic) -> Storage:
    """Return the storage of a variable that gets another type."""

    def resize(one: Filter) -> Filter:
        members = dict(one.configuration)
        for name in ("elementsize", "typesize"):
            if name in members:
                members[name] = atomic.size
        return Filter(tuple(members.items()))

    filters = None if storage.filters is None else tuple(map(resize, storage.filters))
    return replace(
        storage, filters=filters, fill=None, quantize=None, string_length=None, hdf5_filters=None
    )
