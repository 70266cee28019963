"""The findings in a store, in the order of their gravity."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncz.errors import NO_PROGRESS, StoreMissing
from ncz.formats.findings import CheckReport, CheckRequest
from ncz.formats.zarr.check.store import check_store
from ncz.zmap.location import parse_location

ARRAY = {
    "zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i4", "order": "C",
    "compressor": None, "filters": None, "fill_value": 0,
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "v").mkdir()
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    (tmp_path / "v" / ".zarray").write_text(json.dumps(ARRAY))
    (tmp_path / "v" / "0").write_bytes(bytes(8))
    return tmp_path


def report(store: Path, **request: object) -> CheckReport:
    location = parse_location(str(store))
    return check_store(location, CheckRequest(**request), NO_PROGRESS)  # type: ignore[arg-type]


def errors(found: CheckReport) -> list[tuple[str, str]]:
    return [(each.code, each.key) for each in found if each.severity == "error"]


def test_a_good_store_has_a_census_and_no_errors(store: Path):
    found = report(store, data=True)
    assert errors(found) == []
    assert found.arrays is not None
    assert [(each.key, each.present, each.expected) for each in found.arrays] == [("v", 1, 2)]


def test_objects_below_damage_are_one_finding(store: Path):
    (store / "v" / ".zarray").write_text("{")
    assert errors(report(store)) == [("document-damaged", "v/.zarray")]


def test_a_store_that_does_not_exist(tmp_path: Path):
    with pytest.raises(StoreMissing):
        report(tmp_path / "missing.zarr")
