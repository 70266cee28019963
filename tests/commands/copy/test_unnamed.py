"""Copies of arrays whose store gives no names for their axes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import Notice

zarr = pytest.importorskip("zarr", reason="zarr is not installed")
xarray = pytest.importorskip("xarray", reason="xarray is not installed")

FORMS: dict[str, dict[str, Any]] = {
    "for-xarray": {"audience": ["xarray"]},
    "for-xarray-v2": {"audience": ["xarray"], "modes": ["v2"]},
    "for-xarray-v3": {"audience": ["xarray"], "modes": ["v3"]},
    "for-xarray-nczarr": {"audience": ["xarray"], "modes": ["nczarr"]},
    "cloud": {"cloud": True},
}


@pytest.fixture(params=[2, 3])
def source(request, tmp_path: Path) -> Path:
    """A store of zarr-python with a matrix, a vector of the same length, and scalars."""
    path = tmp_path / "source.zarr"
    root = zarr.open_group(path, mode="w", zarr_format=request.param)
    root.create_array("m", data=np.arange(6).reshape(2, 3), chunks=(1, 3))
    root.create_array("g/v", data=np.arange(3.0), chunks=(2,))
    root.create_array("s", shape=(), dtype="i4", fill_value=5)[...] = 0
    root.create_array("missing", shape=(), dtype="i4", fill_value=5)
    return path


def copied(source: Path, **options: Any) -> tuple[Path, dict[str, str]]:
    notices: list[Notice] = []
    target = source.parent / "target.zarr"
    ncz.copy(source, target, verify=True, notify=notices.append, **options)
    return target, {notice.code: notice.message for notice in notices}


@pytest.mark.parametrize("form", FORMS)
def test_xarray_opens_stores_for_xarray(source: Path, form: str):
    target, notices = copied(source, **FORMS[form])
    assert notices["dimension-named"].endswith(": /m, /g/v")
    root = xarray.open_zarr(target, consolidated=False).load()
    group = xarray.open_zarr(target, group="g", consolidated=False).load()
    assert root["m"].dims == ("_Anonymous_Dim_2", "_Anonymous_Dim_3")
    assert group["v"].dims == ("_Anonymous_Dim_3",)
    assert root["m"].values.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert group["v"].values.tolist() == [0, 1, 2]
    assert root["s"].item() == 0
    findings = ncz.check(target, audience=["xarray"]).findings
    assert [finding for finding in findings if finding.severity == "error"] == []


def test_names_are_kept_by_the_next_copy(source: Path):
    target, _ = copied(source, cloud=True)
    again = source.parent / "again.zarr"
    ncz.copy(target, again)
    assert xarray.open_zarr(again)["m"].dims == ("_Anonymous_Dim_2", "_Anonymous_Dim_3")


def test_a_plain_copy_has_no_names_and_the_fill_value_of_a_scalar(source: Path):
    target, notices = copied(source)
    assert notices == {}
    documents = sorted(source.rglob(".z*")) + sorted(source.rglob("zarr.json"))
    for path in documents:
        mine = json.loads((target / path.relative_to(source)).read_text())
        theirs = json.loads(path.read_text())
        for member in ("fill_value", "dimension_names", "_ARRAY_DIMENSIONS"):
            assert mine.get(member) == theirs.get(member), path


def test_a_check_says_that_xarray_does_not_open_them(source: Path):
    findings = ncz.check(source, audience=["xarray"]).findings
    messages = [finding.message for finding in findings if finding.code == "reader-unopened"]
    assert messages == ["xarray 2026.9 does not open arrays without names of dimensions"]
