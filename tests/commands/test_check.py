"""`ncz.check`: findings as objects."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import ncz
from ncz.errors import StoreMissing, ignore_notice

CDL = b"netcdf c { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    ncz.gen(io.BytesIO(CDL), tmp_path / "c.zarr", modes="zarr", notify=ignore_notice)
    return tmp_path / "c.zarr"


def test_a_good_store_is_clean(store: Path):
    report = ncz.check(store, data=True)
    assert report.is_clean
    assert report.count("error") == 0
    assert report.arrays is not None
    assert [(each.key, each.present, each.expected) for each in report.arrays] == [("v", 1, 1)]


def test_a_chunk_that_is_too_short_is_found(store: Path):
    (store / "v" / "0").write_bytes(b"x")
    report = ncz.check(store)
    assert [(each.code, each.key) for each in report] == [("chunk-length", "v/0")]
    assert str(report).startswith("error: chunk-length: /v/0")


def test_readers_are_considered_on_request(store: Path):
    document = store / "v" / ".zarray"
    array = json.loads(document.read_text())
    document.write_text(json.dumps({**array, "dimension_separator": "/"}))
    codes = {each.code for each in ncz.check(store, audience="zarr-python-2")}
    assert codes >= {each.code for each in ncz.check(store)}


def test_repairs_are_made_or_named(tmp_path: Path):
    store = tmp_path / "d.zarr"
    ncz.gen(io.BytesIO(CDL), store, modes="zarr,consolidated", notify=ignore_notice)
    document = store / "v" / ".zattrs"
    document.write_text(json.dumps({**json.loads(document.read_text()), "new": 1}))
    assert not ncz.check(store).is_clean
    planned = ncz.check(store, fix=True, dry_run=True)
    assert [repair.key for repair in planned.repairs] == [".zmetadata"]
    assert not ncz.check(store).is_clean
    ncz.check(store, fix=True)
    assert ncz.check(store).is_clean


def test_nothing_cannot_be_checked(tmp_path: Path):
    with pytest.raises(StoreMissing):
        ncz.check(tmp_path / "missing.zarr")
