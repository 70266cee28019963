"""Lost digits are found exactly if the printed number differs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncz.model.types import Atomic
from ncz.text.format_values import Precision, default_format
from ncz.text.lost_digits import loses_digits
from ncz.text.number_rows import format_rows

DOUBLES = st.one_of(
    st.floats(),
    st.builds(lambda n, e: n * 10.0**e, st.integers(-(10**9), 10**9), st.integers(-30, 30)),
    st.integers(-(10**16), 10**16).map(float),
)


def comes_back(value: float, digits: int, dtype: str) -> bool:
    stored = np.array(value, dtype)
    back = np.array(float(f"{float(stored):.{digits}g}"), dtype)
    return bool(back == stored) or bool(np.isnan(stored))


@pytest.mark.parametrize(("dtype", "digits"), [("f4", 7), ("f8", 15)])
@given(values=st.lists(DOUBLES, min_size=1, max_size=4))
@example(values=[0.1, 273.15, 1e22, 1e-22])
@example(values=[273.15, 280.5])
@example(values=[273.15, 1 / 3])
@example(values=[0.1, 100.25, -3.5, 0.0])
@example(values=[1.7976931348623157e308])
@example(values=[5e-324, 2.0])
@example(values=[9007199254740993.0, 0.0])
def test_a_number_loses_digits_if_its_text_is_another(values, dtype, digits):
    with np.errstate(over="ignore"):
        array = np.array(values).astype(dtype)
        expected = not all(comes_back(value, digits, dtype) for value in array.tolist())
    assert loses_digits(array, digits) == expected
    nc_type = Atomic.FLOAT if dtype == "f4" else Atomic.DOUBLE
    told: list[bool] = []
    style = default_format(nc_type, Precision())
    format_rows(array.reshape(1, -1), nc_type, style, on_loss=lambda: told.append(True))
    assert bool(told) == expected
