"""A map of values as a PNG picture, in colours from dark blue to yellow."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from ncz.views.color_scale import ColorScale
from ncz.views.colormaps import COLORMAPS, extent
from ncz.views.png import png

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_COLORS = ", ".join(f"rgb{color}" for color in COLORMAPS["dusk"].anchors)
GRADIENT = f"linear-gradient(90deg, {_COLORS})"
"""The colours in CSS, from left to right."""


def png_uri(values: NDArray[np.float64]) -> str:
    """Return a picture of the values as a data URI. The least and the largest get the end colours.

    Parameters
    ----------
    values
        Two dimensions, rows from top to bottom. NaN is transparent.
    """
    low, high = extent(values)
    scale = ColorScale(low=low, high=high)
    picture = png(scale.indices(values), scale.colors())
    return "data:image/png;base64," + b64encode(picture).decode()
