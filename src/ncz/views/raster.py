"""Cells of curved grids and meshes, and points, on a picture of longitudes and latitudes.

Each function returns the number of the cell at each pixel. Work and memory are bounded by the size
of the picture and the number of cells, for any shapes of the cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.views.map_window import Window

    Numbers = NDArray[np.int32]
    Corners = NDArray[np.float64]

NOTHING = -1
"""The number of a pixel that no cell covers."""

_DENSE = 1.45
"""Samples of a cell for each pixel, along each of its two directions, so that none is missed."""

_LARGE = 48
"""Pixels of a cell that is filled as a polygon, instead of by samples."""

_WORK = 24
"""Samples for each pixel of a picture. Cells that need more because they overlap become points."""

_AT_ONCE = 1 << 20


@record
class Quads:
    """Quadrilaterals, and the number of the cell that each belongs to.

    `corners` has four longitudes and latitudes for each; the longitudes of one quadrilateral do not
    jump by 360 degrees.
    """

    corners: Corners
    numbers: Numbers

    def draw(self, window: Window, width: int, height: int) -> Numbers:
        """Return the number of the cell at each pixel, rows from north to south."""
        picture = np.full(height * width, NOTHING, np.int32)
        west, east = _ends(self.corners[:, :, 0])
        turn = np.floor((west - window.west) / 360)
        for shift in range(-1, math.ceil(window.width / 360)):
            moved = 360 * (shift - turn)
            is_seen = (west + moved < window.east) & (east + moved > window.west)
            corners = self.corners[is_seen]
            corners = corners + np.stack([moved[is_seen], 0 * moved[is_seen]], axis=1)[:, None, :]
            _fill(picture, _pixels(corners, window, width, height), self.numbers[is_seen], width)
        return picture.reshape(height, width)


@record
class Points:
    """Places without a shape. Each is a disc, which is large enough to be seen."""

    longitudes: NDArray[np.float64]
    latitudes: NDArray[np.float64]

    def draw(self, window: Window, width: int, height: int) -> Numbers:
        """Return the number of the nearest point at each pixel, rows from north to south."""
        picture = np.full((height, width), NOTHING, np.int32)
        east = window.west + np.mod(self.longitudes - window.west, 360.0)
        places = np.stack([east, self.latitudes], axis=-1)
        at = np.floor(_pixels(places, window, width, height))
        radius = self._radius(width, height)
        is_near = (at > -radius - 1).all(axis=1) & (at < np.array([width, height]) + radius).all(
            axis=1
        )
        numbers = np.flatnonzero(is_near).astype(np.int32)
        columns, rows = at[is_near].astype(int).T
        for down, across in _disc(radius):
            y, x = rows + down, columns + across
            is_inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
            picture[y[is_inside], x[is_inside]] = numbers[is_inside]
        return picture

    def _radius(self, width: int, height: int) -> int:
        """Return the radius of a disc in pixels: dense points touch, others are marks."""
        spacing = math.sqrt(width * height / max(1, self.longitudes.size))
        return int(min(max(0.6 * spacing, width / 400), width / 160)) if spacing > 1 else 0


Cells = Quads | Points


def _disc(radius: int) -> list[tuple[int, int]]:
    """Return the pixels of a disc, from the outermost to the middle."""
    span = range(-radius, radius + 1)
    pixels = [(y, x) for y in span for x in span if y * y + x * x <= radius * radius + radius]
    return sorted(pixels, key=lambda at: -(at[0] ** 2 + at[1] ** 2))


def _pixels(places: Corners, window: Window, width: int, height: int) -> Corners:
    """Return columns and rows of places, in pixels from the north-western corner."""
    scale = np.array([width / window.width, -height / window.height])
    pixels: Corners = (places - np.array([window.west, window.north])) * scale
    return pixels


def _fill(picture: Numbers, corners: Corners, numbers: Numbers, width: int) -> None:
    """Write the numbers of quadrilaterals into the pixels that they cover."""
    height = picture.size // width
    with np.errstate(invalid="ignore"):
        low, high = _ends(corners)
        is_seen = (high > 0).all(axis=1) & (low < np.array([width, height])).all(axis=1)
    corners, numbers, low, high = corners[is_seen], numbers[is_seen], low[is_seen], high[is_seen]
    is_large = (high - low).max(axis=1, initial=0) > _LARGE
    _fill_large(picture, corners[is_large], numbers[is_large], width)
    corners, numbers = corners[~is_large], numbers[~is_large]
    along = _halvings(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 3])
    across = _halvings(corners[:, 3] - corners[:, 0], corners[:, 2] - corners[:, 1])
    left = _WORK * picture.size
    for one, other, at in _alike(along, across):
        # The smallest cells are first. The others are filled as far as work permits.
        filled = max(0, left >> (one + other)) if one + other else len(at)
        left -= len(at) << (one + other) if one + other else 0
        for part, halvings in ((at[filled:], (0, 0)), (at[:filled], (one, other))):
            samples = 1 << halvings[0], 1 << halvings[1]
            for number in range(0, len(part), step := max(1, _AT_ONCE // math.prod(samples))):
                some = part[number : number + step]
                _scatter(picture, corners[some], numbers[some], *samples, width)


def _ends(corners: Corners) -> tuple[Corners, Corners]:
    """Return the least and the largest of the corners of each; faster than along an axis of 4."""
    one, other, third, fourth = (corners[:, n] for n in range(4))
    low = np.minimum(np.minimum(one, other), np.minimum(third, fourth))
    high = np.maximum(np.maximum(one, other), np.maximum(third, fourth))
    return low, high


def _halvings(one: Corners, other: Corners) -> NDArray[np.int64]:
    """Return the number of halvings of edges that bring their samples close to each other."""
    squares = np.maximum((one * one).sum(axis=1), (other * other).sum(axis=1))
    _, exponents = np.frexp(np.maximum(0.5, squares * _DENSE**2))
    return (np.maximum(exponents, 0) + 1) // 2


def _alike(
    along: NDArray[np.int64], across: NDArray[np.int64]
) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Yield the cells whose edges are halved equally often, by their number of samples."""
    most = 64
    kinds = along * most + across
    for kind in sorted(np.unique(kinds).tolist(), key=lambda kind: sum(divmod(kind, most))):
        yield *divmod(kind, most), np.flatnonzero(kinds == kind)


def _scatter(
    picture: Numbers, corners: Corners, numbers: Numbers, along: int, across: int, width: int
) -> None:
    """Write numbers at samples of quadrilaterals, between their corners."""
    u = ((np.arange(along) + 0.5) / along)[None, :, None, None]
    v = ((np.arange(across) + 0.5) / across)[None, None, :, None]
    a, b, c, d = (corners[:, n, None, None, :] for n in range(4))
    places = (1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * d + u * c)
    x, y = (np.floor(places[..., n]).astype(np.int64) for n in range(2))
    is_inside = (x >= 0) & (x < width) & (y >= 0) & (y < picture.size // width)
    each = np.broadcast_to(numbers[:, None, None], x.shape)
    picture[(y * width + x)[is_inside]] = each[is_inside]


def _fill_large(picture: Numbers, corners: Corners, numbers: Numbers, width: int) -> None:
    """Write the numbers of large quadrilaterals at the pixels whose middles are within."""
    height = picture.size // width
    rows = picture.reshape(height, width)
    left = _WORK * picture.size
    for shape, number in zip(corners, numbers, strict=True):
        low = np.clip(np.floor(shape.min(axis=0)), 0, [width, height]).astype(int)
        high = np.clip(np.ceil(shape.max(axis=0)), 0, [width, height]).astype(int)
        left -= int(np.prod(high - low))
        if left < 0:
            return
        x = np.arange(low[0], high[0])[None, :] + 0.5
        y = np.arange(low[1], high[1])[:, None] + 0.5
        is_inside = np.zeros((len(y), x.size), bool)
        for one, other in zip(shape, np.roll(shape, -1, axis=0), strict=True):
            if one[1] != other[1]:
                is_between = (one[1] <= y) != (other[1] <= y)
                crossing = one[0] + (y - one[1]) / (other[1] - one[1]) * (other[0] - one[0])
                is_inside ^= is_between & (x < crossing)
        rows[low[1] : high[1], low[0] : high[0]][is_inside] = number
