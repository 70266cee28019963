"""The places of the indices of an axis on a map: longitudes, latitudes, or lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.model.axes import is_latitude, is_longitude
from ncz.model.tree import Variable

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PLACES = 4096
"""Most indices whose places a page is given; those between are on a line."""

_DEGREES = ("degree", "degrees", "deg")
_LENGTHS = {
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometer", "kilometers"), "km"),
}


def quantity_of(coordinate: Variable, kind: str | None) -> tuple[str, str] | None:
    """Return the quantity of a horizontal coordinate, and its unit.

    Parameters
    ----------
    coordinate
        The coordinate variable of a dimension.
    kind
        The axis of CF, such as "X".

    Returns
    -------
    tuple of str, or None
        The quantity is "longitude", "latitude", "degrees" or "length". Axes with the same unit have
        steps of the same length. None for any other quantity.
    """
    if is_latitude(coordinate):
        return "latitude", "degree"
    if is_longitude(coordinate):
        return "longitude", "degree"
    units = coordinate.text("units").strip()
    if kind in ("X", "Y") and units.lower() in _DEGREES:
        return "degrees", "degree"  # of a rotated grid
    if kind in ("X", "Y") and units.lower() in _LENGTHS:
        return "length", _LENGTHS[units.lower()]
    return None


def unwrap(longitudes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return longitudes that continue beyond 180 or 360 where they begin again."""
    return np.unwrap(longitudes, period=360) if longitudes.size > 1 else longitudes


def steady_places(numbers: NDArray[np.float64], quantity: str) -> NDArray[np.float64] | None:
    """Return coordinates as places that grow or fall steadily; None if they do not.

    Longitudes continue beyond 180 or 360 where they begin again.
    """
    if numbers.size < 2 or not np.isfinite(numbers).all():
        return None
    places = unwrap(numbers) if quantity == "longitude" else numbers
    if quantity == "latitude" and abs(places).max() > 90:
        return None
    steps = np.diff(places)
    return places if (steps > 0).all() or (steps < 0).all() else None
