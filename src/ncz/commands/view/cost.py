"""The chunks that a picture needs, and the limit of their number."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from ncz.commands.view.error import ViewError
from ncz.errors import option
from ncz.model.data import ChunkSource
from ncz.model.grid import Box, Grid
from ncz.model.types import Atomic
from ncz.text.sizes import format_size

MOST_READ = 64 << 20
"""Bytes of chunks that are read for a picture, unless the user gives another limit."""


def chunks_at(grid: Grid, ranges: Sequence[range]) -> int:
    """Return the number of chunks that contain some indices, at most if they differ in length.

    Indices may extend beyond the grid.
    """
    within = [r[: bisect_left(r, n)] for r, n in zip(ranges, grid.shape, strict=True)]
    if not grid.size or not all(within):
        return 0
    box = Box(tuple(r[0] for r in within), tuple(r[-1] + 1 for r in within))
    pairs = zip(grid.ranges(box), within, strict=True)
    return math.prod(min(len(chunks), len(indices)) for chunks, indices in pairs)


def coarser(grid: Grid, ranges: Sequence[range], axes: Sequence[int], most: int) -> int | None:
    """Return the factor of steps along axes that needs few enough chunks; None without one.

    It is a power of two.
    """
    longest = max((len(ranges[axis]) for axis in axes), default=1)
    factor = 1
    while True:
        fewer = [r[::factor] if axis in axes else r for axis, r in enumerate(ranges)]
        if chunks_at(grid, fewer) <= most:
            return factor
        if factor >= longest:
            return None
        factor *= 2


def too_large(what: str, size: int, limit: int) -> str:
    """Return a message about a request that needs chunks of too many bytes."""
    return f"{what} {format_size(size)} of chunks, more than {format_size(limit)}"


def check_size(
    data: ChunkSource, ranges: Sequence[range], axes: Sequence[int], fqn: str, limit: int
) -> None:
    """Raise `ViewError` if too many chunks contain the indices, with a stride that needs fewer."""
    each = chunk_size(data)
    size = chunks_at(data.grid, ranges) * each
    if size <= limit:
        return
    whole = [range(data.grid.shape[n]) if n in axes else r for n, r in enumerate(ranges)]
    stride = coarser(data.grid, whole, axes, limit // max(1, each))
    raise large_picture(too_large("the picture needs", size, limit), fqn, size, stride)


def large_picture(text: str, fqn: str, size: int, stride: int | None) -> ViewError:
    """Return the error of a picture that needs too many bytes of chunks.

    `stride` needs fewer; None if none does.
    """
    part = "" if stride is None else f"{option('stride', stride)} for a part of them, or "
    return ViewError(text, fqn, f"use {part}{option('memory', size)}")


def chunk_size(data: ChunkSource) -> int:
    """Return the bytes of a decoded chunk."""
    chunk = data.grid.box((0,) * len(data.grid.shape)).shape
    return math.prod(chunk) * (data.type.size if isinstance(data.type, Atomic) else 1)
