"""Numbers of another type."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import numbers_of
from ncz.commands.number_types.change import Change
from ncz.commands.number_types.type_conversion import change_type
from ncz.commands.option_error import OptionError
from ncz.model.types import Atomic
from tests.test_round_trip import parsed


def change(declaration: str, wanted: Atomic) -> Change | None:
    text = f"netcdf d {{ dimensions: x = 3 ; variables: {declaration} data: v = 1, 2, 3 ; }}"
    dataset = parsed(text.encode())
    variable, numbers = dataset.root.variables[0], numbers_of(dataset.root)["/v"]
    return change_type("/v", variable, numbers, wanted)


def converted(declaration: str, wanted: Atomic, *values: float) -> list[Any]:
    found = change(declaration, wanted)
    assert found is not None
    assert found.variable.type is wanted
    dtype = "f8" if declaration.startswith("double") else "i4"
    result: list[Any] = found.convert(np.array(values, dtype)).tolist()
    return result


def attributes(declaration: str, wanted: Atomic) -> dict[str, Any]:
    found = change(declaration, wanted)
    assert found is not None
    return {a.name: (a.type, a.values) for a in found.variable.attributes}


def test_the_same_type_is_no_change():
    assert change("int v(x) ;", Atomic.INT) is None


def test_floating_point_numbers_are_rounded():
    assert converted("double v(x) ;", Atomic.FLOAT, 0.1, -2) == [float(np.float32(0.1)), -2]
    assert math.isnan(converted("double v(x) ;", Atomic.FLOAT, math.nan)[0])
    with pytest.raises(JoinError, match="a value is too large for the type float"):
        converted("double v(x) ;", Atomic.FLOAT, 1e300)


def test_missing_data_stay_missing():
    text = "double v(x) ; v:_FillValue = 1e300 ; v:missing_value = -9. ;"
    fill = Atomic.FLOAT.default_fill
    found = attributes(text, Atomic.FLOAT)
    assert found["_FillValue"] == (Atomic.FLOAT, (fill,))  # it is too large for float
    assert converted(text, Atomic.FLOAT, 1, 1e300, -9) == pytest.approx([1, fill, fill])


def test_whole_numbers_are_converted_exactly_and_nan_becomes_the_mask():
    assert converted("double v(x) ;", Atomic.SHORT, 5, math.nan) == [5, -32767]
    assert attributes("double v(x) ;", Atomic.SHORT) == {"_FillValue": (Atomic.SHORT, (-32767,))}
    with pytest.raises(JoinError):
        converted("double v(x) ;", Atomic.SHORT, 1.5)
    assert converted("int v(x) ;", Atomic.DOUBLE, 5, -6) == [5, -6]


def test_attributes_of_values_have_the_new_type_and_others_stay():
    text = "double v(x) ; v:valid_min = 0.1 ; v:other = 0.1 ;"
    found = attributes(text, Atomic.FLOAT)
    assert found["valid_min"] == (Atomic.FLOAT, (float(np.float32(0.1)),))
    assert found["other"] == (Atomic.DOUBLE, (0.1,))


def test_packed_numbers_are_refused_with_a_hint():
    with pytest.raises(OptionError, match="/v, which is packed") as error:
        change("short v(x) ; v:scale_factor = 0.5 ;", Atomic.FLOAT)
    assert "--unpack" in str(error.value)
