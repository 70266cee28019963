"""Values that a program gives, in the dtype of a variable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.api.dtype_conversion import represent

GIVEN: list[tuple[Any, str, Any]] = [
    ([1, 2], "i2", [1, 2]),
    ([1.0, -2.0], "i1", [1, -2]),
    ([True, False], "u1", [1, 0]),
    ([0.1], "f4", [np.float32(0.1)]),
    ([np.nan, np.inf], "f4", [np.nan, np.inf]),
    (2**40, "f4", np.float32(2**40)),
    ("é", "S2", "é".encode()),
    ([b"ab", b"c"], "S2", [b"ab", b"c"]),
]

LOST: list[tuple[Any, str, str]] = [
    ([1, 300], "i1", "300"),
    ([-1], "u4", "-1"),
    ([1, 1.5], "i4", "1.5"),
    ([np.nan], "i4", "nan"),
    ([1.0, 1e300], "f4", "1e.300"),
    (["a"], "f8", "<U1"),
    ([1j], "f8", "complex128"),
    (["ab", "abc"], "S2", "b'abc'.*stringtochar"),
    ("éé", "S3", "netCDF4.stringtochar"),
]


@pytest.mark.parametrize(("given", "dtype", "found"), GIVEN)
def test_values_that_the_dtype_has_are_kept(given: Any, dtype: str, found: Any):
    result = represent(given, np.dtype(dtype))
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, np.array(found, dtype))


@pytest.mark.parametrize(("given", "dtype", "message"), LOST)
def test_a_value_that_would_be_lost_is_refused_by_name(given: Any, dtype: str, message: str):
    with pytest.raises(TypeError, match=rf"cannot represent .*{message}"):
        represent(given, np.dtype(dtype))


def test_values_of_other_types_are_left_to_the_variable():
    given = np.array(["a", None], object)
    assert represent(given, np.dtype(object)) is given
