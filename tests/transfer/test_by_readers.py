"""Targets are opened by the programs that they are for, and the results are compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from ncz.formats import other_readers
from ncz.transfer.difference import DifferenceError
from tests.conftest import Run

CDL = """netcdf s {
dimensions: t = UNLIMITED ; x = 3 ;
variables: double t(t) ; t:units = "days since 2000-01-01" ; short v(t, x) ; v:scale_factor = 0.5 ;
 v:_FillValue = -1s ; char c(x) ; string s(x) ; float n(x) ; int scalar ;
data: t = 0, 1 ; v = 1, 2, 3, _, 5, 6 ; c = "abc" ; s = "a", "", "ü" ; n = NaN, 1, _ ; scalar = 7 ;
group: g { variables: ubyte w(x) ; data: w = 1, 2, 255 ; }
}
"""
PACKAGES = {"xarray": "xarray", "zarr-python": "zarr", "netcdf-c": "netCDF4"}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "s.cdl").write_text(CDL)
    ncz.gen(tmp_path / "s.cdl", tmp_path / "s.nc")
    return tmp_path / "s.nc"


@pytest.mark.parametrize("reader", PACKAGES)
def test_readers_read_written_values(source, tmp_path, reader):
    pytest.importorskip(PACKAGES[reader])
    notices: list[Notice] = []
    summary = ncz.copy(
        source, tmp_path / "t.zarr", audience=[reader], verify=True, notify=notices.append
    )
    assert summary.read_by == [reader]
    assert "reader-not-run" not in [notice.code for notice in notices]


@pytest.mark.parametrize("reader", ["xarray", "zarr-python"])
@pytest.mark.parametrize("target", ["t.zip", "t.zarr#mode=v3"])
def test_zip_files_and_zarr_v3(source, tmp_path, reader, target):
    pytest.importorskip(PACKAGES[reader])
    options: dict[str, Any] = {"audience": [reader], "verify": True, "notify": ignore_notice}
    assert ncz.copy(source, tmp_path / target, **options).read_by == [reader]


@pytest.mark.parametrize(
    ("fqn", "change", "says"),
    [
        ("v", {"dtype": ">i2"}, "reads .* and not"),
        ("v", {"compressor": {"id": "none-such"}}, "cannot read the target"),
        (None, None, "does not show the variable"),
    ],
)
def test_a_different_result_of_a_reader_is_a_difference(
    source, tmp_path, monkeypatch, fqn, change, says
):
    """The store is changed behind ncz, which has read it already."""
    pytest.importorskip("zarr")
    store = tmp_path / "t.zarr"
    opened_by = other_readers.open_by_reader

    def changed(reader, place):
        if fqn is None:
            (store / ".zmetadata").unlink()
            (store / "g" / "w" / ".zarray").unlink()
        else:
            for path in (store / fqn / ".zarray", store / ".zmetadata"):
                document = json.loads(path.read_text())
                found = (
                    document["metadata"][f"{fqn}/.zarray"] if "metadata" in document else document
                )
                found.update(change)
                path.write_text(json.dumps(document))
        return opened_by(reader, place)

    monkeypatch.setattr("ncz.transfer.by_readers.open_by_reader", changed)
    with pytest.raises(DifferenceError, match=says) as caught:
        ncz.copy(source, store, audience=["zarr-python"], verify=True, notify=ignore_notice)
    assert "zarr-python" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_times_that_xarray_cannot_decode_are_said(run: Run, tmp_path):
    pytest.importorskip("xarray")
    text = 'netcdf s { variables: int t ; t:units = "days since soon" ; data: t = 1 ; }'
    (tmp_path / "s.cdl").write_text(text)
    ran = run("gen", tmp_path / "s.cdl", "-o", tmp_path / "s.nc")
    ran = run("copy", "--for", "xarray", "--verify", tmp_path / "s.nc", tmp_path / "t.zarr")
    assert ran.code == 0, ran.stderr
    assert "xarray does not decode the dataset: " in ran.stderr
