"""Dimensions of time, height, latitude and longitude."""

from __future__ import annotations

import pytest

from ncz.model.axes import axes_of
from ncz.model.tree import Attribute, Dimension, Group, Variable
from ncz.model.types import Atomic


def group(name: str, *dimensions: str, **texts: str) -> Group:
    """Return a group with a dimension d and a variable of this name over these dimensions."""
    attributes = tuple(
        Attribute(name=key, type=Atomic.CHAR, values=(text,)) for key, text in texts.items()
    )
    variable = Variable(
        name=name, type=Atomic.INT, dimensions=dimensions or ("/d",), attributes=attributes
    )
    return Group(name="", dimensions=(Dimension(name="d", size=2),), variables=(variable,))


@pytest.mark.parametrize(
    ("texts", "axis"),
    [
        ({"axis": "y"}, "Y"),
        ({"standard_name": "grid_longitude"}, "X"),
        ({"units": "degrees_north"}, "Y"),
        ({"units": "degreesN"}, "Y"),
        ({"units": "degree_E\0"}, "X"),
        ({"units": "degreeE"}, "X"),
        ({"units": "days since 2000-01-01"}, "T"),
        ({"positive": "Down"}, "Z"),
        ({"units": "m", "positive": "left"}, None),
    ],
)
def test_a_coordinate_variable_decides_on_the_axis(texts, axis):
    assert axes_of(group("d", **texts)).get("/d") == axis


def test_other_variables_have_no_effect():
    assert axes_of(group("e", axis="T")) == {}
    assert axes_of(group("d", "/d", "/d", axis="T")) == {}


def test_a_common_name_is_enough():
    root = Group(name="", dimensions=(Dimension(name="Lat", size=2),))
    assert axes_of(root) == {"/Lat": "Y"}
