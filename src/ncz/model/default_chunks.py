"""Chunk shapes for variables whose author chose none.

`default_chunks` follows netcdf-c 4.10.1 (measured), so that both tools choose the same chunks:
one chunk up to 16 MiB, otherwise equal parts along all fixed dimensions. A chunk has one record
along an unlimited dimension, 4 KiB if that is the only dimension, and is a square of 16 MiB if
all are unlimited. Unlike netcdf-c, ncz never exceeds 16 MiB by rounding a short dimension up to
1.

With `balanced_chunks`, a time series at one place and a map at one time need about as many
chunks. Source: S3netCDF4's document, "File splitting algorithm".
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
"""Bytes of a string in netcdf-c's calculation, for any declared length."""


def default_chunks(
    dimensions: Sequence[Dimension], item_size: int, largest: int = LARGEST
) -> tuple[int, ...]:
    """Return the chunk shape over `dimensions` of elements of `item_size` bytes (0 for a string).

    `largest` is the bytes that a chunk may have.
    """
    size = item_size or _POINTER
    rank = len(dimensions)
    unlimited = sum(d.unlimited for d in dimensions)
    if rank == unlimited == 1:
        return (max(1, min(LONE_RECORD, largest) // size),)
    if rank == unlimited:
        return (max(1, int((largest / size) ** (1 / rank))),) * rank if rank else ()
    record = size * math.prod(max(1, d.size) for d in dimensions if not d.unlimited)
    share = (largest / record) ** (1 / (rank - unlimited))
    chunks = [1 if d.unlimited else _chunk_length(max(1, d.size), share) for d in dimensions]
    while math.prod(chunks) * size > largest and max(chunks) > 1:
        longest = chunks.index(max(chunks))
        chunks[longest] = -(-chunks[longest] // 2)
    return tuple(chunks)


def _chunk_length(length: int, share: float) -> int:
    """Return about `share` of `length`, made smaller until the last chunk is nearly full."""
    chunk = max(1, min(length, int(share * length - 0.5)))
    count = -(-length // chunk)
    return chunk - (count * chunk - length) // count


def balanced_chunks(
    lengths: Sequence[int], axes: Sequence[str | None], item_size: int, largest: int
) -> tuple[int, ...]:
    """Return a chunk shape of at most `largest` bytes for dimensions of these lengths.

    `axes` has the kind of each dimension: "T", "Y", "X", or anything else. A chunk has length 1
    along other dimensions, because neither a series nor a map needs more. Without "T", or without
    both "Y" and "X", the first dimension counts as time and the last two as the map.
    """
    roles = list(axes)
    if "T" not in roles or not {"X", "Y"} & set(roles):
        rank = len(roles)
        roles = [None] * rank
        roles[:1] = ["T"] * min(rank, 1)
        for axis, role in ((rank - 1, "X"), (rank - 2, "Y")):
            if axis > 0:
                roles[axis] = role
    limit = max(1, largest // (item_size or _POINTER))
    pieces = dict.fromkeys(("T", "Y", "X"), 1)
    total = {r: max(1, n) for n, r in zip(lengths, roles, strict=True) if r in pieces}

    def length(role: str) -> int:
        return -(-total.get(role, 1) // pieces[role])

    while math.prod(map(length, total)) > limit:
        if length("Y") * length("X") > 1 and (
            pieces["Y"] * pieces["X"] <= pieces["T"] or length("T") == 1
        ):
            first = "Y" if pieces["Y"] <= pieces["X"] else "X"
            split = first if length(first) > 1 else "X" if first == "Y" else "Y"
        else:
            split = "T"
        # The next number of pieces that makes a piece shorter.
        pieces[split] = -(-total[split] // (length(split) - 1))
    return tuple(length(r) if r in pieces and r is not None else 1 for r in roles)
