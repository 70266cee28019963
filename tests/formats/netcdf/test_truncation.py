"""Classic files that end before their last value, compared with netCDF-C."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import NczError, Notice, ignore_notice
from tests.conftest import Run

netcdf4 = pytest.importorskip("netCDF4")

FORMATS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]


def write(path: Path, form: str, *, records: int = 5, several: bool = True) -> bytes:
    """Write a file with records, and return its bytes."""
    with netcdf4.Dataset(path, "w", format=form) as file:
        file.createDimension("t", None)
        file.createDimension("x", 3)
        file.createVariable("x", "f4", ("x",))[:] = [1, 2, 3]
        v = file.createVariable("v", "i2", ("t", "x"))
        v[:] = np.arange(3 * records).reshape(records, 3)
        if several:
            file.createVariable("w", "f8", ("t",))[:] = np.arange(records)
    return path.read_bytes()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("several", [True, False])
def test_whole_records_are_read(run: Run, tmp_path, form, several):
    data = write(tmp_path / "a.nc", form, several=several)
    cut = tmp_path / "cut.nc"
    cut.write_bytes(data[:-4])
    done = run("copy", cut, tmp_path / "all.zarr")
    assert (done.code, (tmp_path / "all.zarr").exists()) == (1, False)
    done = run("copy", cut, tmp_path / "part.nc", "--isel", "t=:4")
    assert done.code == 0, done.stderr
    assert "the file is truncated: 4 of 5 records are whole" in done.stderr
    done = run("copy", cut, tmp_path / "rescued.nc", "--keep-going")
    assert done.code == 1
    assert "4 of 5 records are whole; the rest is left out" in done.stderr
    for name in ("part.nc", "rescued.nc"):
        with netcdf4.Dataset(tmp_path / name) as file:
            assert file["v"][:].tolist() == np.arange(12).reshape(4, 3).tolist()
            assert not several or file["w"][:].tolist() == [0, 1, 2, 3]
            assert file["x"][:].tolist() == [1, 2, 3]
    assert run("dump", "-q", "--keep-going", cut).text.count("(4 currently)") == 1


@given(st.sampled_from(FORMATS), st.integers(1, 9), st.booleans(), st.integers(0, 200))
@settings(deadline=None)
def test_rescued_files_are_whole(tmp_path_factory, form, records, several, missing):
    folder = tmp_path_factory.mktemp("t")
    data = write(folder / "a.nc", form, records=records, several=several)
    cut = folder / "cut.nc"
    cut.write_bytes(data[: max(0, len(data) - missing)])
    notices: list[Notice] = []
    try:
        ncz.copy(cut, folder / "b.zarr", keep_going=True, notify=notices.append)
    except NczError:
        return  # the header is cut, too
    found = ncz.open(folder / "b.zarr")
    whole = found["v"].shape[0]
    assert found["v"][...].tolist() == np.arange(3 * whole).reshape(whole, 3).tolist()
    told = [n for n in notices if n.code == "file-truncated"]
    is_whole = whole == records and "x" in found.variables
    assert is_whole == (not told)
    assert whole == records or missing > 0
    if missing == 0:
        assert is_whole


def test_a_variable_that_is_cut_is_left_out(run: Run, tmp_path):
    with netcdf4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 100)
        for name in ("a", "b"):
            file.createVariable(name, "i4", ("x",))[:] = np.arange(100)
    cut = tmp_path / "cut.nc"
    cut.write_bytes((tmp_path / "a.nc").read_bytes()[:-100])
    done = run("copy", cut, tmp_path / "b.nc", "--keep-going")
    assert (done.code, "the file is truncated: b is not whole" in done.stderr) == (1, True)
    with netcdf4.Dataset(tmp_path / "b.nc") as file:
        assert list(file.variables) == ["a"]
    done = run("copy", cut, tmp_path / "c.nc", "--exclude", "b")
    assert done.code == 0, done.stderr


def test_names_that_end_with_nul(run: Run, tmp_path):
    """Some old writers count the NUL at the end of a name."""
    data = write(tmp_path / "a.nc", "NETCDF3_CLASSIC")
    name = b"\x00\x00\x00\x01v\x00\x00\x00"
    assert data.count(name) == 1
    counted = tmp_path / "counted.nc"
    counted.write_bytes(data.replace(name, b"\x00\x00\x00\x02v\x00\x00\x00"))
    ncz.copy(counted, tmp_path / "b.zarr", notify=ignore_notice)
    assert "v" in ncz.open(tmp_path / "b.zarr").variables
    assert run("diff", tmp_path / "a.nc", counted).code == 0


@pytest.mark.parametrize("name", ["era.nc", "era.zip"])
@pytest.mark.parametrize("member", ["data.nc", "folder/data.nc"])
def test_a_zip_file_of_netcdf_files(run: Run, tmp_path, name, member):
    write(tmp_path / "a.nc", "NETCDF3_CLASSIC")
    with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as file:
        file.write(tmp_path / "a.nc", member)
    assert run("diff", tmp_path / "a.nc", tmp_path / name).code == 0
    with zipfile.ZipFile(tmp_path / name, "a") as file:
        file.write(tmp_path / "a.nc", "more.nc")
    done = run("info", tmp_path / name)
    assert done.code == 1
    assert f"this zip archive has 2 datasets: {member}, more.nc; name one" in done.stderr


def test_a_folder_of_netcdf_files(run: Run, tmp_path):
    (tmp_path / "files").mkdir()
    write(tmp_path / "files" / "a.nc", "NETCDF3_CLASSIC")
    done = run("info", tmp_path / "files")
    assert done.code == 1
    assert "this folder contains netCDF files, not a Zarr store: a.nc" in done.stderr
