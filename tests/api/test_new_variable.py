"""Variables of new datasets: growing, packing and masking."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.api.new_variable import NewDimension, NewVariable
from ncz.model.types import Atomic


def variable(nc_type: Atomic = Atomic.INT, fill: Any = -1, **attributes: Any) -> NewVariable:
    over = [
        ("/t", NewDimension("t", 0, unlimited=True)),
        ("/x", NewDimension("x", 3, unlimited=False)),
    ]
    made = NewVariable("v", nc_type, over, fill)
    made.setncatts(attributes)
    return made


@pytest.mark.parametrize(
    ("index", "values", "length"),
    [
        (0, [1, 2, 3], 1),
        (4, 7, 5),
        (slice(None), np.ones((2, 3)), 2),
        (slice(3, None), np.ones((2, 3)), 5),
        (slice(0, 4), 7, 4),
        (slice(0, 7, 3), 7, 7),
        (slice(0, 8, 3), 7, 7),
        (slice(None, None, 2), np.ones((2, 3)), 3),
        (slice(0, 0), 7, 0),
        ([1, 5], np.ones((2, 3)), 6),
        ((2, 0), 7, 3),
        ((..., 1), [7, 7], 2),
        ((slice(None), 1), [7, 7], 2),
        (..., np.ones((2, 3)), 2),
        (slice(None), 7, 0),
    ],
)
def test_an_assignment_grows_the_unlimited_dimension(index, values, length):
    grown = variable()
    grown[index] = values
    assert grown.shape == (length, 3)
    assert len(grown) == length
    expected = np.full((length, 3), -1)
    expected[index] = values
    assert np.array_equal(grown[:], expected)


def test_earlier_records_stay():
    grown = variable()
    for number in range(20):
        grown[number] = number
    grown[25] = 25
    assert grown[:, 1].tolist() == [*range(20), *[-1] * 5, 25]


def test_indices_that_are_not_valid():
    made = variable()
    with pytest.raises(IndexError, match="v has 2 dimensions, and the index 3"):
        made[0, 0, 0] = 1
    with pytest.raises(TypeError, match="a scalar has no length"):
        len(NewVariable("s", Atomic.INT, (), None))


@pytest.mark.parametrize(
    ("nc_type", "fill", "expected"),
    [
        (Atomic.INT, None, Atomic.INT.default_fill),
        (Atomic.INT, False, Atomic.INT.default_fill),
        (Atomic.SHORT, 0, 0),
        (Atomic.STRING, None, ""),
    ],
)
def test_values_never_assigned(nc_type, fill, expected):
    made = variable(nc_type, fill)
    made[1] = ["a", "b", "c"] if nc_type is Atomic.STRING else 5
    assert made[0].tolist() == [expected] * 3
    masks = [a for a in made.record().attributes if a.name == "_FillValue"]
    assert [(a.type, a.values) for a in masks] == (
        [(nc_type, (0,))] if fill == 0 and fill is not False else []
    )


def test_packed_and_masked_values():
    made = variable(Atomic.SHORT, -9, scale_factor=0.5, add_offset=10)
    made[0] = np.ma.MaskedArray([10.0, 11.3, 12.0], [False, False, True])
    data = made.record().data
    assert data is not None
    (values,) = data.values_of([(0, 0)])
    assert values is not None
    assert values.tolist() == [[0, 3, -9]]
    assert made[0, :2].tolist() == [10.0, 11.5]


def test_attributes_are_members():
    made = variable()
    made.units = "m"
    assert made.getncattr("units") == made.units == made.attrs["units"] == "m"
    assert made.ncattrs() == ["_FillValue", "units"]
    made.delncattr("units")
    with pytest.raises(AttributeError, match="no attribute is named 'units'"):
        _ = made.units
    with pytest.raises(TypeError):
        made.setncattr("bad", object())
    assert "bad" not in made.attrs
