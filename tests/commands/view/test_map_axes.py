"""The part of the map that axes of longitudes and latitudes show."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.commands.view.map_axes import axes_window, resample_evenly, within_poles
from ncz.views.map_window import Window


def degrees(*numbers: float) -> np.ndarray:
    return np.array(numbers, "f8")


@pytest.mark.parametrize(
    ("longitudes", "latitudes", "window"),
    [
        (degrees(5, 15, 25), degrees(40, 50), (0, 35, 30, 55)),
        (degrees(5, 15, 25), degrees(50, 40), (0, 35, 30, 55)),
        (degrees(355, 5), degrees(0, 10), (350, -5, 370, 15)),
        (degrees(10), degrees(20), (9.5, 19.5, 10.5, 20.5)),
        (degrees(0, 180), degrees(-90, 0, 90), (-90, -135, 270, 135)),
        (degrees(0, 10), degrees(0, 60, 90), (-5, -30, 15, 90)),
    ],
)
def test_the_window_contains_the_cells_around_coordinates(longitudes, latitudes, window):
    assert axes_window(longitudes, latitudes) == Window(*window)


@pytest.mark.parametrize(
    ("longitudes", "latitudes"),
    [
        (degrees(20, 10), degrees(0, 10)),
        (degrees(0, 10), degrees(0, 20, 10)),
        (degrees(0, np.nan), degrees(0, 10)),
        (degrees(0, 10), degrees(80, 100)),
        (degrees(0, 10), degrees()),
        (degrees(0, 170, 340, 510), degrees(0, 10)),
    ],
)
def test_other_coordinates_have_no_window(longitudes, latitudes):
    assert axes_window(longitudes, latitudes) is None


def test_rows_beyond_a_pole_are_cut():
    values = degrees(1, 2, 3).reshape(3, 1)
    window = Window(0.0, -135.0, 10.0, 135.0)
    cut, inside = within_poles(values, window)
    assert inside == Window(0.0, -90.0, 10.0, 90.0)
    assert cut[:, 0].tolist() == [1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3]
    on_map = Window(0.0, -80.0, 10.0, 80.0)
    assert within_poles(values, on_map) == (values, on_map)


def test_values_between_uneven_latitudes_get_rows_in_proportion():
    values = degrees(1, 2, 3).reshape(3, 1)
    latitudes = degrees(50, 20, 10)
    placed = resample_evenly(values, degrees(5), latitudes, Window(0.0, 5.0, 10.0, 65.0))
    counts = [int((placed == value).sum()) for value in (1, 2, 3)]
    assert counts == [3, 2, 1]  # 30, 20 and 10 degrees
    even = resample_evenly(values, degrees(5), degrees(20, 10, 0), Window(0.0, -5.0, 10.0, 25.0))
    assert even.tolist() == values.tolist()
