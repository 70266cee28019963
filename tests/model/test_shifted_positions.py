"""Positions in a joined dataset."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.positions import PositionError
from ncz.model.shifted_positions import shift_positions
from tests.model.test_positions import dataset, ragged, values_of, variable


@given(st.data(), st.lists(st.integers(-1, 3), max_size=6), st.integers(4, 6))
def test_positions_in_a_joined_dataset(data, owners, count):
    offset = data.draw(st.integers(0, 3))
    source = ragged("indexed", [0] * 4, owners, len(owners))
    moved = shift_positions(source, "a.nc", {"/station": offset}, {"/station": count + offset})
    expected = [owner if owner < 0 else owner + offset for owner in owners]
    assert values_of(moved)["index"].tolist() == expected


def test_gathered_points_in_a_joined_dataset():
    source = dataset(
        variable("y", "y", np.arange(2)),
        variable("x", "x", np.arange(3)),
        variable("land", "land", [0, 2, 5], compress="y x"),
    )
    along_y = shift_positions(source, "a.nc", {"/y": 4, "/land": 1}, {"/y": 8, "/land": 9})
    assert values_of(along_y)["land"].tolist() == [12, 14, 17]
    along_x = shift_positions(source, "a.nc", {"/x": 1}, {"/x": 5})
    assert values_of(along_x)["land"].tolist() == [1, 3, 8]


def test_positions_that_the_type_cannot_represent():
    source = dataset(
        variable("name", "station", [0]),
        variable("index", "obs", np.zeros(1, "i1"), instance_dimension="station"),
    )
    shift_positions(source, "a.nc", {"/station": 127}, {"/station": 128})
    with pytest.raises(
        PositionError, match="the type byte cannot represent the positions of /index"
    ):
        shift_positions(source, "a.nc", {"/station": 128}, {"/station": 129})
