"""The colour scale of a picture, by the options and the values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.commands.option_error import OptionError
from ncz.commands.view.view_options import ViewOptions, given_range
from ncz.errors import option
from ncz.late import numpy as np
from ncz.views.color_scale import ColorScale
from ncz.views.colormaps import COLORMAPS, extent

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TURNS = {
    **dict.fromkeys(("degree", "degrees", "deg", "degree_true", "degrees_true", "degT"), 360.0),
    **dict.fromkeys(("radian", "radians", "rad"), math.tau),
}
"""A whole turn, by the units of a direction."""


def picture_scale(options: ViewOptions, values: NDArray[np.float64], units: str = "") -> ColorScale:
    """Return the scale of some values.

    The middle of a diverging colour map is zero, or one on a logarithmic scale, and a cyclic one is
    a whole turn if the units are units of an angle, unless both ends are given.

    Raises
    ------
    OptionError
        If a given range does not fit a logarithmic scale.
    """
    limits = given_range(options)
    colormap = options.colors
    kind = COLORMAPS[colormap].kind
    if options.log:
        _check_positive(options, limits)
        values = values[values > 0]
    low, high = extent(values, robust=options.range == "robust")
    if options.log and not values.size:
        low, high = 1.0, 10.0
    if kind == "diverging" and None in limits:
        low, high = _around_middle(low, high, is_log=options.log)
    elif kind == "cyclic" and None in limits and units in _TURNS and not options.log:
        turn = _TURNS[units]
        low, high = (-turn / 2, turn / 2) if low < 0 and high <= turn / 2 else (0.0, turn)
    low = low if limits[0] is None else limits[0]
    high = high if limits[1] is None else limits[1]
    low, high = sorted((low, high))
    return ColorScale(
        low=low, high=high, colormap=colormap, is_reversed=options.reverse, is_log=options.log
    )


def _check_positive(options: ViewOptions, limits: tuple[float | None, float | None]) -> None:
    if any(limit is not None and limit <= 0 for limit in limits):
        raise OptionError(
            f"{option('range')} {options.range!r} has no place on a logarithmic scale;"
            " its ends must be greater than 0"
        )


def _around_middle(low: float, high: float, *, is_log: bool) -> tuple[float, float]:
    """Return a range with as much on both sides of its middle."""
    if not is_log:
        far = max(abs(low), abs(high))
        return -far, far
    factor = max(high, 1 / low)
    return 1 / factor, factor


def scale_notes(options: ViewOptions, values: NDArray[np.float64]) -> tuple[str, ...]:
    """Return the number of values that a logarithmic scale leaves out, in one line or none."""
    count = int((values <= 0).sum()) if options.log else 0
    if not count:
        return ()
    what = "1 value of 0 or less is" if count == 1 else f"{count} values of 0 or less are"
    return (f"{what} missing on the logarithmic scale",)
