"""Colour maps: colours from the least value to the largest.

Colours of a sequential map become steadily brighter, or steadily darker, so that a picture can be
read without seeing colours. A diverging map is as bright on both sides of its middle. A cyclic one
ends with the colour that it begins with, for directions and phases.

Source: viridis, plasma and magma are by Stéfan van der Walt, Nathaniel Smith and Eric Firing, who
gave them to the public domain (CC0). The others are made for ncz.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ncz.late import numpy as np
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray


Color = tuple[int, int, int]
"""Red, green and blue, from 0 to 255."""

ColormapName = Literal[
    "dusk", "heat", "gray", "viridis", "plasma", "magma", "ice", "rain", "leaf",
    "polar", "brown-teal", "purple-green", "compass", "daylight",
]  # fmt: skip
"""The names of colour maps."""

ColormapKind = Literal["sequential", "diverging", "cyclic"]


@record
class Colormap:
    """A colour map: its kind, colours in equal steps, and colours for terminals with 16."""

    kind: ColormapKind
    anchors: tuple[Color, ...]
    sixteen: tuple[int, ...]


COLORMAPS: dict[ColormapName, Colormap] = {
    "dusk": Colormap(
        "sequential",
        (
            (40, 20, 90), (50, 60, 140), (40, 105, 150), (35, 145, 140), (60, 180, 115),
            (145, 210, 70), (250, 230, 60),
        ),
        (4, 12, 6, 14, 10, 11),
    ),
    "heat": Colormap(
        "sequential",
        (
            (20, 10, 25), (85, 20, 70), (150, 35, 75), (205, 70, 55), (240, 125, 45),
            (250, 185, 80), (252, 240, 185),
        ),
        (0, 1, 9, 3, 11, 15),
    ),
    "gray": Colormap("sequential", ((20, 20, 20), (245, 245, 245)), (0, 8, 7, 15)),
    "viridis": Colormap(
        "sequential",
        (
            (68, 1, 84), (72, 36, 117), (65, 68, 135), (53, 95, 141), (42, 120, 142),
            (33, 145, 140), (34, 168, 132), (68, 191, 112), (122, 209, 81), (189, 223, 38),
            (253, 231, 37),
        ),
        (5, 4, 6, 2, 10, 11),
    ),
    "plasma": Colormap(
        "sequential",
        (
            (13, 8, 135), (65, 4, 157), (106, 0, 168), (143, 13, 164), (177, 42, 144),
            (204, 71, 120), (225, 100, 98), (242, 132, 75), (252, 166, 54), (252, 206, 37),
            (240, 249, 33),
        ),
        (4, 5, 13, 9, 3, 11),
    ),
    "magma": Colormap(
        "sequential",
        (
            (0, 0, 4), (20, 14, 54), (59, 15, 112), (100, 26, 128), (140, 41, 129),
            (183, 55, 121), (222, 73, 104), (247, 112, 92), (254, 159, 109), (254, 207, 146),
            (252, 253, 191),
        ),
        (0, 5, 13, 9, 11, 15),
    ),
    "ice": Colormap(
        "sequential",
        (
            (10, 12, 35), (30, 38, 85), (45, 70, 135), (60, 110, 165), (100, 150, 185),
            (155, 190, 205), (205, 222, 230), (245, 250, 252),
        ),
        (0, 4, 12, 6, 14, 15),
    ),
    "rain": Colormap(
        "sequential",
        (
            (250, 250, 240), (210, 232, 205), (155, 212, 190), (95, 185, 195), (55, 145, 190),
            (55, 100, 170), (65, 55, 135), (55, 15, 90),
        ),
        (15, 14, 6, 12, 4, 5),
    ),
    "leaf": Colormap(
        "sequential",
        (
            (250, 245, 220), (225, 222, 165), (185, 200, 115), (135, 175, 80), (85, 148, 60),
            (45, 115, 50), (20, 80, 45), (10, 48, 35),
        ),
        (15, 11, 10, 2, 8),
    ),
    "polar": Colormap(
        "diverging",
        (
            (25, 60, 130), (60, 115, 185), (135, 180, 220), (240, 240, 240), (230, 160, 130),
            (200, 85, 70), (125, 20, 45),
        ),
        (4, 12, 14, 15, 11, 9, 1),
    ),
    "brown-teal": Colormap(
        "diverging",
        (
            (90, 55, 15), (150, 100, 45), (205, 165, 110), (242, 242, 238), (120, 190, 180),
            (40, 128, 122), (0, 72, 68),
        ),
        (1, 3, 11, 15, 14, 6, 2),
    ),
    "purple-green": Colormap(
        "diverging",
        (
            (86, 42, 118), (140, 97, 170), (192, 163, 212), (243, 243, 243), (150, 190, 140),
            (75, 130, 75), (15, 75, 35),
        ),
        (5, 13, 7, 15, 10, 2, 8),
    ),
    "compass": Colormap(
        "cyclic",
        (
            (205, 75, 95), (185, 110, 30), (125, 135, 30), (45, 145, 90), (30, 140, 155),
            (75, 120, 205), (150, 95, 195), (200, 75, 155), (205, 75, 95),
        ),
        (9, 3, 2, 6, 12, 5, 9),
    ),
    "daylight": Colormap(
        "cyclic",
        (
            (30, 25, 60), (55, 70, 130), (95, 125, 165), (165, 180, 190), (240, 235, 220),
            (215, 170, 130), (175, 105, 85), (110, 50, 75), (30, 25, 60),
        ),
        (0, 4, 12, 15, 3, 1, 0),
    ),
}  # fmt: skip

STEPS = 255
"""Colours of a palette; in a PNG file one more is transparent, for missing values."""


def of_kind(kind: ColormapKind) -> tuple[ColormapName, ...]:
    """Return the names of the colour maps of a kind."""
    return tuple(name for name, one in COLORMAPS.items() if one.kind == kind)


def palette(name: ColormapName = "dusk", steps: int = STEPS) -> list[Color]:
    """Return the colours of a colour map, in equal steps."""
    anchors = COLORMAPS[name].anchors
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
    """Return the least and the largest finite value; of the middle 96 % if `robust`."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    if robust:
        low, high = np.percentile(finite, [2, 98])
        return float(low), float(high)
    return float(finite.min()), float(finite.max())
