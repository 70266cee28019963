"""The shapes of cells on the map: of curved grids, and of the faces and nodes of meshes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.views.raster import Quads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Degrees = NDArray[np.float64]

MOST_QUADS = 1 << 21
"""Quadrilaterals that are drawn. The cells of larger meshes are points."""


def wrap_longitudes(differences: Degrees) -> Degrees:
    """Return differences of longitudes between -180 and 180."""
    turned: Degrees = np.mod(differences + 180.0, 360.0) - 180.0
    return turned


def grid_cells(longitudes: Degrees, latitudes: Degrees) -> Quads:
    """Return the cells of a curved grid around their middles.

    A corner is the mean of the four middles around it. At the edge of the grid, and next to cells
    without a place, a cell is as large as the distance to its neighbours.

    Parameters
    ----------
    longitudes, latitudes
        The middles of the cells, of two dimensions. NaN is a cell without a place.
    """
    middles = np.stack([longitudes, latitudes], axis=-1).astype("f8")
    is_zero = (middles == 0).all(axis=-1)
    if is_zero.sum() > 1:  # NEMO leaves cells out so
        middles[is_zero] = np.nan
    rows, columns = longitudes.shape
    padded = np.full((rows + 2, columns + 2, 2), np.nan)
    padded[1:-1, 1:-1] = middles

    @cache
    def toward(down: int, across: int) -> Degrees:
        """Return the steps from each cell to one of its neighbours."""
        found: Degrees = (
            padded[1 + down : 1 + down + rows, 1 + across : 1 + across + columns] - middles
        )
        found[..., 0] = wrap_longitudes(found[..., 0])
        return found

    along, upward = _half(toward(0, 1), -toward(0, -1)), _half(toward(1, 0), -toward(-1, 0))
    along, upward = (
        np.where(np.isnan(one), other[..., ::-1] * [1, -1], one)
        for one, other in ((along, upward), (upward, along))
    )
    corners = []
    for down, across in ((-1, -1), (-1, 1), (1, 1), (1, -1)):
        shared = (toward(down, 0) + toward(0, across) + toward(down, across)) / 4
        alone = across * along + down * upward
        corners.append(middles + np.where(np.isnan(shared).any(-1, keepdims=True), alone, shared))
    shapes = np.stack(corners, axis=2).reshape(-1, 4, 2)
    return _known_quads(shapes, np.arange(len(shapes), dtype=np.int32))


def _half(one: Degrees, other: Degrees) -> Degrees:
    """Return half of the mean of two steps, or half of the only known one."""
    return np.where(np.isnan(one), other, np.where(np.isnan(other), one, (one + other) / 2)) / 2


def face_cells(longitudes: Degrees, latitudes: Degrees) -> Quads | None:
    """Return polygons as cells; None if there are too many.

    Parameters
    ----------
    longitudes, latitudes
        The corners of each polygon in a row. NaN fills the rows of polygons with fewer corners.
    """
    polygons, counts = _with_poles(*_polygons(longitudes, latitudes)[:2])
    number, most = counts.shape[0], polygons.shape[1]
    if number * max(1, most // 2) > MOST_QUADS or most < 3:
        return None
    shapes, numbers = [], []
    for second in range(1, most - 1, 2):
        has_corner = np.flatnonzero(counts > second + 1)
        fourth = np.minimum(second + 2, counts[has_corner] - 1)
        parts = (polygons[has_corner, n] for n in (0, second, second + 1))
        shapes.append(np.stack([*parts, polygons[has_corner, fourth]], axis=1))
        numbers.append(has_corner.astype(np.int32))
    return _known_quads(np.concatenate(shapes), np.concatenate(numbers))


_POLE = 89.9999


def _with_poles(polygons: Degrees, counts: NDArray[np.int64]) -> tuple[Degrees, NDArray[np.int64]]:
    """Return polygons whose corner at a pole is two, as it has the longitudes of its neighbours."""
    number, most = counts.shape[0], polygons.shape[1]
    is_pole = _is_used(counts, most) & (abs(polygons[..., 1]) >= _POLE)
    at_pole = np.flatnonzero((is_pole.sum(axis=1) == 1) & (counts > 2))
    if not at_pole.size:
        return polygons, counts
    wider = np.concatenate([polygons, np.full((number, 1, 2), np.nan)], axis=1)
    sizes = counts[at_pole]
    first = is_pole[at_pole].argmax(axis=1)
    order = (first[:, None] + np.arange(most)) % sizes[:, None]
    turned = np.take_along_axis(polygons[at_pole], order[..., None], axis=1)
    turned[:, 1:, 0] = turned[:, 1:2, 0] + wrap_longitudes(turned[:, 1:, 0] - turned[:, 1:2, 0])
    rows = np.arange(len(at_pole))
    pole, last = turned[:, 0, 1], turned[rows, sizes - 1, 0]
    wider[at_pole, :most] = turned
    wider[at_pole, 0, 0] = turned[:, 1, 0]
    wider[at_pole, sizes] = np.stack([last, pole], axis=1)
    counts = counts.copy()
    counts[at_pole] += 1
    return wider, counts


def node_cells(longitudes: Degrees, latitudes: Degrees, nodes: NDArray[np.int64]) -> Quads | None:
    """Return the parts of polygons that are nearest to each of their corners, as its cell.

    Parameters
    ----------
    longitudes, latitudes, nodes
        The corners of each polygon in a row, and their numbers. NaN fills the rows of polygons with
        fewer corners.

    Returns
    -------
    Quads or None
        None if there are too many.
    """
    polygons, counts, order = _polygons(longitudes, latitudes)
    nodes = np.take_along_axis(nodes, order, axis=1)
    number, most = counts.shape[0], polygons.shape[1]
    if number * most > MOST_QUADS or most < 3:
        return None
    known = np.where(_is_used(counts, most)[..., None], polygons, 0.0)
    middle = known.sum(axis=1) / np.maximum(counts, 1)[:, None]
    shapes, numbers = [], []
    for corner in range(most):
        has_corner = np.flatnonzero(counts > corner)
        size = counts[has_corner]
        here = polygons[has_corner, corner]
        after = polygons[has_corner, (corner + 1) % size]
        before = polygons[has_corner, (corner - 1) % size]
        sides = [here, (here + after) / 2, middle[has_corner], (here + before) / 2]
        shapes.append(np.stack(sides, axis=1))
        numbers.append(nodes[has_corner, corner].astype(np.int32))
    return _known_quads(np.concatenate(shapes), np.concatenate(numbers))


def _is_used(counts: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    return np.arange(most)[None, :] < counts[:, None]


def _polygons(
    longitudes: Degrees, latitudes: Degrees
) -> tuple[Degrees, NDArray[np.int64], NDArray[np.int64]]:
    """Return polygons without jumps of longitude and with known corners first.

    Also return the number of known corners, and the order of the corners.
    """
    places = np.stack([longitudes, latitudes], axis=-1).astype("f8")
    is_known = np.isfinite(places).all(axis=-1)
    order = np.argsort(~is_known, axis=1, kind="stable")
    places = np.take_along_axis(places, order[..., None], axis=1)
    places[..., 0] = places[:, :1, 0] + wrap_longitudes(places[..., 0] - places[:, :1, 0])
    return places, is_known.sum(axis=1), order


def _known_quads(shapes: Degrees, numbers: NDArray[np.int32]) -> Quads:
    """Return the quadrilaterals whose corners are all known."""
    sums = sum(shapes[:, corner, axis] for corner in range(4) for axis in range(2))
    is_known = np.isfinite(sums)
    if not is_known.all():
        shapes, numbers = shapes[is_known], numbers[is_known]
    np.clip(shapes[..., 1], -90.0, 90.0, out=shapes[..., 1])
    return Quads(shapes, numbers)
