"""Parts of a map of longitudes and latitudes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncz.views.map_window import WORLD, Window, window_around

PLACES = st.lists(
    st.tuples(st.floats(-720, 720), st.floats(-90, 90) | st.just(float("nan"))), min_size=1
)


@given(PLACES, st.sampled_from([0.0, 0.05, 0.5]))
@example([(-1.1373783513996045, 0.0)], 0.0)
def test_all_places_are_in_the_window(places: list[tuple[float, float]], margin: float):
    lon, lat = map(np.array, zip(*places, strict=True))
    found = window_around(lon, lat, margin)
    is_known = np.isfinite(lat)
    if not is_known.any():
        assert found is None
        return
    assert found is not None
    assert 0 < found.width <= 360
    assert -90 <= found.south <= found.north <= 90
    assert found.south <= lat[is_known].min() + 1e-9  # numbers are rounded
    assert lat[is_known].max() - 1e-9 <= found.north
    east = np.mod(lon[is_known] - found.west + 1e-9, 360)
    assert (east <= found.width + 2e-9).all()


@pytest.mark.parametrize(
    ("longitudes", "wanted"),
    [
        ([170, -170], (170, 190)),
        ([350, 10], (-10, 10)),
        ([10, 350], (-10, 10)),
        ([-180, 180], (-180.5, -179.5)),
        ([0, 90, 180, 270], (0, 360)),
        ([-90, 0, 90, 180], (-180, 180)),
        ([530, 540], (170, 180)),
    ],
)
def test_the_shortest_arc_is_shown(longitudes: list[float], wanted: tuple[float, float]):
    found = window_around(np.array(longitudes, float), np.linspace(0, 5, len(longitudes)))
    assert found is not None
    assert (found.west, found.east) == wanted


@pytest.mark.parametrize(
    ("window", "size"),
    [
        (WORLD, (100, 50)),
        (Window(0, 0, 1, 10), (6, 60)),
        (Window(0, 0, 1000, 1e-6), (100, 1)),
    ],
)
def test_a_degree_is_as_long_in_both_ways(window: Window, size: tuple[int, int]):
    assert window.fit(100, 60) == size
    assert window.fit(100, 30, tall=2.0) == (size[0], -(-size[1] // 2))
