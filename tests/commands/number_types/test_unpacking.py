"""Numbers that are unpacked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.commands.joining.numbers import numbers_of
from ncz.commands.number_types.change import Change
from ncz.commands.number_types.unpacking import unpack
from ncz.model.types import Atomic
from tests.test_round_trip import parsed


def change(declaration: str) -> Change | None:
    text = f"netcdf d {{ dimensions: x = 3 ; variables: {declaration} data: v = 1, 2, 3 ; }}"
    dataset = parsed(text.encode())
    variable, numbers = dataset.root.variables[0], numbers_of(dataset.root)["/v"]
    return unpack(variable, numbers)


def found(declaration: str) -> Change:
    result = change(declaration)
    assert result is not None
    return result


def attributes(change: Change) -> dict[str, Any]:
    return {a.name: (a.type, a.values) for a in change.variable.attributes}


def test_numbers_that_are_not_packed_stay():
    assert change("short v(x) ;") is None
    assert change("short v(x) ; v:_FillValue = 1s ;") is None


@pytest.mark.parametrize(
    ("declaration", "nc_type", "values"),
    [
        ("short v(x) ; v:scale_factor = 0.5f ; v:add_offset = 10.f ;", Atomic.FLOAT, [10.5, 11]),
        ("short v(x) ; v:scale_factor = 0.5 ;", Atomic.DOUBLE, [0.5, 1]),
        ("int v(x) ; v:add_offset = -1.f ;", Atomic.DOUBLE, [0, 1]),
    ],
)
def test_the_type_of_factors_decides(declaration: str, nc_type: Atomic, values: list[float]):
    one = found(declaration)
    assert one.variable.type is nc_type
    assert not {"scale_factor", "add_offset"} & {*attributes(one)}
    assert one.convert(np.array([1, 2])).tolist() == values


def test_signs_follow_the_attribute_unsigned():
    one = found('byte v(x) ; v:_Unsigned = "true" ; v:scale_factor = 2.f ; v:valid_max = -1b ;')
    assert one.convert(np.array([-1, 1], "i1")).tolist() == [510, 2]
    assert attributes(one)["valid_max"] == (Atomic.FLOAT, (510,))
    assert "_Unsigned" not in attributes(one)


def test_missing_data_become_the_default_fill_value():
    one = found("short v(x) ; v:scale_factor = 0.5f ; v:_FillValue = -1s ;")
    fill = Atomic.FLOAT.default_fill
    assert attributes(one)["_FillValue"] == (Atomic.FLOAT, (fill,))
    assert one.convert(np.array([2, -1], "i2")).tolist() == pytest.approx([1, fill])


def test_limits_of_packed_numbers_are_unpacked_and_others_stay():
    text = "short v(x) ; v:scale_factor = 0.5f ; v:valid_range = 0s, 10s ; v:valid_min = 3.f ;"
    names = attributes(found(text))
    assert names["valid_range"] == (Atomic.FLOAT, (0, 5))
    assert names["valid_min"] == (Atomic.FLOAT, (3,))
