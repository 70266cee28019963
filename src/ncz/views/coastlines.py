"""Coastlines of the world, in a window of longitudes and latitudes.

The files in the folder ``coast`` are made by ``tools/coastlines.py`` from Natural Earth, which is
in the public domain. Each is compressed by zlib, and contains little-endian numbers of 16 bits: the
number of lines, the number of points of each, and then the low bytes and the high bytes of all
longitudes, and the same for all latitudes. Each point is a difference from the one before, modulo
2**16, in hundredths of a degree.
"""

from __future__ import annotations

import math
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ncz.late import numpy as np
from ncz.views.map_window import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

Detail = Literal["coarse", "fine"]

_FILES: dict[Detail, str] = {"coarse": "110m.bin", "fine": "50m.bin"}
_UNIT = 0.01
_FINE_BELOW = 100.0
"""Degrees of longitude of the widest window with fine lines."""


def coastlines(window: Window, detail: Detail | None = None) -> list[NDArray[np.float64]]:
    """Return the lines within a window; each has rows of a longitude and a latitude.

    Lines are cut at the edges of the window. Longitudes have the window's range, so that they may
    be greater than 180. Without `detail`, it follows from the size of the window.
    """
    points, has_next = _world(detail or ("fine" if window.width < _FINE_BELOW else "coarse"))
    first, last = points[:-1][has_next], points[1:][has_next]
    follows = np.concatenate([[False], (np.diff(np.flatnonzero(has_next)) == 1)])
    lines = []
    begin, end = (math.floor((edge + 180) / 360) for edge in (window.west, window.east))
    for turn in range(begin, end + 1):
        shift = np.array([360.0 * turn, 0.0])
        lines += _clip(first + shift, last + shift, follows, window)
    return lines


@cache
def _world(detail: Detail) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the points of all lines, and which of them but the last are joined to the next."""
    path = Path(__file__).parent / "coast" / _FILES[detail]
    data = zlib.decompress(path.read_bytes())
    count = int.from_bytes(data[:2], "little")
    lengths = np.frombuffer(data, "<u2", count, 2).astype(int)
    start, size = 2 + 2 * count, int(lengths.sum())
    planes = np.frombuffer(data, "u1", 4 * size, start).reshape(4, size).astype("<u2")
    moves = (planes[0::2] | planes[1::2] << 8).view("<i2")
    points = np.cumsum(moves, axis=1, dtype="i2").T * _UNIT
    has_next = np.ones(size, bool)
    has_next[np.cumsum(lengths) - 1] = False
    return points, has_next[:-1]


def _clip(
    first: NDArray[np.float64],
    last: NDArray[np.float64],
    follows: NDArray[np.bool_],
    window: Window,
) -> list[NDArray[np.float64]]:
    """Return the parts of segments within a window, joined where one follows another.

    The algorithm is by Liang and Barsky.
    """
    enter, leave = np.zeros(len(first)), np.ones(len(first))
    is_inside = np.ones(len(first), bool)
    span = last - first
    edges = ((0, window.west, window.east), (1, window.south, window.north))
    with np.errstate(divide="ignore", invalid="ignore"):
        for axis, low, high in edges:
            move, start = span[:, axis], first[:, axis]
            ends = np.stack([(low - start) / move, (high - start) / move])
            is_still = move == 0
            is_inside &= ~is_still | ((start >= low) & (start <= high))
            enter = np.where(is_still, enter, np.maximum(enter, ends.min(axis=0)))
            leave = np.where(is_still, leave, np.minimum(leave, ends.max(axis=0)))
    kept = np.flatnonzero(is_inside & (enter < leave))
    if not kept.size:
        return []
    begins = first[kept] + enter[kept, None] * span[kept]
    ends = first[kept] + leave[kept, None] * span[kept]
    is_joined = follows[kept] & (np.diff(kept, prepend=-2) == 1)
    is_joined[1:] &= (leave[kept[:-1]] == 1) & (enter[kept[1:]] == 0)
    breaks = np.flatnonzero(~is_joined[1:]) + 1
    pairs = zip(np.split(begins, breaks), np.split(ends, breaks), strict=True)
    least, most = (window.west, window.south), (window.east, window.north)
    return [np.clip(np.concatenate([one[:1], other]), least, most) for one, other in pairs]
