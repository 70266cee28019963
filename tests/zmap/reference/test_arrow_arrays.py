"""Arrays of Arrow that are made from buffers."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.zmap.reference.arrow_arrays import integer_array, text_array

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize(("dtype", "name"), [("i4", "int32"), ("i8", "int64")])
def test_numbers_have_their_dtype_and_nulls(dtype: str, name: str):
    values = np.array([1, -2, 3], dtype)
    found = integer_array(values, np.array([True, False, True]))
    found.validate(full=True)
    assert str(found.type) == name
    assert found.to_pylist() == [1, None, 3]
    assert integer_array(values).null_count == 0


@pytest.mark.parametrize(
    "values",
    [[b"a", None, b"", b"\xc3\xa9"], [None], [b""], [], [b"x"] * 9],
)
def test_texts_and_bytes_are_read_by_pyarrow(values: list[bytes | None]):
    for dtype in (pa.binary(), pa.string()):
        found = text_array(values, dtype)
        found.validate(full=True)
        texts = [v.decode() if v is not None and dtype == pa.string() else v for v in values]
        assert found.to_pylist() == texts
