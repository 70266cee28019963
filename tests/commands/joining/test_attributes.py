"""Attributes of datasets that are joined."""

from __future__ import annotations

import pytest

from ncz.commands.joining.attributes import (
    CommonAttributes,
    format_values,
    mask_attribute,
    of_type,
    owned_attributes,
    values_of,
)
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic
from tests.test_round_trip import parsed


def text(name: str, value: str) -> Attribute:
    return Attribute(name=name, type=Atomic.CHAR, values=(value,))


def test_attributes_that_differ_are_dropped_unless_they_are_fixed():
    first = (text("a", "1"), text("b", "1"))
    common = CommonAttributes(first)
    common.add((text("b", "2"), text("c", "3")))
    common.add((text("a", "1"),))
    assert common.dropped == {"b"}
    assert [a.name for a in common.agreeing_attributes(first, ())] == ["a", "c"]
    assert [a.name for a in common.agreeing_attributes(first, ("b",))] == ["a", "b", "c"]


def test_nan_is_equal_to_itself():
    nan = Attribute(name="a", type=Atomic.DOUBLE, values=(float("nan"),))
    common = CommonAttributes((nan,))
    common.add((nan,))
    assert not common.dropped


def test_groups_come_before_variables():
    text = b'netcdf d { variables: int v ; v:a = 1 ; :c = "d" ; group: g { :b = 2 ; } }'
    root = parsed(text).root
    owned = [(fqn, [a.name for a in attributes]) for fqn, attributes in owned_attributes(root)]
    assert owned == [("/", ["c"]), ("/g", ["b"]), ("/v", ["a"])]
    assert values_of(root.variables[0], "a") == (1,)
    assert values_of(root.variables[0], "x") == ()


@pytest.mark.parametrize(
    ("name", "nc_type", "values", "new", "found"),
    [
        ("valid_range", Atomic.BYTE, (-1, 5), Atomic.SHORT, (-1, 5)),
        ("_FillValue", Atomic.BYTE, (-1,), Atomic.FLOAT, (-1.0,)),
        ("units", Atomic.CHAR, ("K",), Atomic.SHORT, ("K",)),
        ("valid_min", Atomic.INT, (3,), Atomic.SHORT, (3,)),
    ],
)
def test_stored_numbers_get_the_new_type(name, nc_type, values, new, found):
    attribute = Attribute(name=name, type=nc_type, values=values)
    result = of_type(attribute, Atomic.BYTE, Atomic.BYTE, new)
    assert result.values == found
    assert result.type is (new if nc_type is Atomic.BYTE else nc_type)


def test_numbers_get_the_signs_that_they_had():
    attribute = Attribute(name="valid_max", type=Atomic.BYTE, values=(-1,))
    assert of_type(attribute, Atomic.BYTE, Atomic.UBYTE, Atomic.SHORT).values == (255,)


def test_a_mask_is_by_default_the_mask_of_the_type():
    assert mask_attribute(Atomic.SHORT).values == (-32767,)
    assert mask_attribute(Atomic.SHORT, 5).values == (5,)


@pytest.mark.parametrize(
    ("values", "found"), [(("a\0",), '"a"'), ((1, 2.5), "1, 2.5"), ((), ""), (None, "None")]
)
def test_values_in_messages(values: object, found: str):
    assert format_values(values) == found


def test_a_variable_without_attributes():
    assert values_of(Variable(name="v", type=Atomic.INT), "units") == ()
