"""Coastlines: their places, and their parts in windows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.views import coastlines as module
from ncz.views.coastlines import coastlines
from ncz.views.map_window import WORLD, Window


def points(window, detail=None):
    return np.concatenate([np.zeros((0, 2)), *coastlines(window, detail)])


@pytest.mark.parametrize(("detail", "most"), [("110m", 25_000), ("50m", 150_000)])
def test_the_files_are_small(detail, most):
    assert (Path(module.__file__).parent / "coast" / f"{detail}.bin").stat().st_size < most


@pytest.mark.parametrize("detail", ["coarse", "fine"])
@pytest.mark.parametrize(
    ("longitude", "latitude"),
    [(-5.7, 50.1), (18.5, -34.3), (-69.0, -52.4), (142.5, -10.8), (-156.7, 71.3)],
    ids=["Land's End", "Cape of Good Hope", "Strait of Magellan", "Cape York", "Point Barrow"],
)
def test_the_coast_is_where_capes_are(detail, longitude, latitude):
    near = points(WORLD, detail) - [longitude, latitude]
    assert np.hypot(*near.T).min() < (1.6 if detail == "coarse" else 0.35)


@pytest.mark.parametrize("detail", ["coarse", "fine"])
def test_the_edges_of_the_map_are_not_coasts(detail):
    for line in coastlines(WORLD, detail):
        steps = abs(np.diff(line, axis=0))
        assert steps[:, 0].max() < 15  # no line across the map
        is_edge = (abs(line[:-1, 0]) > 179.99) & (abs(line[1:, 0]) > 179.99)
        assert not is_edge.any()
        assert line[:, 1].min() > -89.9


def test_fine_lines_are_chosen_for_small_windows():
    small = Window(0.0, 50.0, 20.0, 60.0)
    assert len(points(small)) == len(points(small, "fine")) > len(points(small, "coarse"))
    assert len(points(WORLD)) == len(points(WORLD, "coarse"))


def test_longitudes_are_in_the_range_of_the_window():
    pacific = points(Window(0.0, -90.0, 360.0, 90.0), "coarse")
    atlantic = points(WORLD, "coarse")
    assert pacific[:, 0].min() >= 0
    assert pacific[:, 0].max() <= 360
    assert {tuple(p) for p in (pacific % [360, 1e9]).round(1).tolist()} >= {
        tuple(p) for p in (atlantic % [360, 1e9]).round(1).tolist() if 0.2 < p[0] < 359.8
    }
    fiji = points(Window(175.0, -20.0, 185.0, -15.0), "fine")
    assert (fiji[:, 0] > 180).any()
    assert (fiji[:, 0] < 180).any()


@given(
    st.floats(-500, 400), st.floats(-89, 80), st.floats(0.01, 300), st.floats(0.01, 90),
    st.sampled_from(["coarse", "fine"]),
)  # fmt: skip
def test_no_line_leaves_its_window_and_none_is_lost(west, south, width, height, detail):
    window = Window(west, south, west + width, min(90.0, south + height))
    lines = coastlines(window, detail)
    for line in lines:
        assert len(line) > 1
        assert (line >= np.array([window.west, window.south]) - 1e-9).all()
        assert (line <= np.array([window.east, window.north]) + 1e-9).all()
    length = sum(np.hypot(*np.diff(line, axis=0).T).sum() for line in lines)
    middle = west + width / 2
    halves = [
        coastlines(Window(a, window.south, b, window.north), detail)
        for a, b in ((window.west, middle), (middle, window.east))
    ]
    parts = sum(np.hypot(*np.diff(line, axis=0).T).sum() for half in halves for line in half)
    assert parts == pytest.approx(length, rel=1e-6, abs=1e-6)
