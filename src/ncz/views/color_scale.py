"""The scale of a picture: the colour of each value, and its place on an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.record import record
from ncz.views.colormaps import COLORMAPS, STEPS, palette

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.views.colormaps import Color, ColormapName


@record(kw_only=True)
class ColorScale:
    """The values of the first and the last colour, and the colours between them.

    On a logarithmic scale equal ratios have equal steps, and values of zero and less are missing.
    """

    low: float
    high: float
    colormap: ColormapName = "dusk"
    is_reversed: bool = False
    is_log: bool = False

    def colors(self, steps: int = STEPS) -> list[Color]:
        """Return the colours from the first to the last one, in equal steps."""
        colors = palette(self.colormap, steps)
        return colors[::-1] if self.is_reversed else colors

    @property
    def sixteen(self) -> tuple[int, ...]:
        """The numbers of the colours on a terminal with 16."""
        numbers = COLORMAPS[self.colormap].sixteen
        return numbers[::-1] if self.is_reversed else numbers

    def parts(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the places of values between the first, 0, and the last, 1; NaN is missing."""
        with np.errstate(all="ignore"):
            low, high, numbers = np.float64(self.low), np.float64(self.high), values
            if self.is_log:
                numbers = np.where(values > 0, values, np.nan)
                low, high, numbers = np.log(low), np.log(high), np.log(numbers)
            low, high, halves = low / 2, high / 2, numbers / 2  # their distances are numbers
            return np.where(np.isfinite(numbers), (halves - low) / ((high - low) or 1.0), np.nan)

    def indices(self, values: NDArray[np.float64], steps: int = STEPS) -> NDArray[np.uint8]:
        """Return the index of each value's colour; `steps` for missing values."""
        result = np.full(values.shape, steps, np.uint8)
        parts = self.parts(values)
        is_known = np.isfinite(parts)
        result[is_known] = np.clip(parts[is_known] * (steps - 1), 0, steps - 1).astype(np.uint8)
        return result
