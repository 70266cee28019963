"""Divide a variable into pieces of a largest size.

Each piece of a variable of maps has one member of an ensemble: its length is 1 along dimensions
other than longitude, latitude, time and height. Time series and maps are read equally well:
as long as a piece is too large, either the dimensions of a map or the others are divided further:
the ones that were divided less.

Source: the documentation of S3netCDF4, "File splitting algorithm".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from ncz.formats.piece_layout import Lengths
from ncz.model.grid import Shape

LARGEST = 50_000_000
"""Bytes of the largest piece, by default."""


def split(
    shape: Shape, axes: Sequence[str | None], item_size: int, largest: int = LARGEST
) -> Lengths:
    """Return the lengths of the pieces of an array.

    Parameters
    ----------
    shape
        The shape of the array.
    axes
        The kind of each dimension: "T", "Z", "Y", "X", or anything else.
    item_size
        Bytes of an element.
    largest
        Bytes of the largest piece.
    """
    has_maps = "X" in axes and "Y" in axes
    counts = [
        max(1, length) if has_maps and kind not in ("T", "Z", "Y", "X") else 1
        for length, kind in zip(shape, axes, strict=True)
    ]
    maps = [axis for axis, kind in enumerate(axes) if kind in ("X", "Y")]
    others = [axis for axis, kind in enumerate(axes) if kind not in ("X", "Y")]
    while math.prod(shape) * item_size > largest * math.prod(counts):
        candidates = [
            [axis for axis in group if counts[axis] < shape[axis]] for group in (maps, others)
        ]
        if not any(candidates):
            break
        is_map_next = math.prod(counts[axis] for axis in maps) <= _series(counts, axes)
        axes_to_split = candidates[0 if is_map_next else 1] or candidates[1 if is_map_next else 0]
        counts[min(axes_to_split, key=lambda axis: counts[axis])] += 1
    return tuple(map(_equal, shape, counts))


def _series(counts: Sequence[int], axes: Sequence[str | None]) -> int:
    """Return the number of divisions along time, or else along height, or another dimension."""
    for wanted in ("T", "Z"):
        if wanted in axes:
            return counts[axes.index(wanted)]
    others = [count for count, kind in zip(counts, axes, strict=True) if kind not in ("X", "Y")]
    return others[0] if others else math.prod(counts)


def _equal(length: int, count: int) -> tuple[int, ...]:
    """Return the lengths of nearly equal parts."""
    borders = [i * length // count for i in range(count + 1)]
    return tuple(b - a for a, b in itertools.pairwise(borders) if b > a)


def split_by(shape: Shape, names: Sequence[str], lengths: Mapping[str, int]) -> Lengths:
    """Return the lengths of pieces that have a given length along some dimensions.

    `names` are the names of the dimensions. Along the others, a piece is as long as the array.
    """
    return tuple(
        tuple(min(step, size - first) for first in range(0, size, step))
        for size, step in (
            (size, lengths.get(name) or max(size, 1))
            for size, name in zip(shape, names, strict=True)
        )
    )
