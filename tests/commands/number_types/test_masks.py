"""Missing data with another value."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.commands.joining.numbers import numbers_of
from ncz.commands.number_types.change import Change
from ncz.commands.number_types.masks import change_mask
from ncz.commands.option_error import OptionError
from tests.test_round_trip import parsed


def change(declaration: str, value: float) -> Change:
    text = f"netcdf d {{ dimensions: x = 3 ; variables: {declaration} data: v = 1, 2, 3 ; }}"
    dataset = parsed(text.encode())
    variable, numbers = dataset.root.variables[0], numbers_of(dataset.root)["/v"]
    return change_mask("/v", variable, numbers, value)


def test_missing_data_get_the_value_that_the_attribute_names():
    found = change("short v(x) ; v:_FillValue = 2s ; v:missing_value = 3s ; v:units = 'K' ;"
                   .replace("'", '"'), -99)  # fmt: skip
    attributes = {a.name: (a.type.word, a.values) for a in found.variable.attributes}  # type: ignore[union-attr]
    assert attributes == {"_FillValue": ("short", (-99,)), "units": ("char", ("K",))}
    assert found.convert(np.array([1, 2, 3], "i2")).tolist() == [1, -99, -99]


def test_nan_is_missing_in_floating_point_data():
    found = change("float v(x) ;", 1e20)
    (fill,) = found.variable.attributes
    assert fill.values == (float(np.float32(1e20)),)
    converted = found.convert(np.array([1, np.nan], "f4"))
    assert converted.tolist() == [1, float(np.float32(1e20))]


@pytest.mark.parametrize(
    ("declaration", "value"), [("byte v(x) ;", 300), ("short v(x) ;", 1.5), ("ubyte v(x) ;", -1)]
)
def test_a_value_that_the_type_does_not_have_is_refused(declaration: str, value: float):
    with pytest.raises(OptionError, match=f"/v cannot represent {value}, as its type is"):
        change(declaration, value)
