"""Refuse an index that selects more values than fit in memory, before any is read."""

from __future__ import annotations

import math

from ncz.api.values import numpy_dtype
from ncz.errors import NczError
from ncz.model.types import NcType
from ncz.parallel.memory import free_memory

_CHECKED = 256 << 20
"""Bytes of the smallest read that is compared with the free memory."""


class LargeReadError(NczError, MemoryError):
    """An index selects more values than fit in memory."""


def refuse_large(shape: tuple[int, ...], nc_type: NcType, location: str) -> None:
    """Raise `LargeReadError` if values need more memory than is free.

    Parameters
    ----------
    shape
        The shape of the values.
    nc_type
        Their type. Of strings, only the references to them are counted.
    location
        The variable, for messages.
    """
    size = math.prod(shape) * numpy_dtype(nc_type).itemsize
    if size < _CHECKED:
        return
    free = free_memory()
    if free is not None and size > free:
        from ncz.text.sizes import format_size

        raise LargeReadError(
            f"the index selects {format_size(size)}, and {format_size(free)} of memory are free",
            location,
            "read parts, such as v[:100]; ncz.copy and to_xarray(chunks={}) need less memory",
        )
