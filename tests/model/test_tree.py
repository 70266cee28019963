"""Names and look-ups in a dataset."""

from __future__ import annotations

import pytest

from ncz.model.data import MemoryArray
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Variable,
    attributes_of,
    base_name,
    dimensions_by_fqn,
    join,
    mask_of,
    parent,
    shape_of,
    walk,
)
from ncz.model.types import Atomic

INNER = Group(name="h", dimensions=(Dimension(name="x", size=5),))
OUTER = Group(name="g", groups=(INNER,), dimensions=(Dimension(name="x", size=3),))
ROOT = Group(dimensions=(Dimension(name="x", size=2, unlimited=True),), groups=(OUTER,))


def test_fully_qualified_names_are_joined_and_taken_apart():
    assert join("", "x") == join("/", "x") == "/x"
    assert join("/g/h", "x") == "/g/h/x"
    assert (parent("/g/h/x"), base_name("/g/h/x")) == ("/g/h", "x")
    assert (parent("/x"), base_name("/x")) == ("", "x")


def test_walk_gives_parents_first():
    assert [fqn for fqn, _ in walk(ROOT)] == ["", "/g", "/g/h"]


def test_a_shape_follows_the_dimensions_it_names():
    dimensions = dimensions_by_fqn(ROOT)
    variable = Variable(name="v", type=Atomic.INT, dimensions=("/x", "/g/x", "/g/h/x"))
    assert shape_of(variable, dimensions) == (2, 3, 5)
    assert shape_of(Variable(name="s", type=Atomic.INT), dimensions) == ()
    with pytest.raises(KeyError, match="/y"):
        shape_of(Variable(name="v", type=Atomic.INT, dimensions=("/y",)), dimensions)


def test_datasets_are_equal_by_structure_not_by_data():
    import numpy as np

    data = MemoryArray(np.zeros(2), Atomic.DOUBLE)
    one = Variable(name="v", type=Atomic.DOUBLE, dimensions=("/x",), data=data)
    other = Variable(name="v", type=Atomic.DOUBLE, dimensions=("/x",))
    assert Dataset(name="d", root=Group(variables=(one,))) == Dataset(
        name="d", root=Group(variables=(other,))
    )


def test_an_attribute_is_found_by_name():
    units = Attribute(name="units", type=Atomic.CHAR, values=("K",))
    variable = Variable(name="v", type=Atomic.INT, attributes=(units,))
    assert variable.attribute("units") is units
    assert variable.attribute("Units") is None


@pytest.mark.parametrize(
    ("name", "nc_type", "values", "mask"),
    [
        ("_FillValue", Atomic.INT, (7,), 7),
        ("_FillValue", Atomic.SHORT, (7,), None),
        ("_FillValue", Atomic.INT, (7, 8), None),
        ("missing_value", Atomic.INT, (7,), None),
    ],
)
def test_the_mask_is_one_fill_value_of_the_type(name, nc_type, values, mask):
    attribute = Attribute(name=name, type=nc_type, values=values)
    assert mask_of((attribute,), Atomic.INT) == mask


def test_attributes_have_the_name_of_their_node():
    def named(*names: str) -> tuple[Attribute, ...]:
        return tuple(Attribute(name=name, type=Atomic.INT, values=(1,)) for name in names)

    variable = Variable(name="v", type=Atomic.INT, attributes=named("a", "_FillValue", "b"))
    root = Group(attributes=named("_FillValue"), groups=(Group(name="g", variables=(variable,)),))
    assert [(fqn, attribute.name) for fqn, attribute in attributes_of(root)] == [
        ("", "_FillValue"),
        ("/g/v", "a"),
        ("/g/v", "b"),
    ]


@pytest.mark.parametrize(
    ("nc_type", "values", "text"),
    [
        (Atomic.CHAR, ("lat lon",), "lat lon"),
        (Atomic.CHAR, ("lat\0",), "lat"),
        (Atomic.CHAR, (" lat \0\0 ",), "lat"),
        (Atomic.CHAR, (), ""),
        (Atomic.STRING, ("lat",), "lat"),
        (Atomic.STRING, ("lat\0", "lon "), "lat lon"),
        (Atomic.STRING, (None, "lon"), "lon"),
        (Atomic.INT, (1,), ""),
    ],
)
def test_the_text_of_an_attribute(nc_type, values, text):
    attribute = Attribute(name="coordinates", type=nc_type, values=values)
    assert Variable(name="v", type=Atomic.INT, attributes=(attribute,)).text("coordinates") == text
