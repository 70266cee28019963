"""``dump --json`` and back: whole datasets, byte for byte, and values exactly.

``make test`` takes a part of the golden stores and of the random datasets.
"""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz.views.json_array
import ncz.views.json_writer
from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.cdl.reader import read_cdl
from ncz.commands.dump import DumpOptions, print_dataset
from ncz.commands.gen import GenOptions, create_from_text
from ncz.errors import CdlError, FormatError
from ncz.model.data import MemoryArray, fill_array, read_all
from ncz.model.tree import Dataset, Dimension, Group, Variable, dimensions_by_fqn, shape_of, walk
from ncz.model.types import Atomic
from ncz.views.json_reader import read_json
from ncz.views.json_writer import print_json
from ncz.zmap.location import parse_location
from tests import strategies
from tests.conftest import EXAMPLES, ROOT, Run
from tests.sampled import few_or_many, sampled, share_of

CASES = sorted(p for p in (ROOT / "tests/golden/netcdf-c").iterdir() if p.is_dir())
SCHEMA = ROOT / "docs" / "reference" / "json.schema.json"


def as_json(dataset: Dataset) -> bytes:
    out = io.BytesIO()
    print_json(dataset, out.write)
    return out.getvalue()


def as_cdl(dataset: Dataset) -> bytes:
    out = io.BytesIO()
    print_cdl(dataset, CdlOptions(special=True), out.write)
    return out.getvalue()


def strict(text: bytes) -> Any:
    """The document, as a reader has it that knows no NaN and no member twice."""

    def no_constant(word: str) -> None:
        raise AssertionError(word)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    return json.loads(text, parse_constant=no_constant, object_pairs_hook=once)


def without_data(group: Group) -> Group:
    return replace(
        group,
        variables=tuple(replace(v, data=None) for v in group.variables),
        groups=tuple(without_data(g) for g in group.groups),
    )


def assert_same(first: Dataset, second: Dataset) -> None:
    """All that was declared is the same, and so is every value."""
    assert repr(without_data(first.root)) == repr(without_data(second.root))
    dimensions = dimensions_by_fqn(first.root)
    for (_, ours), (_, theirs) in zip(walk(first.root), walk(second.root), strict=True):
        for a, b in zip(ours.variables, theirs.variables, strict=True):
            shape = shape_of(a, dimensions)
            if a.data is None or 0 in shape:
                continue
            assert b.data is not None
            left, right = read_all(a.data), read_all(b.data)
            assert left.dtype == right.dtype
            assert left.shape == right.shape
            np.testing.assert_array_equal(left, right)


@few_or_many(20, 200)
def test_a_dataset_is_the_same_when_read_back(examples: int):
    @given(strategies.datasets())
    @settings(max_examples=examples)
    def holds(dataset: Dataset) -> None:
        text = as_json(dataset)
        strict(text)
        again = read_json(text, source="t")
        assert_same(dataset, again)
        assert as_json(again) == text

    holds()


@given(strategies.datasets(), st.integers(1, 40), st.data())
@settings(max_examples=share_of(100))
def test_blocks_of_any_size_give_the_same_values(dataset: Dataset, size: int, data: Any):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ncz.views.json_array, "BLOCK", size)
        again = read_json(as_json(dataset), source="t")
        assert_same(dataset, again)
        for _, group in walk(again.root):
            for variable in group.variables:
                source = variable.data
                if source is None:
                    continue
                chunks = tuple(data.draw(st.integers(1, 4)) for _ in source.grid.shape)
                rechunk: Any = getattr(source, "rechunked")(chunks)  # noqa: B009
                whole = read_all(source)
                for index in rechunk.grid.indices():
                    box = rechunk.grid.box(index)
                    part = whole[box.slices] if index else whole
                    np.testing.assert_array_equal(rechunk.chunk(index), part)


@given(st.lists(st.floats(width=32), min_size=1, max_size=30))
def test_floats_have_the_fewest_digits_that_give_them_again(numbers: list[float]):
    values = np.array(numbers, np.float32)
    text = as_json(one_variable(values, Atomic.FLOAT))
    given_again = read_json(text, source="t").root.variables[0].data
    assert given_again is not None
    assert (
        read_all(given_again).tobytes()
        == np.where(np.isnan(values), np.float32("nan"), values).tobytes()
    )
    for number, told in zip(values, strict(text)["variables"]["v"]["data"], strict=True):
        if np.isfinite(number):
            assert f"{told:.8e}" == f"{float(str(number)):.8e}"


def one_variable(values: Any, nc_type: Atomic) -> Dataset:
    dimensions = tuple(Dimension(name=f"d{i}", size=n) for i, n in enumerate(values.shape))
    variable = Variable(
        name="v",
        type=nc_type,
        dimensions=tuple(f"/{d.name}" for d in dimensions),
        data=MemoryArray(values, nc_type),
    )
    return Dataset(name="one", root=Group(dimensions=dimensions, variables=(variable,)))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_is_the_same_when_read_back(path: Path):
    dataset = read_cdl(path.read_bytes(), source=path.name)
    again = read_json(as_json(dataset), source="t")
    assert as_cdl(again) == as_cdl(dataset)


@pytest.mark.parametrize("case", sampled(CASES, 4), ids=lambda p: p.name)
def test_every_golden_store_is_made_from_json_as_from_cdl(case: Path, tmp_path: Path):
    stores = [p for p in case.iterdir() if p.name.startswith("store")]
    if not stores:
        pytest.skip("has no store")
    made = []
    for view in ("json", "cdl"):
        out = io.BytesIO()
        print_dataset(
            parse_location(str(stores[0])),
            DumpOptions(view=view, cdl=CdlOptions(special=view == "cdl")),
            out.write,
        )
        target = tmp_path / view
        create_from_text(
            GenOptions(source=io.BytesIO(out.getvalue()), target=parse_location(str(target)))
        )
        out = io.BytesIO()
        print_dataset(
            parse_location(str(target)),
            DumpOptions(cdl=CdlOptions(name="n", special=True)),
            out.write,
        )
        made.append(out.getvalue())
    assert made[0] == made[1]


EXPECTED = """{
  "format": "ncz-dataset",
  "version": 1,
  "name": "small",
  "dimensions": {
    "time": {"size": 2, "unlimited": true},
    "x": {"size": 3},
    "none": {"size": 0}
  },
  "variables": {
    "a": {
      "type": "float",
      "dimensions": ["/time", "/x"],
      "shape": [2, 3],
      "attributes": {
        "units": {"type": "char", "value": "K"},
        "_FillValue": {"type": "float", "value": [-1.0]}
      },
      "storage": {"fill": -1.0},
      "data": [
        [1.0, 2.5, -1.0],
        ["NaN", "Infinity", 0.1]
      ]
    },
    "e": {
      "type": "int",
      "dimensions": ["/none"],
      "shape": [0],
      "attributes": {},
      "storage": {"fill": -2147483647},
      "data": []
    }
  },
  "attributes": {},
  "groups": {
    "g": {
      "dimensions": {},
      "variables": {
        "s": {
          "type": "string",
          "dimensions": ["/time"],
          "shape": [2],
          "attributes": {},
          "storage": {"fill": ""},
          "data": ["é \\"q\\"\\n", null]
        },
        "c": {
          "type": "char",
          "dimensions": ["/time", "/x"],
          "shape": [2, 3],
          "attributes": {},
          "storage": {"fill": "\\u0000"},
          "data": ["ab", "\\udcff"]
        },
        "scalar": {
          "type": "int64",
          "dimensions": [],
          "shape": [],
          "attributes": {},
          "storage": {"fill": -9223372036854775806},
          "data": 9223372036854775807
        }
      },
      "attributes": {
        "many": {"type": "string", "value": ["one", null]}
      },
      "groups": {}
    }
  }
}
"""
SMALL = rb"""netcdf small {
dimensions: time = UNLIMITED ; x = 3 ; none = 0 ;
variables:
  float a(time, x) ; a:units = "K" ; a:_FillValue = -1.f ;
  int e(none) ;
data:
  a = 1, 2.5, _, NaN, Infinity, 0.1 ;
group: g {
variables:
  string s(time) ; char c(time, x) ; int64 scalar ;
  string :many = "one", NIL ;
data:
  s = "\303\251 \"q\"\n", NIL ; c = "ab", "\377" ; scalar = 9223372036854775807 ;
} }"""


def test_what_is_written_can_be_read_by_eye():
    assert as_json(read_cdl(SMALL, source="t")).decode() == EXPECTED


def test_without_data(tmp_path: Path, run: Run):
    store = tmp_path / "s.zarr"
    assert run("gen", "-", "-o", store, stdin=SMALL).code == 0
    header = strict(run("dump", "--json", "-h", store).stdout)
    assert "data" not in header["variables"]["a"]
    chosen = strict(run("dump", "--json", "-v", "g/c", "-n", "other", store).stdout)
    assert chosen["name"] == "other"
    assert "data" not in chosen["variables"]["a"]
    assert chosen["groups"]["g"]["variables"]["c"]["data"] == ["ab", "\udcff"]


def test_copy_reads_json_too(tmp_path: Path, run: Run):
    assert run("copy", "-", tmp_path / "s.zarr", stdin=EXPECTED.encode()).code == 0
    assert run("dump", "--json", tmp_path / "s.zarr").code == 0
    assert run("gen", "--check", "-", stdin=b"\xef\xbb\xbf\n " + EXPECTED.encode()).code == 0


def test_what_is_written_fits_the_published_schema():
    validate = pytest.importorskip("jsonschema", reason="jsonschema is not installed").validate
    schema = json.loads(SCHEMA.read_text())
    for path in EXAMPLES:
        document = strict(as_json(read_cdl(path.read_bytes(), source=path.name)))
        validate(document, schema)
    wrong = strict(EXPECTED.encode())
    wrong["variables"]["a"]["type"] = 5
    with pytest.raises(Exception, match="5 is not of type 'string'"):
        validate(wrong, schema)


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
def test_what_is_wrong_is_told_with_its_place(text: str, message: str):
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


def test_a_long_text_is_read_block_by_block(tmp_path: Path):
    values = np.arange(600_000, dtype="i4").reshape(600, 1000)
    text = as_json(one_variable(values, Atomic.INT))
    source = read_json(text, source="t").root.variables[0].data
    assert isinstance(source, ncz.views.json_array.JsonArray)
    assert len(source.blocks.starts) > 3
    np.testing.assert_array_equal(read_all(source), values)


def test_a_long_row_of_chars_that_are_missing_takes_no_memory(monkeypatch):
    def text_of(values: np.ndarray) -> Any:
        array = MemoryArray(values, Atomic.CHAR)
        n = Dimension(name="n", size=values.size)
        variable = Variable(name="v", type=Atomic.CHAR, dimensions=("/n",), data=array)
        root = Group(dimensions=(n,), variables=(variable,))
        return json.loads(as_json(Dataset(name="x", root=root)))["variables"]["v"]["data"]

    monkeypatch.setattr(ncz.views.json_writer, "_LONGEST_TEXT", 100)
    missing = np.broadcast_to(np.array(b"", "S1"), (1 << 22,))
    assert text_of(missing) == ""
    values = np.zeros(1 << 22, "S1")
    values[3] = b"a"
    with pytest.raises(FormatError, match="a row of 4194304 chars is longer than the limit of 100"):
        text_of(values)
