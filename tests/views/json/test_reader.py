"""JSON that is not valid, and the place that the error names."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.errors import CdlError
from ncz.model.data import fill_array, read_all
from ncz.model.tree import Dataset, walk
from ncz.model.types import Atomic
from ncz.views.json.reader import read_json
from tests.conftest import Run

HEAD = '{"format": "ncz-dataset", "version": 1, "name": "n"'
X = HEAD + ', "dimensions": {"x": {"size": 2}}, "variables": {"v": {"dimensions": ["/x"], '

WRONG = [
    (
        "{",
        "1:2: the text ends where a key in double quotes is expected;"
        " check whether it is truncated",
    ),
    ("{} x", "1:4: unexpected text after the end of the document; remove it"),
    ("{}", '1:1: the document has no member "format", which is required'),
    ('{"a": 1}', '1:2: unknown member "a" of the document'),
    ('{"format": "x"}', '1:12: unknown format "x"'),
    ('{"format": "ncz-dataset", "version": 2}', "1:38: version 2 is not supported"),
    (HEAD, "the text ends where a comma or } is expected; check whether it is truncated"),
    (HEAD + ', "name": ""}', '1:54: the member "name" is given twice'),
    (HEAD + ', "dimensions": []}', '1:68: "dimensions" must be an object'),
    (HEAD + ', "dimensions": {"a/b": {}}}', '1:69: "a/b" is not a valid name'),
    (
        HEAD + ', "dimensions": {"a": {"size": -1}}}',
        "1:83: a size must be a whole number, 0 or more",
    ),
    (HEAD + ', "variables": {"v": {"type": "real"}}}', '1:82: unknown type "real"'),
    (HEAD + ', "variables": {"v": {"type": []}}}', "1:82: a type must be a text"),
    (HEAD + ', "variables": {"v": {"type": "int", "dimensions": [[1]]}}}', "unknown dimension [1]"),
    (HEAD + ', "groups": {"g": 1}}', "1:70: group g must be an object"),
    (X + '"type": "int", "data": [1]}}}', "the lists do not have the shape of /v, [2]"),
    (X + '"type": "int", "data": [1, 2, 3]}}}', "the lists do not have the shape of /v, [2]"),
    (X + '"type": "int", "data": [[1], 2]}}}', "the lists do not have the shape of /v, [2]"),
    (X + '"type": "int", "data": [1, 2}}}', "this bracket is not closed; close it with ]"),
    (X + '"type": "int", "data": 1}}}', "the data of /v must be a list; the shape is [2]"),
    (X + '"type": "byte", "data": [1,\n 200]}}}', "2:2: 200 does not fit byte (-128 to 127)"),
    (X + '"type": "int", "data": [1, 2.5]}}}', "2.5 is not a whole number, and the type is int"),
    (X + '"type": "int", "data": [1, true]}}}', "True is not a whole number, and the type is int"),
    (X + '"type": "float", "data": [1, 1e39]}}}', "1e+39 is too large for float"),
    (X + '"type": "double", "data": [1, "a"]}}}', "'a' is not a number, and the type is double"),
    (X + '"type": "double", "data": [1, 01]}}}', "this is not valid JSON"),
    (X + '"type": "string", "data": ["a", 3]}}}', "3 is not text, and the type is string"),
    (X + '"type": "char", "data": "abc"}}}', "'abc' has 3 bytes, more than the 2 of a row"),
    (
        X + '"type": "int", "shape": [3]}}}',
        "the shape differs from the lengths of the dimensions, [2]",
    ),
    (
        X + '"type": "int", "storage": {"chunks": [1, 1]}}}}',
        '"chunks" must have one number per dimension: 1',
    ),
    (X + '"type": "int", "storage": {"codecs": [3]}}}}', "each codec must be an object"),
    (X + '"type": "int", "attributes": {"a": {"type": "int", "value": 1}}}}}', "a must be a list"),
    (
        X + '"type": "int", "attributes": {"_FillValue": {"type": "int", "value": []}}}}}',
        "_FillValue needs exactly one value",
    ),
    ('{"format": "\xff"}', "byte 0xff is not valid UTF-8"),
    ("{" * 100_000, "expected a key in double quotes"),
    ('{"a":' * 100_000, "the text is nested too deeply or too large for memory"),
    (
        X + '"type": "int", "data": [' + '{"a":' * 100_000 + "1" + "}" * 100_000 + ", 2]}}}",
        "this is nested too deeply",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=range(len(WRONG)))
def test_errors_name_their_place(text: str, message: str):
    data = text.encode("latin-1")
    with pytest.raises(CdlError) as raised:
        read_all_of(read_json(data, source="t"))
    assert message in str(raised.value)
    assert str(raised.value).startswith("t")


def read_all_of(dataset: Dataset) -> None:
    for _, group in walk(dataset.root):
        for variable in group.variables:
            if variable.data is not None:
                read_all(variable.data)


def test_a_variable_without_data_is_all_fill(tmp_path: Path, run: Run):
    text = X + '"type": "short"}}}'
    assert run("gen", "-", "-o", tmp_path / "s.zarr", stdin=text.encode()).code == 0
    assert " v = _, _ ;" in run("dump", tmp_path / "s.zarr").text
    assert fill_array((1,), Atomic.SHORT, -32767).tolist() == [-32767]
