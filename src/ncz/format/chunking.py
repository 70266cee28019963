"""Chunk shapes for variables whose author chose none.

The rule is that of netcdf-c 4.10.1 (measured), so that both tools cut the same CDL in the same way:
one chunk up to 16 MiB, then equal cuts along all fixed dimensions; one record along an unlimited
dimension, 4 KiB where there is no other, and a square of 16 MiB where all are unlimited. Unlike
netcdf-c, ncz never exceeds 16 MiB by rounding a short dimension up to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ncz.model.tree import Dimension

LARGEST = 16 * 2**20
"""Bytes of the largest default chunk."""

LONE_RECORD = 4096
"""Bytes of the default chunk of a variable whose only dimension is unlimited."""

_POINTER = 8
"""Bytes that netcdf-c reckons for a string here, whatever its declared length."""


def default_chunks(dimensions: Sequence[Dimension], item_size: int) -> tuple[int, ...]:
    """The chunk shape over `dimensions` of elements of `item_size` bytes (0 for a string)."""
    size = item_size or _POINTER
    rank = len(dimensions)
    unlimited = sum(d.unlimited for d in dimensions)
    if rank == unlimited == 1:
        return (max(1, LONE_RECORD // size),)
    if rank == unlimited:
        return (max(1, int((LARGEST / size) ** (1 / rank))),) * rank if rank else ()
    record = size * math.prod(max(1, d.size) for d in dimensions if not d.unlimited)
    share = (LARGEST / record) ** (1 / (rank - unlimited))
    chunks = [1 if d.unlimited else _cut(max(1, d.size), share) for d in dimensions]
    while math.prod(chunks) * size > LARGEST and max(chunks) > 1:
        longest = chunks.index(max(chunks))
        chunks[longest] = -(-chunks[longest] // 2)
    return tuple(chunks)


def _cut(length: int, share: float) -> int:
    """About `share` of `length`, made a little smaller so that the last chunk is nearly full."""
    chunk = max(1, min(length, int(share * length - 0.5)))
    count = -(-length // chunk)
    return chunk - (count * chunk - length) // count
