"""Parts of a map of longitudes and latitudes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray


@record
class Window:
    """A part of the map: its ends in degrees. Longitudes may be beyond -180 and 180."""

    west: float
    south: float
    east: float
    north: float

    @property
    def width(self) -> float:
        """The degrees from west to east."""
        return self.east - self.west

    @property
    def height(self) -> float:
        """The degrees from south to north."""
        return self.north - self.south

    def fit(self, width: int, height: int, tall: float = 1.0) -> tuple[int, int]:
        """Return the size of a picture that fits in another; a degree is as long in both ways.

        A pixel is `tall` times as high as wide.
        """
        scale = min(width / self.width, height * tall / self.height)
        return max(1, _up(self.width * scale)), max(1, _up(self.height * scale / tall))


def _up(number: float) -> int:
    return math.ceil(number - 1e-6)


WORLD = Window(-180.0, -90.0, 180.0, 90.0)

_GLOBAL = 240
"""Degrees of longitude that places need before the whole circle is shown."""

_SAME = 1e-9
"""Degrees between places that count as one; the turns of a longitude are rounded."""


def window_around(
    longitudes: NDArray[np.float64], latitudes: NDArray[np.float64], margin: float = 0.0
) -> Window | None:
    """Return the smallest window with all places; None without any.

    Parameters
    ----------
    longitudes, latitudes
        The places. NaN is left out.
    margin
        The part of the width and the height that is added on each side.
    """
    is_known = np.isfinite(longitudes) & np.isfinite(latitudes) & (abs(latitudes) <= 90)
    east, north = longitudes[is_known], latitudes[is_known]
    if not east.size:
        return None
    west, width = _arc(east)
    south, height = float(north.min()), float(np.ptp(north))
    across, down = (
        max(length * margin, 0.0 if length > _SAME else 0.5) for length in (width, height)
    )
    if margin:  # a line of places is not a picture without a height
        across, down = max(across, height / 8), max(down, width / 16)
    if width + 2 * across >= 360:
        west, width, across = (west if width >= 360 else -180.0), 360.0, 0.0
    return Window(
        west - across, max(-90.0, south - down), west + width + across,
        min(90.0, south + height + down),
    )  # fmt: skip


def _arc(longitudes: NDArray[np.float64]) -> tuple[float, float]:
    """Return the beginning of the shortest arc with all longitudes, and its length.

    It begins between -180 and 180. A long arc is a whole circle, from 0 if no longitude is negative
    and some are beyond 180, otherwise from -180.
    """
    turned = np.unique(np.mod(longitudes, 360.0))
    gaps = np.diff(turned, append=turned[0] + 360)
    widest = int(gaps.argmax())
    length = 360 - float(gaps[widest])
    if length > _GLOBAL:
        is_eastern = float(longitudes.min()) >= 0 and float(longitudes.max()) > 180
        return (0.0 if is_eastern else -180.0), 360.0
    west = float(turned[(widest + 1) % len(turned)])
    return west - 360 * math.floor((west + 180) / 360), length
