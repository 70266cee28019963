"""Elements to values and back, for the types that are not numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ncz
from ncz.formats.zarr.dtypes import read_encoding
from ncz.formats.zarr.elements import disk_dtype, to_disk, to_values

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
