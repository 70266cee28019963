"""Names of values, of enums and of CF's flags."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.commands.view.flags import flags_of, name_of_value, names_of_values
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic, Enumeration


def variable(nc_type: Any = Atomic.BYTE, **attributes: Any) -> Variable:
    found = [
        Attribute(
            name=name,
            type=Atomic.CHAR if isinstance(value, str) else Atomic.BYTE,
            values=(value,) if isinstance(value, str) else tuple(value),
        )
        for name, value in attributes.items()
    ]
    return Variable(name="v", type=nc_type, dimensions=(), attributes=tuple(found))


def named(flags: Variable, *values: float) -> list[str]:
    return [name_of_value(flags_of(flags), value) for value in values]


def test_values_have_names():
    found = variable(flag_meanings="land  sea ice", flag_values=[1, 2, 4])
    assert named(found, 1, 2, 3, 4, 1.5) == ["land", "sea", "", "ice", ""]


def test_each_bit_has_a_name():
    found = variable(flag_meanings="low warm", flag_masks=[1, 2])
    assert named(found, 0, 1, 2, 3, 4) == ["", "low", "warm", "low, warm", ""]


def test_masks_and_values():
    found = variable(flag_meanings="a b c", flag_masks=[1, 6, 6], flag_values=[1, 2, 4])
    assert named(found, 1, 2, 3, 4, 6) == ["a", "b", "a, b", "c", ""]


@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        ({"flag_meanings": "a b"}, []),
        ({"flag_values": [1]}, []),
        ({"flag_meanings": "a b", "flag_values": "1 2"}, []),
        ({"flag_meanings": "a b", "flag_values": [7]}, ["a"]),
        ({"flag_meanings": "a", "flag_values": [7, 8]}, ["a"]),
        ({"flag_meanings": "", "flag_values": [7]}, []),
    ],
)
def test_attributes_that_do_not_fit(attributes, wanted):
    assert [flag["name"] for flag in flags_of(variable(**attributes))] == wanted


def test_members_of_an_enum_and_values_that_occur():
    cloud = Enumeration(name="cloud", base=Atomic.BYTE, members=(("clear", 0), ("rain", 5)))
    values = np.array([5, np.nan, 5, 0, 9])
    assert names_of_values(values, variable(cloud)) == ("0 clear", "5 rain")
    assert names_of_values(values, variable()) == ()
