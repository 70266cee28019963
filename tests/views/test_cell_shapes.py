"""Shapes of cells on the map."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.views.cell_shapes import face_cells, grid_cells, node_cells, wrap_longitudes


def area(corners: np.ndarray) -> np.ndarray:
    """Return the areas of polygons whose corners follow each other."""
    x, y = corners[..., 0], corners[..., 1]
    found: np.ndarray = abs((x * np.roll(y, -1, -1) - np.roll(x, -1, -1) * y).sum(-1)) / 2
    return found


def polygon(count: int, west: float, size: float) -> np.ndarray:
    """Return the corners of a regular polygon."""
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.stack([west + size * np.cos(angles), 10 + size * np.sin(angles)], axis=-1)


@given(st.integers(3, 9), st.integers(-200, 200), st.integers(0, 3))
def test_a_polygon_is_divided_without_rest(count: int, west: int, missing: int):
    shape = polygon(count, west, 5)
    row = np.full((2, count + missing, 2), np.nan)  # the second polygon has no corners
    row[0, :count] = shape
    numbers = np.tile(np.arange(count + missing), (2, 1))
    turned = wrap_longitudes(row[..., 0])
    faces = face_cells(turned, row[..., 1])
    nodes = node_cells(turned, row[..., 1], numbers)
    assert faces is not None
    assert nodes is not None
    assert set(faces.numbers.tolist()) == {0}
    assert sorted(nodes.numbers.tolist()) == list(range(count))
    for found in (faces, nodes):
        assert area(found.corners).sum() == pytest.approx(area(shape), rel=1e-9)
        assert np.ptp(found.corners[..., 0]) <= 10 + 1e-9


def test_the_cell_of_a_node_is_around_it():
    shape = polygon(4, 0, 5)
    found = node_cells(shape[None, :, 0], shape[None, :, 1], np.array([[7, 8, 9, 10]]))
    assert found is not None
    assert found.corners[:, 0] == pytest.approx(shape)
    assert found.corners[:, 2] == pytest.approx(np.tile(shape.mean(axis=0), (4, 1)))
    assert found.numbers.tolist() == [7, 8, 9, 10]


def test_two_corners_are_no_cell():
    lines = np.array([[0.0, 1.0]])
    assert face_cells(lines, lines) is None
    assert node_cells(lines, lines, np.array([[0, 1]])) is None


def test_cells_of_a_grid_meet_across_180_degrees():
    lon, lat = np.meshgrid([177.0, 179.0, -179.0], [0.0, 2.0])
    found = grid_cells(lon, lat)
    assert area(found.corners) == pytest.approx(np.full(6, 4))
    east = wrap_longitudes(found.corners[:, 1:3, 0].max(axis=1) - 180)
    assert east == pytest.approx([-2, 0, 2] * 2)


def test_cells_without_a_place_are_left_out():
    lon, lat = np.meshgrid([0.0, 2.0, 4.0], [60.0, 62.0])
    lon[0, 1] = np.nan
    found = grid_cells(lon, lat)
    assert found.numbers.tolist() == [0, 2, 3, 4, 5]
    assert area(found.corners) == pytest.approx(np.full(5, 4))


def test_the_cell_at_a_pole_is_as_wide_as_its_neighbours():
    found = face_cells(np.array([[0.0, 10.0, 77.0]]), np.array([[80.0, 80.0, 90.0]]))
    assert found is not None
    assert area(found.corners).sum() == pytest.approx(100)
