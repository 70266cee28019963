"""The JSON of a small dataset, which can be read by eye, and options of ``dump --json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz.views.json.writer
from ncz.cdl.reader import read_cdl
from ncz.errors import FormatError
from ncz.model.data import MemoryArray
from ncz.model.tree import Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from tests.conftest import EXAMPLES, ROOT, Run
from tests.views.json.printed import as_json, strict

SCHEMA = ROOT / "docs" / "reference" / "json.schema.json"

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


def test_written_text_can_be_read_by_eye():
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


def test_written_documents_fit_the_published_schema():
    validate = pytest.importorskip("jsonschema", reason="jsonschema is not installed").validate
    schema = json.loads(SCHEMA.read_text())
    for path in EXAMPLES:
        document = strict(as_json(read_cdl(path.read_bytes(), source=path.name)))
        validate(document, schema)
    wrong = strict(EXPECTED.encode())
    wrong["variables"]["a"]["type"] = 5
    with pytest.raises(Exception, match="5 is not of type 'string'"):
        validate(wrong, schema)


def test_a_long_row_of_chars_that_are_missing_takes_no_memory(monkeypatch):
    def text_of(values: np.ndarray) -> Any:
        array = MemoryArray(values, Atomic.CHAR)
        n = Dimension(name="n", size=values.size)
        variable = Variable(name="v", type=Atomic.CHAR, dimensions=("/n",), data=array)
        root = Group(dimensions=(n,), variables=(variable,))
        return json.loads(as_json(Dataset(name="x", root=root)))["variables"]["v"]["data"]

    monkeypatch.setattr(ncz.views.json.writer, "_LONGEST_TEXT", 100)
    missing = np.broadcast_to(np.array(b"", "S1"), (1 << 22,))
    assert text_of(missing) == ""
    values = np.zeros(1 << 22, "S1")
    values[3] = b"a"
    with pytest.raises(FormatError, match="a row of 4194304 chars is longer than the limit of 100"):
        text_of(values)
