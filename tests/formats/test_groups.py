"""A group of a file as a dataset: in netCDF files, reference sets and stores alike."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = """netcdf g {
types: byte enum flag { no = 0, yes = 1 } ;
dimensions: time = UNLIMITED ;
variables: double time(time) ;
data: time = 0, 1 ;
group: Grid {
  dimensions: lat = 3 ;
  variables: float lat(lat) ; short v(time, lat) ; v:coordinates = "lat" ; flag q(lat) ;
  data: lat = 1, 2, 3 ; v = 1, 2, 3, 4, 5, 6 ; q = no, yes, no ;
  group: inner { variables: int w(time) ; data: w = 7, 8 ; }
}
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("groups")
    (folder / "g.cdl").write_text(CDL)
    ncz.gen(folder / "g.cdl", folder / "g.nc", notify=ignore_notice)
    for name in ("g.zarr", "g.zip", "g.json"):
        ncz.copy(folder / "g.nc", folder / name, notify=ignore_notice)
    return folder


@pytest.mark.parametrize("name", ["g.nc", "g.zarr", "g.zip", "g.json"])
def test_a_group_is_a_dataset(run: Run, folder, tmp_path, name):
    place = folder / name / "Grid"
    text = run("dump", place).text
    assert text.startswith("netcdf Grid {")
    assert "time = UNLIMITED ; // (2 currently)\n\tlat = 3 ;" in text
    assert text == run("dump", folder / "g.nc" / "Grid").text
    assert run("copy", "--verify", place, tmp_path / "copy.nc").code == 0
    assert run("diff", place, tmp_path / "copy.nc").text == ""
    with ncz.open(folder / name / "Grid" / "inner") as ds:
        assert ds["w"][:].tolist() == [7, 8]
    with ncz.open(folder / name / "Grid" / "lat") as ds:
        assert ds["lat"][:].tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", ["g.nc", "g.json"])
def test_a_group_that_does_not_exist(run: Run, folder, name):
    done = run("dump", folder / name / "Gird")
    assert done.code == 1
    message = "no group or variable is named /Gird; did you mean '/Grid'?"
    assert done.stderr == f"ncz: {folder / name}: {message}\n"
    done = run("dump", folder / name / ".." / name / "Grid" / "..")
    assert "no file or store exists at this path" in done.stderr


def test_a_text_has_no_groups(run: Run, folder):
    done = run("info", folder / "g.cdl" / "Grid")
    assert "no file or store exists at this path" in done.stderr


def test_keys_of_a_group(run: Run, folder):
    assert run("ls", folder / "g.nc" / "Grid").text.split() == ["/inner", "/lat", "/q", "/v"]


def test_groups_are_joined_and_aggregated(run: Run, folder, tmp_path):
    shutil.copy(folder / "g.nc", tmp_path)
    groups = [tmp_path / "g.nc" / "Grid"] * 2
    assert run("copy", "--concat", "time", *groups, tmp_path / "joined.json").code == 0
    assert run("aggregate", tmp_path / "a.nca", *groups, "--axis", "time").code == 0
    for name in ("joined.json", "a.nca"):
        found = ncz.open(tmp_path / name, notify=ignore_notice)
        assert found["v"][:, 0].tolist() == [1, 4, 1, 4]
        assert found["inner/w"][:].tolist() == [7, 8, 7, 8]


def test_a_group_of_a_file_on_a_server(run: Run, folder, web):
    web.objects = {"data.nc/g.nc": (folder / "g.nc").read_bytes()}
    text = run("dump", f"{web.endpoint}/data.nc/g.nc/Grid").text
    assert text == run("dump", folder / "g.nc" / "Grid").text


def test_a_folder_with_the_name_of_a_file(run: Run, folder, tmp_path):
    ncz.copy(folder / "g.nc", f"{tmp_path}/store.nc#mode=nczarr", notify=ignore_notice)
    assert run("dump", "-h", tmp_path / "store.nc" / "Grid").text.startswith("netcdf Grid {")
