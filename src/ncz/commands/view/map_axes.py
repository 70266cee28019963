"""The part of the map that axes of longitudes and latitudes show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.commands.view.map_places import unwrap
from ncz.late import numpy as np
from ncz.views.map_window import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Degrees = NDArray[np.float64]

_EVEN = 1.02
"""The largest ratio of steps along an axis that is even."""

_MOST = 4
"""The most pixels for each value, along an axis with steps that differ."""


def axes_window(longitudes: Degrees, latitudes: Degrees) -> Window | None:
    """Return the part of the map that cells around coordinates cover.

    Cells at a pole may be half beyond it.
    Longitudes grow, but may begin again after 360 degrees; latitudes go in one direction.

    Returns
    -------
    Window or None
        None if the coordinates are in another order, or not on the map.
    """
    east = unwrap(longitudes)
    if not (np.isfinite(east).all() and np.isfinite(latitudes).all()) or not latitudes.size:
        return None
    steps = np.diff(latitudes)
    if not ((np.diff(east) > 0).all() and ((steps > 0).all() or (steps < 0).all())):
        return None
    if abs(latitudes).max() > 90.001 or east[-1] - east[0] > 360.001 or abs(east).max() > 720:
        return None
    across, down = _edges(east), _edges(latitudes)
    if not _is_even(latitudes):
        down = np.clip(down, -90, 90)
    south, north = sorted((float(down[0]), float(down[-1])))
    if north - south <= 0:
        return None
    return Window(float(across[0]), south, float(across[-1]), north)


def _is_even(middles: Degrees) -> bool:
    steps = abs(np.diff(middles))
    return not steps.size or float(steps.max()) <= _EVEN * float(steps.min())


def _edges(middles: Degrees) -> Degrees:
    """Return the edges of cells around their middles."""
    if middles.size == 1:
        return np.array([middles[0] - 0.5, middles[0] + 0.5])
    inner = (middles[1:] + middles[:-1]) / 2
    return np.concatenate([[2 * middles[0] - inner[0]], inner, [2 * middles[-1] - inner[-1]]])


def within_poles(values: Degrees, window: Window) -> tuple[Degrees, Window]:
    """Return values, rows from north to south, and the window, without parts beyond a pole."""
    if window.south >= -90 and window.north <= 90:
        return values, window
    inside = Window(window.west, max(-90.0, window.south), window.east, min(90.0, window.north))
    count = _MOST * len(values)
    latitudes = inside.north - (np.arange(count) + 0.5) / count * inside.height
    rows = ((window.north - latitudes) / window.height * len(values)).astype(int)
    return values[np.clip(rows, 0, len(values) - 1)], inside


def resample_evenly(
    values: Degrees, longitudes: Degrees, latitudes: Degrees, window: Window
) -> Degrees:
    """Return values, rows from north to south, so that a degree has the same length everywhere.

    Values on axes with even steps are returned unchanged.
    """
    east = unwrap(longitudes)
    columns = _places(east, window.west, window.east)
    rows = _places(latitudes, window.north, window.south)
    placed: Degrees = values[rows][:, columns]
    return placed


def _places(middles: Degrees, first: float, last: float) -> NDArray[np.int64]:
    """Return the index of the cell at each pixel between two ends."""
    edges = _edges(middles)
    edges[0], edges[-1] = first, last
    lengths = abs(np.diff(edges))
    if _is_even(middles):
        return np.arange(middles.size)
    count = min(_MOST * middles.size, round(abs(last - first) / max(1e-9, float(lengths.min()))))
    pixels = first + (np.arange(count) + 0.5) / count * (last - first)
    order = edges if edges[-1] > edges[0] else -edges
    pixels = pixels if edges[-1] > edges[0] else -pixels
    return np.clip(np.searchsorted(order, pixels, "right") - 1, 0, middles.size - 1)
