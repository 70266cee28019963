"""Cells on a picture: the same as a test of each pixel finds, for any shapes and sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ncz.views.cell_shapes import face_cells, grid_cells
from ncz.views.map_window import WORLD, Window, window_around
from ncz.views.raster import Points, Quads


def within(shape: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the mask of places within a convex polygon."""
    sides = []
    for one, other in zip(shape, np.roll(shape, -1, axis=0), strict=True):
        sides.append((other[0] - one[0]) * (y - one[1]) - (other[1] - one[1]) * (x - one[0]))
    return np.all(np.array(sides) > 1e-9, axis=0) | np.all(np.array(sides) < -1e-9, axis=0)


@given(
    st.integers(1, 9), st.integers(1, 9), st.floats(0, 6.3), st.floats(0.2, 40),
    st.integers(4, 90), st.integers(4, 90),
)  # fmt: skip
def test_a_pixel_has_the_cell_that_it_is_in(rows, columns, angle, step, width, height):
    assume(rows * columns > 1)
    y, x = np.mgrid[:rows, :columns] * step / max(rows, columns)
    east = x * np.cos(angle) - y * np.sin(angle) * 0.7
    north = x * np.sin(angle) + y * np.cos(angle) * 0.7
    quads = grid_cells(east, north)
    window = Window(-step, -step, step, step)
    found = quads.draw(window, width, height)
    pixel = np.array([window.width / width, window.height / height])
    middle_x = window.west + (np.arange(width) + 0.5) * pixel[0]
    middle_y = window.north - (np.arange(height) + 0.5) * pixel[1]
    at_x, at_y = np.meshgrid(middle_x, middle_y)
    for shape, number in zip(quads.corners, quads.numbers, strict=True):
        centre = shape.mean(axis=0)
        core = centre + (shape - centre) * 0.5
        size = np.ptp(shape, axis=0) / pixel
        if (size > 6).all():  # the core is farther from the edge than the width of a pixel
            assert (found[within(core, at_x, at_y)] == number).all()
    shapes = quads.corners
    low, high = shapes.min(axis=(0, 1)) - pixel, shapes.max(axis=(0, 1)) + pixel
    beyond = (at_x < low[0]) | (at_x > high[0]) | (at_y < low[1]) | (at_y > high[1])
    assert (found[beyond] == -1).all()


def test_a_globe_is_covered_however_it_is_turned():
    for first in (-180.0, 0.0, 73.0):
        east, north = np.meshgrid(first + np.arange(5, 360, 10.0), np.arange(-85, 90, 10.0))
        for shift in (0, 360, -360):
            found = grid_cells((east + shift + 180) % 360 - 180, north).draw(WORLD, 72, 36)
            assert (found >= 0).all()
            assert len(np.unique(found)) == east.size


def test_large_cells_are_filled_and_outside_of_the_window_costs_nothing():
    quads = grid_cells(*np.meshgrid(np.arange(-170, 180, 20.0), np.arange(-80, 90, 20.0)))
    found = quads.draw(Window(1.0, 1.0, 1.001, 1.001), 500, 400)
    assert len(np.unique(found)) == 1
    assert found[0, 0] >= 0


def test_work_is_bounded_if_all_cells_cover_the_picture():
    shapes = np.array([[-100.0, -50], [100, -50], [100, 50], [-100, 50]])
    count = 20_000
    for scale in (0.05, 1.0):  # by samples, and as polygons
        corners = np.repeat(shapes[None] * scale, count, axis=0)
        quads = Quads(corners, np.arange(count, dtype=np.int32))
        found = quads.draw(WORLD, 360, 180)
        assert (found[89:91, 178:182] >= 0).all()


def test_the_nearest_point_has_the_pixel():
    points = Points(np.array([10.0, 10.5, -170, 530]), np.array([0.0, 0, 40, 41]))
    found = points.draw(Window(-180, -90, 180, 90), 1800, 900)
    at_x, at_y = np.meshgrid(np.arange(-179.9, 180, 0.2), np.arange(89.9, -90, -0.2))
    distances = [
        np.hypot(at_x - x, at_y - y) for x, y in ((10, 0), (10.5, 0), (-170, 40), (170, 41))
    ]
    nearest = np.argmin(distances, axis=0)
    marked = found >= 0
    assert (found[marked] == nearest[marked]).mean() > 0.97
    assert set(found[marked].tolist()) == {0, 1, 2, 3}


@given(st.integers(3, 7), st.integers(0, 3), st.floats(1, 30))
def test_a_face_is_filled_for_any_number_of_corners(corners, unused, size):
    angles = np.arange(corners) / corners * 2 * np.pi
    east = np.concatenate([size * np.cos(angles), np.full(unused, np.nan)])[None]
    north = np.concatenate([size * np.sin(angles), np.full(unused, np.nan)])[None]
    cells = face_cells(east, north)
    assert cells is not None
    found = cells.draw(Window(-size, -size, size, size), 101, 101)
    area = corners / 2 * np.sin(2 * np.pi / corners) / 4
    assert (found >= 0).mean() == pytest.approx(area, abs=0.04)


@pytest.mark.parametrize("pole", [90.0, -90.0])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_faces_at_a_pole_reach_it_at_all_longitudes(pole, first):
    """The pole has one longitude, as a node of a mesh has; four triangles meet there."""
    faces = [[(17.0, pole), (west, pole * 0.8), (west + 90, pole * 0.8)]
             for west in (-180, -90, 0, 90)]  # fmt: skip
    corners = np.roll(np.array(faces), first, axis=1)
    corners[..., 0] = (corners[..., 0] + 180) % 360 - 180
    cells = face_cells(corners[..., 0], corners[..., 1])
    assert cells is not None
    found = cells.draw(WORLD, 72, 36)
    row = found[0] if pole > 0 else found[-1]
    assert row.tolist() == np.repeat([0, 1, 2, 3], 18).tolist()


@pytest.mark.parametrize(
    ("longitudes", "expected"),
    [
        ([10, 20, 30], (10, 30)), ([350, 10], (-10, 10)), ([170, -170], (170, 190)),
        ([-179, -60, 0, 90, 179], (-180, 180)), ([1, 100, 200, 300], (0, 360)),
        ([540, 550], (-180, -170)),
    ],
)  # fmt: skip
def test_a_window_is_the_shortest_arc(longitudes, expected):
    window = window_around(np.array(longitudes, "f8"), np.zeros(len(longitudes)))
    assert window is not None
    assert (window.west, window.east) == expected


def test_places_that_are_missing_have_no_window():
    assert window_around(np.array([np.nan]), np.array([1.0])) is None
