"""Changes of a copy, which do not change the dataset."""

from __future__ import annotations

import shutil
import subprocess

import pytest

import ncz
from ncz.commands.edit.edited_copy import changed_copy
from ncz.errors import NO_CALLBACKS, NczError, StoreExists, ignore_notice
from ncz.zmap.location import location_of
from tests.conftest import ROOT, Run


@pytest.fixture(params=["weather.nc", "weather.zarr"])
def source(request, tmp_path):
    path = tmp_path / request.param
    ncz.gen(ROOT / "cdl_examples/weather.cdl", path, notify=ignore_notice)
    return path


@pytest.mark.parametrize("target", ["out.nc", "out.zarr"])
def test_a_copy_is_changed_and_not_the_dataset(source, target, tmp_path, run: Run):
    before = run("dump", source).text
    line = ["edit", source, "temperature:units=C", "--rename", "wind_speed=wind"]
    assert run(*line, "-o", tmp_path / target).code == 0
    assert run("dump", source).text == before
    changed = ncz.open(tmp_path / target)
    assert changed["temperature"].attrs["units"] == "C"
    assert "wind" in changed
    assert "wind_speed" not in changed
    assert changed["temperature"][:].tolist() == ncz.open(source)["temperature"][:].tolist()


def test_nothing_is_written_for_a_change_that_is_not_valid(source, tmp_path):
    with pytest.raises(NczError, match="none"):
        ncz.edit(source, rename="none=other", output=tmp_path / "out.nc", notify=ignore_notice)
    assert not (tmp_path / "out.nc").exists()


def test_a_dry_run_writes_nothing(source, tmp_path, run: Run):
    done = run("edit", "--dry-run", source, "lat:note=x", "-o", tmp_path / "out.nc")
    assert done.text == 'would set /lat:note = "x"\n'
    assert not (tmp_path / "out.nc").exists()


def test_a_target_that_exists_is_replaced_only_if_asked(source, tmp_path, run: Run):
    target = tmp_path / "out.zarr"
    ncz.copy(source, target, notify=ignore_notice)
    with pytest.raises(StoreExists):
        ncz.edit(source, set="lat:n = 1", output=target, notify=ignore_notice)
    ncz.edit(source, set="lat:n = 1", output=target, overwrite=True, notify=ignore_notice)
    assert ncz.open(target)["lat"].attrs["n"] == 1
    done = run("edit", source, "lat:n=2", "--overwrite")
    assert (done.code, "can only be used with -o" in done.stderr) == (2, True)


GRID = """netcdf f { dimensions: time = UNLIMITED ; lat = 3 ; lon = 4 ;
variables: double time(time) ; float lat(lat) ; lat:units = "degrees_north" ; float lon(lon) ;
  float temp(time, lat, lon) ; temp:units = "K" ; temp:_FillValue = -1.f ;
  temp:_ChunkSizes = 1, 3, 2 ; temp:_Shuffle = "true" ; temp:_DeflateLevel = 2 ;
data: time = 0, 1 ; lat = 1, 2, 3 ; lon = 1, 2, 3, 4 ;
  temp = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, _, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; }"""


@pytest.fixture
def grid(tmp_path):
    (tmp_path / "f.cdl").write_text(GRID)
    ncz.gen(tmp_path / "f.cdl", tmp_path / "f.nc", kind="netCDF-4")
    return tmp_path / "f.nc"


DIMENSIONS = ("-d", "lat,y", "-d", "lon,x")
VARIABLES = ("-v", "lat,nav_lat", "-v", "lon,nav_lon")


@pytest.mark.skipif(shutil.which("ncrename") is None, reason="ncrename is not installed")
@pytest.mark.parametrize("names", [DIMENSIONS, VARIABLES], ids=["dimensions", "variables"])
def test_a_copy_separates_dimensions_and_coordinates_as_ncrename(grid, names, tmp_path, run: Run):
    ncz.gen(tmp_path / "f.cdl", tmp_path / "c.nc", kind="classic", notify=ignore_notice)
    subprocess.run(["ncrename", "-h", *names, "c.nc", "by_nco.nc"], cwd=tmp_path, check=True)
    assert run("ncrename", *names, grid, tmp_path / "new.nc").code == 0
    texts = [ncz.dump(tmp_path / each, name="f") for each in ("by_nco.nc", "new.nc")]
    assert texts[0] == texts[1]


def test_a_copy_with_other_dimensions_keeps_its_storage_and_others_read_it(grid, run: Run):
    netcdf4 = pytest.importorskip("netCDF4")
    xarray = pytest.importorskip("xarray")
    new = grid.parent / "new.nc"
    assert run("ncrename", *DIMENSIONS, grid, new).code == 0
    before, after = (
        ncz.dump(each, header_only=True, special=True, name="f") for each in (grid, new)
    )
    for old, other in (("lat = ", "y = "), ("lon = ", "x = "), ("time, lat, lon", "time, y, x")):
        before = before.replace(old, other)
    assert after == before.replace("lat(lat)", "lat(y)").replace("lon(lon)", "lon(x)")
    assert "contiguous" in after
    with netcdf4.Dataset(new) as opened:
        assert opened["lat"].dimensions == ("y",)
        assert opened["temp"].dimensions == ("time", "y", "x")
        assert opened.dimensions["time"].isunlimited()
    with xarray.open_dataset(new) as opened:
        assert opened["temp"].dims == ("time", "y", "x")
        assert opened["lat"].values.tolist() == [1, 2, 3]


def test_a_file_in_place_names_the_line_that_writes_a_copy(grid, run: Run):
    before = grid.read_bytes()
    done = run("edit", grid, "--rename", "dimension lat=y")
    assert f"ncz edit {grid} --rename 'dimension lat=y' -o COPY" in done.stderr
    assert (done.code != 0, grid.read_bytes() == before) == (True, True)
    line = ["edit", grid, "--rename", "dimension lat=y", "lat:note=n", "-o", grid.parent / "o.nc"]
    assert run(*line).code == 0
    assert ncz.open(grid.parent / "o.nc")["lat"].attrs["note"] == "n"


@pytest.mark.parametrize("exists", [False, True])
def test_a_failed_change_leaves_no_new_copy(exists, tmp_path):
    source, target = tmp_path / "weather.zarr", tmp_path / "out.zarr"
    ncz.gen(ROOT / "cdl_examples/weather.cdl", source, notify=ignore_notice)
    if exists:
        ncz.copy(source, target, notify=ignore_notice)

    def change(_, is_tried):
        if not is_tried:
            raise NczError("no space")
        return []

    with pytest.raises(NczError, match="no space") as caught:
        changed_copy(
            location_of(source), location_of(target), [], change, NO_CALLBACKS,
            overwrite=True, dry_run=False,
        )  # fmt: skip
    assert target.exists() == exists
    assert ("was replaced by a copy without the changes" in str(caught.value)) == exists
