"""Notices of `dump` about values that a store made from its text will not have."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.cdl.printer import CdlOptions
from ncz.commands.dump import DumpOptions, View, print_dataset
from ncz.errors import Callbacks, ignore_notice
from ncz.text.format_values import Precision
from ncz.text.names import RequestedData
from ncz.zmap.location import parse_location

DIGITS = """netcdf x { dimensions: n = 3 ;
variables:
  double third(n) ; float pi(n) ; double short(n) ; int i(n) ; float f(n) ; f:C_format = "%.1f" ;
  i:lower = 0.1 ; i:upper = 0.30000000000000004 ; double gap(n) ; gap:_FillValue = 1.e-320 ;
  :scale = 16777217.f, 3.141592741012573f ;
data:
  third = 0.3333333333333333, 1, 2 ; pi = 3.141592741012573, 0, 1 ; short = 0.1, 1e22, NaN ;
  i = 1, 2, 3 ; f = 1.25, 2.0, 3 ; gap = _, 0.5, _ ;
}
"""


def codes(store: Path, view: View = "cdl", **options: Any) -> list[tuple[str, str]]:
    notices: list[ncz.Notice] = []
    jobs = options.pop("jobs", 1)
    asked = DumpOptions(view=view, jobs=jobs, cdl=CdlOptions(**options))
    print_dataset(parse_location(str(store)), asked, lambda text: None, Callbacks(notices.append))
    return [(notice.code, notice.message.rpartition(": ")[2]) for notice in notices]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("digits")
    (folder / "x.cdl").write_text(DIGITS)
    ncz.gen(folder / "x.cdl", folder / "x.zarr")
    return folder / "x.zarr"


def test_numbers_with_more_digits_than_are_printed_are_named(store):
    found = [":scale", "i:upper", "/third", "/pi", "/f"]
    (code, names), *others = codes(store)
    assert code == "digits-left-out"
    assert names.split(", ") == found
    assert not others


def test_only_printed_variables_are_named(store):
    assert codes(store, requested=RequestedData(variables=("third",))) == [
        ("digits-left-out", ":scale, i:upper, /third")
    ]
    assert codes(store, header_only=True) == [("digits-left-out", ":scale, i:upper")]


def test_a_user_who_chooses_the_digits_gets_no_notice(store):
    assert codes(store, precision=Precision(9, 17)) == []
    assert codes(store, precision=Precision(3, 3)) == []


def test_json_keeps_all_digits(store):
    assert codes(store, view="json") == []


def test_numbers_within_values_of_user_defined_types_count_too(tmp_path):
    text = """netcdf x {
types: compound pair_t { short a ; double b(2) ; } ; float(*) list_t ;
dimensions: n = 2 ;
variables: pair_t long(n) ; pair_t short(n) ; list_t some(n) ;
data:
  long = {1, {0.5, 0.3333333333333333}}, {2, {1, 2}} ; short = {1, {0.5, 0.1}}, {2, {1, 2}} ;
  some = {1, 2}, {16777217} ;
}
"""
    (tmp_path / "x.cdl").write_text(text)
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", notify=ignore_notice)
    assert codes(tmp_path / "x.zarr") == [("digits-left-out", "/long, /some")]
    assert codes(tmp_path / "x.zarr", precision=Precision(9, 17)) == []


def test_forked_processes_report_lost_digits(tmp_path):
    count = 1 << 21
    array = {"zarr_format": 2, "shape": [count], "chunks": [count // 2], "dtype": "<f8"}
    array |= {"fill_value": 0, "order": "C", "compressor": None, "filters": None}
    (tmp_path / "x" / "v").mkdir(parents=True)
    (tmp_path / "x" / ".zgroup").write_text('{"zarr_format": 2}')
    (tmp_path / "x" / "v" / ".zarray").write_text(json.dumps(array))
    values = np.zeros(count // 2)
    values[-1] = 1 / 3
    (tmp_path / "x" / "v" / "1").write_bytes(values.tobytes())
    assert codes(tmp_path / "x", jobs=2) == [("digits-left-out", "/v")]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_one_byte_texts_are_named(zarr_format, tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    group = zarr.open_group(tmp_path / "x.zarr", mode="w", zarr_format=zarr_format)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of types that Zarr V3 does not specify yet
        group.create_array("code", data=np.array([[b"a", b"b"]], "S1"))
        group.create_array("word", data=np.array([b"ab"], "S2"))
    (told,) = codes(tmp_path / "x.zarr")
    assert told == ("bytes-as-string", "/code")
    assert codes(tmp_path / "x.zarr", view="json") == []
