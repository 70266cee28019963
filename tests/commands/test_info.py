"""`ncz.info`: descriptions as objects."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.errors import NczError, StoreExists, ignore_notice

CDL = b"""netcdf i { dimensions: time = UNLIMITED ; x = 3 ; variables: double time(time) ;
 time:units = "days since 2000-01-01" ; float v(time, x) ; v:_FillValue = -1.f ;
 :title = "t" ; data: time = 0, 1 ; v = 1, 2, 3, 4, _, 6 ;
group: g { variables: string s ; data: s = "a" ; } }"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    ncz.gen(io.BytesIO(CDL), tmp_path / "i.zarr", notify=ignore_notice)
    return tmp_path / "i.zarr"


def test_a_store_is_described(store: Path):
    found = ncz.info(store)
    assert found.format.startswith("NCZarr")
    assert found.groups == 2
    assert found.dimensions == (("/time", 2, True), ("/x", 3, False))
    assert [v.path for v in found.variables] == ["/time", "/v", "/g/s"]
    assert (found.variables["v"].shape, found.variables["v"].unpacked) == ((2, 3), 24)
    assert found.variables["v"].statistics is None


def test_statistics_are_of_present_values():
    (statistics,) = (
        v.statistics for v in ncz.info(io.BytesIO(CDL), stats=True, variables="v").variables
    )
    assert statistics is not None
    assert (statistics.count, statistics.missing) == (5, 1)
    assert (statistics.minimum, statistics.maximum, statistics.mean) == (1, 6, 3.2)


def test_a_page_is_written_and_replaces_only_a_page(store: Path, tmp_path: Path):
    page = tmp_path / "i.html"
    ncz.info(store, html=page)
    assert "<title>" in page.read_text()
    ncz.info(store, html=page)
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(StoreExists):
        ncz.info(store, html=tmp_path / "mine.html")
    assert (tmp_path / "mine.html").read_text() == "mine"


def test_a_variable_that_does_not_exist_is_an_error(store: Path):
    with pytest.raises(NczError, match="nothing"):
        ncz.info(store, variables="nothing")
