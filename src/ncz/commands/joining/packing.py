"""Pack the values of a joined variable again, in the range of all its values."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import Numbers
from ncz.model.data import SLAB, ChunkSource, Values, read_box
from ncz.model.filters import Filter
from ncz.model.grid import slabs
from ncz.model.tree import Storage, Variable
from ncz.model.types import Atomic
from ncz.record import replace

PACKED_TYPES = ("byte", "ubyte", "short", "ushort", "int", "uint")
"""Types in which values can be packed."""


def read_slabs(source: ChunkSource | None) -> Iterator[Values]:
    """Yield all values of a source, in slabs of bounded size."""
    if source is not None:
        for box in slabs(source.grid, SLAB):
            yield read_box(source, box)


def widened_range(
    fqn: str, variable: Variable, numbers: Numbers, name: str, low: float, high: float
) -> tuple[float, float]:
    """Return the least and the largest of some limits and the values of a variable, unpacked.

    Raises `JoinError` for infinite values.
    """
    for values in read_slabs(variable.data):
        missing = numbers.missing(values)
        present = numbers.unpacked(values if missing is None else values[~missing])
        if present.size:
            low, high = min(low, float(present.min())), max(high, float(present.max()))
    if math.inf in (high, -low) and low <= high:
        raise JoinError(f"{fqn}: infinite values cannot be packed", name)
    return low, high


def packing_for(low: float, high: float, atomic: Atomic) -> tuple[float, float, float]:
    """Return the factor and the offset for a range, and how much a value can change at most.

    The default fill value of the type, which is at one end of its range, stands for missing data.
    """
    if low > high:  # all values are missing
        return 1.0, 0.0, 0.0
    first, last = atomic.limits
    steps = last - first - 1 if atomic.kind == "u" else 2 * last - 2
    if low == high:
        return 1.0, low, 0.0
    # A factor of 0, to which the range of the smallest numbers is rounded, would unpack nothing.
    scale = max(high / steps - low / steps, sys.float_info.min)
    offset = low if atomic.kind == "u" else low / 2 + high / 2
    return scale, offset, scale / 2 * 1.001 + 4 * math.ulp(max(abs(low), abs(high)))


def storage_as(storage: Storage, atomic: Atomic) -> Storage:
    """Return how a variable is stored that gets another type."""

    def resized(one: Filter) -> Filter:
        members = dict(one.configuration)
        for name in ("elementsize", "typesize"):
            if name in members:
                members[name] = atomic.size
        return Filter(tuple(members.items()))

    filters = None if storage.filters is None else tuple(map(resized, storage.filters))
    return replace(
        storage, filters=filters, fill=None, quantize=None, string_length=None, hdf5_filters=None
    )
