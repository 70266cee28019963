"""The fill values of Zarr V3 and of Zarr V2."""

from __future__ import annotations

import math

import pytest

from ncz.errors import FormatError
from ncz.formats.zarr.types.fill_values_v3 import fill_to_v2, fill_to_v3


def test_fill_values():
    assert math.isnan(fill_to_v2("0x7fc00000", "<f4"))
    assert fill_to_v2("0x3ff8000000000000", "<f8") == 1.5
    assert fill_to_v2("0x3e00", "<f2") == 1.5
    assert fill_to_v2(["0x3fc00000", "NaN"], "<c8") == [1.5, "NaN"]
    assert fill_to_v2([1, 2, 255], "|V3") == "AQL/"
    assert fill_to_v2({"a": 1, "b": "NaN"}, [["a", "<i2"], ["b", "<f8"]]) == [1, "NaN"]
    assert fill_to_v3(None, "<f4", 4) == 0.0
    assert fill_to_v3(None, "|V2", 2) == "AAA="
    assert fill_to_v3(None, "|O", 0) == ""
    assert fill_to_v3(math.inf, "<f4", 4) == "Infinity"
    for wrong, dtype, says in (
        ("0x12", "<f4", "does not have 4 bytes"),
        ("0xzzzzzzzz", "<f4", "does not have 4 bytes"),
        ([1, 300], "|V2", "is not a list of bytes"),
    ):
        with pytest.raises(FormatError, match=says):
            fill_to_v2(wrong, dtype)
