"""Colour maps: their order in lightness, their kinds, and the scales that use them."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from ncz.views.color_scale import ColorScale
from ncz.views.colormaps import COLORMAPS, ColormapName, of_kind, palette

EVEN_STEPS = 255


def lightness(name: ColormapName) -> np.ndarray:
    """Return L* of CIE 1976 of each colour of a map."""
    parts = np.array(palette(name, EVEN_STEPS)) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    light = linear @ np.array([0.2126, 0.7152, 0.0722])
    found: np.ndarray = np.where(light > 0.008856, 116 * np.cbrt(light) - 16, 903.3 * light)
    return found


def test_there_are_maps_of_each_kind():
    assert tuple(COLORMAPS) == get_args(ColormapName)
    assert [len(of_kind(kind)) for kind in ("sequential", "diverging", "cyclic")] == [9, 3, 2]


@pytest.mark.parametrize("name", of_kind("sequential"))
def test_sequential_maps_become_steadily_brighter_or_darker(name):
    light = lightness(name)
    towards = np.sign(light[-1] - light[0])
    assert (towards * np.diff(light) > -0.4).all()  # colours are whole numbers
    assert abs(light[-1] - light[0]) > 65


@pytest.mark.parametrize("name", of_kind("diverging"))
def test_diverging_maps_are_as_bright_on_both_sides(name):
    light = lightness(name)
    assert abs(light - light[::-1]).max() < 4
    middle = EVEN_STEPS // 2
    assert light.argmax() == middle
    assert (np.diff(light[: middle + 1]) > -0.4).all()
    assert light[middle] - light[0] > 60


@pytest.mark.parametrize("name", of_kind("cyclic"))
def test_cyclic_maps_end_where_they_begin(name):
    colors = np.array(palette(name, EVEN_STEPS))
    assert colors[0].tolist() == colors[-1].tolist()
    steps = abs(np.diff(colors, axis=0)).max(axis=1)
    assert steps.max() <= 4  # no edge is seen in a field that turns slowly
    assert len({tuple(color) for color in colors.tolist()}) > 200


def test_reversed_scales_have_the_colours_in_the_opposite_order():
    scale, other = (
        ColorScale(low=0, high=1, colormap="heat", is_reversed=turned) for turned in (False, True)
    )
    assert scale.colors() == other.colors()[::-1]
    assert scale.sixteen == other.sixteen[::-1]


def test_a_logarithmic_scale_has_equal_steps_for_equal_ratios():
    scale = ColorScale(low=1, high=1000, is_log=True)
    values = np.array([1, 10, 100, 1000, 0, -5, np.nan, np.inf])
    parts = scale.parts(values)
    np.testing.assert_allclose(parts[:4], [0, 1 / 3, 2 / 3, 1])
    assert np.isnan(parts[4:]).all()
    assert scale.indices(values).tolist() == [0, 84, 169, 254, 255, 255, 255, 255]
