"""Colours from the least value to the largest.

Each of the first kind is brighter than the one before, so that a picture can be read without seeing
colours. Those of the second kind are brightest in the middle, which stands for zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.late import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


Color = tuple[int, int, int]
"""Red, green and blue, from 0 to 255."""

COLORMAPS: dict[str, tuple[Color, ...]] = {
    "dusk": (
        (40, 20, 90), (50, 60, 140), (40, 105, 150), (35, 145, 140), (60, 180, 115),
        (145, 210, 70), (250, 230, 60),
    ),
    "heat": (
        (20, 10, 25), (85, 20, 70), (150, 35, 75), (205, 70, 55), (240, 125, 45), (250, 185, 80),
        (252, 240, 185),
    ),
    "gray": ((20, 20, 20), (245, 245, 245)),
    "polar": (
        (25, 60, 130), (60, 115, 185), (135, 180, 220), (240, 240, 240), (230, 160, 130),
        (200, 85, 70), (125, 20, 45),
    ),
}  # fmt: skip
DIVERGING = ("polar",)
"""Colour maps whose middle is zero."""

STEPS = 255
"""Colours of a palette; in a PNG file one more is transparent, for missing values."""


def palette(name: str = "dusk", steps: int = STEPS) -> list[Color]:
    """Return the colours of a colour map, in equal steps."""
    anchors = COLORMAPS[name]
    colors = []
    for step in range(steps):
        place = step / max(1, steps - 1) * (len(anchors) - 1)
        number = min(int(place), len(anchors) - 2)
        part = place - number
        pairs = zip(anchors[number], anchors[number + 1], strict=True)
        red, green, blue = (round(a + (b - a) * part) for a, b in pairs)
        colors.append((red, green, blue))
    return colors


def extent(values: NDArray[np.float64], *, robust: bool = False) -> tuple[float, float]:
    """Return the least and the largest finite value; those of 96 % of them if `robust`."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    if robust:
        low, high = np.percentile(finite, [2, 98])
        return float(low), float(high)
    return float(finite.min()), float(finite.max())


def indices(
    values: NDArray[np.float64], low: float, high: float, steps: int = STEPS
) -> NDArray[np.uint8]:
    """Return the index of each value's colour; `steps` for missing values."""
    result = np.full(values.shape, steps, np.uint8)
    is_finite = np.isfinite(values)
    with np.errstate(all="ignore"):
        span = (high - low) or 1.0
        scaled = (values[is_finite] - low) / span * (steps - 1)
    result[is_finite] = np.clip(np.nan_to_num(scaled), 0, steps - 1).astype(np.uint8)
    return result
