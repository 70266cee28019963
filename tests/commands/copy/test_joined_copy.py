"""Functions that join and merge datasets."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.errors import NczError, StoreExists, ignore_notice

CDL = """netcdf a {{ dimensions: t = UNLIMITED ; variables: double t(t) ; int {0}(t) ;
data: t = {1}, {2} ; {0} = {1}, {2} ; }}"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files with consecutive times, and one with another variable."""
    monkeypatch.chdir(tmp_path)
    for name, variable, start in (("a", "v", 0), ("b", "v", 2), ("c", "w", 0)):
        text = CDL.format(variable, start, start + 1)
        ncz.gen(io.BytesIO(text.encode()), f"{name}.nc", notify=ignore_notice)


def test_datasets_follow_each_other_along_a_dimension():
    ncz.concat(["a.nc", "b.nc"], "all.zarr", "t", notify=ignore_notice)
    with ncz.open("all.zarr") as ds:
        assert ds["v"][:].tolist() == [0, 1, 2, 3]


def test_datasets_with_other_variables_are_merged():
    ncz.merge(["a.nc", "c.nc"], "all.zarr", notify=ignore_notice)
    with ncz.open("all.zarr") as ds:
        assert ds["v"][:].tolist() == ds["w"][:].tolist() == [0, 1]


def test_options_of_a_copy_are_taken():
    ncz.concat(["a.nc", "b.nc"], "all.zarr", "t", chunks="t/3", notify=ignore_notice)
    with ncz.open("all.zarr") as ds:
        assert ds["v"].chunks == (3,)
    with pytest.raises(StoreExists):
        ncz.concat(["a.nc"], "all.zarr", "t", notify=ignore_notice)


def test_an_impossible_join_or_merge_leaves_no_target():
    with pytest.raises(NczError):
        ncz.concat(["a.nc", "b.nc"], "all.zarr", "z", notify=ignore_notice)
    with pytest.raises(NczError):
        ncz.merge(["a.nc", "b.nc"], "all.zarr", notify=ignore_notice)
    assert not Path("all.zarr").exists()
