"""A map of values as a PNG picture, in colours from dark blue to yellow."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from ncz.views.colormaps import COLORMAPS, extent, indices, palette
from ncz.views.png import png

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


GRADIENT = f"linear-gradient(90deg, {', '.join(f'rgb{color}' for color in COLORMAPS['dusk'])})"
"""The colours in CSS, from left to right."""


def png_uri(values: NDArray[np.float64]) -> str:
    """Return a picture of the values as a data URI. The least and the largest get the end colours.

    Parameters
    ----------
    values
        Two dimensions, rows from top to bottom. NaN is transparent.
    """
    picture = png(indices(values, *extent(values)), palette())
    return "data:image/png;base64," + b64encode(picture).decode()
