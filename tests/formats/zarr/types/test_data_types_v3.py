"""The data types of Zarr V3 and the dtypes of Zarr V2."""

from __future__ import annotations

import pytest

from ncz.errors import FormatError
from ncz.formats.zarr.types.data_types_v3 import data_type_of, dtype_of

TYPES = [
    ("bool", "|b1"), ("int8", "|i1"), ("uint64", "<u8"), ("float16", "<f2"), ("complex64", "<c8"),
    ({"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}}, "<U3"),
    ({"name": "null_terminated_bytes", "configuration": {"length_bytes": 5}}, "|S5"),
    ({"name": "raw_bytes", "configuration": {"length_bytes": 5}}, "|V5"),
    ({"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}}, "<M8[ns]"),
    ({"name": "numpy.timedelta64", "configuration": {"unit": "s", "scale_factor": 10}}, "<m8[10s]"),
    (
        {"name": "structured", "configuration": {"fields": [["a", "int16"], ["b", "float64"]]}},
        [["a", "<i2"], ["b", "<f8"]],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("data_type", "dtype"), TYPES, ids=str)
def test_data_types(data_type, dtype):
    assert dtype_of(data_type, "<") == dtype
    assert data_type_of(dtype) == data_type


def test_data_types_that_have_other_spellings():
    assert dtype_of("r24", "<") == "|V3"
    assert dtype_of("string", "<") == dtype_of({"name": "bytes"}, "<") == "|O"
    assert data_type_of("|O") == "string"
    assert data_type_of("|O", is_bytes=True) == "variable_length_bytes"
    assert dtype_of("int32", ">") == ">i4"
    for wrong in ("int33", "r12", {"name": "struct"}, 5, None, {"name": "raw_bytes"}):
        with pytest.raises(FormatError, match="is not known"):
            dtype_of(wrong, "<")
