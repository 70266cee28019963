"""Places of the indices of an axis on a map."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.commands.view.map_places import quantity_of, steady_places
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic


def coordinate(name: str, **attributes: str) -> Variable:
    return Variable(
        name=name,
        type=Atomic.DOUBLE,
        attributes=tuple(
            Attribute(name=key, type=Atomic.CHAR, values=(value,))
            for key, value in attributes.items()
        ),
    )


@pytest.mark.parametrize(
    ("variable", "kind", "quantity"),
    [
        (coordinate("x", units="degrees_east"), "X", ("longitude", "degree")),
        (coordinate("lat"), "Y", ("latitude", "degree")),
        (coordinate("rlat", units="degrees"), "Y", ("degrees", "degree")),
        (coordinate("x", units="km"), "X", ("length", "km")),
        (coordinate("y", units="meters"), "Y", ("length", "m")),
        (coordinate("depth", units="m"), "Z", None),
        (coordinate("x"), "X", None),
        (coordinate("time", units="days since 2000-01-01"), "T", None),
    ],
)  # fmt: skip
def test_the_quantity_of_a_coordinate(variable, kind, quantity):
    assert quantity_of(variable, kind) == quantity


@pytest.mark.parametrize(
    ("numbers", "quantity", "places"),
    [
        ([0, 90, 180, 270], "longitude", [0, 90, 180, 270]),
        ([170, 175, 180, -175, -170], "longitude", [170, 175, 180, 185, 190]),
        ([355, 0, 5], "longitude", [355, 360, 365]),
        ([-170, -175, -180, 175], "longitude", [-170, -175, -180, -185]),
        ([90, 45, 0, -45, -90], "latitude", [90, 45, 0, -45, -90]),
        ([10, 30, 20], "longitude", None),
        ([10, np.nan, 30], "latitude", None),
        ([80, 90, 100], "latitude", None),
        ([5], "latitude", None),
        ([5, 5], "length", None),
    ],
)
def test_places_grow_or_fall_steadily(numbers, quantity, places):
    found = steady_places(np.array(numbers, "f8"), quantity)
    assert (None if found is None else found.tolist()) == places
