"""Elements to values and back, for the types that are not numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.formats.zarr.types.dtypes import read_encoding
from ncz.formats.zarr.types.elements import disk_dtype, to_disk, to_values
from ncz.model.filters import make_filter
from tests.counted_calls import calls_of

RECORD = [
    ["a", "<i4"],
    ["s", "|S3"],
    ["u", ">U2"],
    ["m", [["x", "<i2", [2, 3]], ["t", "|S2", [2]]]],
]


def test_an_array_within_a_record_is_a_flat_tuple_and_reads_back():
    encoding = read_encoding(RECORD, nczarr=False)
    stored = np.zeros((2, 1), disk_dtype(encoding.stored_dtype))
    stored[1, 0] = (7, "é".encode(), "éa", ([[1, 2, 3], [4, 5, 6]], [b"xy", b"z"]))
    values = to_values(stored, encoding)
    assert values[1, 0] == (7, "é", "éa", ((1, 2, 3, 4, 5, 6), ("xy", "z")))
    np.testing.assert_array_equal(to_disk(values, encoding, "/v"), stored)


MISSING = [
    ("complex", "<c8", None, "{0, 0}, {0, 0}", "[[0.0, 0.0], [0.0, 0.0]]"),
    ("raw", "|V3", None, "0X000000, 0X000000", '["000000", "000000"]'),
    ("vlen", "|O", [{"id": "vlen-array", "dtype": "<i4"}], "{}, {}", "[[], []]"),
    (
        "pair",
        [["a", "<i4"], ["s", "|S3"], ["sub", [["x", "<i2", [2]]]]],
        None,
        "{0, NIL, {{0, 0}}}, {0, NIL, {{0, 0}}}",
        "[[0, null, [[0, 0]]], [0, null, [[0, 0]]]]",
    ),
]


@pytest.mark.parametrize(("name", "dtype", "filters", "cdl", "as_json"), MISSING)
def test_missing_chunks_without_a_fill_value_print_as_zeros(
    name, dtype, filters, cdl, as_json, tmp_path
):
    array = tmp_path / "a.zarr" / name
    array.mkdir(parents=True)
    (array.parent / ".zgroup").write_text('{"zarr_format": 2}')
    document = {"zarr_format": 2, "shape": [2], "chunks": [1], "dtype": dtype, "fill_value": None}
    document |= {"order": "C", "compressor": None, "filters": filters}
    (array / ".zarray").write_text(json.dumps(document))
    assert f" {name} = {cdl} ;" in ncz.dump(array.parent)
    assert f'"data": {as_json}' in ncz.dump(array.parent, view="json")


STRINGS = st.one_of(
    st.text("aé\0\ud800\udcff", max_size=3),
    st.binary(max_size=3),
    st.none(),
    st.integers(0, 9),
)


@given(st.one_of(st.lists(STRINGS), st.lists(st.text("ab\0")), st.lists(st.binary(max_size=3))))
def test_strings_are_read_together_as_one_by_one(elements):
    encoding = read_encoding("|O", nczarr=False, codecs=[make_filter("vlen-utf8")])
    one_by_one = [to_values(np.array([each], object), encoding)[0] for each in [*elements, 1]]
    stored = np.empty(len(elements) + 1, object)
    stored[:] = [*elements, 1]
    assert to_values(stored, encoding).tolist() == one_by_one
    assert to_values(stored[:-1], encoding).tolist() == one_by_one[:-1]


@pytest.mark.parametrize("stored", [b"Exeter", "Exeter"], ids=["bytes", "text"])
def test_no_function_is_called_for_each_string(stored):
    encoding = read_encoding("|O", nczarr=False, codecs=[make_filter("vlen-utf8")])
    few, many = (
        calls_of(to_values, np.array([stored] * count, object), encoding) for count in (10, 1000)
    )
    assert few == many
