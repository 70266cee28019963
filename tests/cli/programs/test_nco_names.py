"""Lines of ncatted and ncrename: the attributes and names that they leave."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

FILE = """netcdf a {
dimensions: x = 2 ; y = 2 ;
variables:
  int lat(x) ; lat:units = "degrees_north" ; lat:valid_range = 1s, 2s ;
  int lon(y) ; lon:units = "degrees_east" ; lon:long_name = "longitude" ;
  float temp(x, y) ; temp:long_name = "air" ; temp:levels = 1., 2. ;
  :title = "A \\"title\\"" ;
data: lat = 1, 2 ; lon = 3, 4 ; temp = 1, 2, 3, 4 ;
}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cdl").write_text(FILE)
    ncz.gen("a.cdl", "a.nc", kind="netCDF-4", notify=ignore_notice)
    return tmp_path


def _state(path) -> dict[str, object]:
    ds = ncz.open(path)
    found = {name: dict(v.attrs) for name, v in ds.variables.items()} | {"": dict(ds.attrs)}
    for each in found.values():
        for name in ("history", "NCO", "history_of_appended_files"):
            each.pop(name, None)
    return {name: {n: str(v) for n, v in each.items()} for name, each in found.items()}


SAME = [
    "ncatted -a units,temp,o,c,K",
    "ncatted -a units,temp,c,c,K",
    "ncatted -a long_name,temp,a,c,' at 2 m'",
    "ncatted -a long_name,temp,p,c,'near '",
    "ncatted -a long_name,temp,n,c,' again'",
    "ncatted -a title,global,a,c,' of a \"model\"'",
    "ncatted -a comment,temp,a,c,new",
    "ncatted -a levels,temp,a,d,3",
    "ncatted -a valid_range,lat,a,s,3",
    "ncatted -a units,,o,c,1",
    "ncatted -a units,,d,,",
    "ncatted -a units,,m,c,degrees",
    "ncatted -a units,'^l',o,c,degrees",
    "ncatted -a '^un',lat,d,,",
    "ncatted -a 'long_name|levels',temp,d,,",
    "ncatted -a ,temp,d,,",
    "ncatted -a ,global,d,,",
    "ncatted -a valid_range,temp,c,f,200,350",
    "ncatted -a n,temp,c,ll,5",
    "ncatted -a note,temp,o,c,'5 m, or \"more\"'",
    "ncatted -a note,temp,o,c,'first\\nsecond'",
    "ncatted -a note,temp,o,c,nan",
    "ncatted -a units,temp,o,c,K -a units,lat,d,, -a title,global,m,c,New",
    "ncatted --attribute units,temp,o,c,K",
    "ncrename -a lat@units,unit",
    "ncrename -v .nothing,t -v temp,t",
    "ncrename -d x,n -v temp,t",
]


@pytest.mark.skipif(shutil.which("ncatted") is None, reason="NCO is not installed")
@pytest.mark.parametrize("line", SAME)
def test_the_attributes_match_nco(line: str, here, run: Run):
    shutil.copy("a.nc", "theirs.nc")
    done = run(*shlex.split(line), "a.nc")
    assert (done.code, done.stderr) == (0, "")
    subprocess.run([*shlex.split(line), "-O", "theirs.nc", "theirs.nc"], check=True)
    assert _state("a.nc") == _state("theirs.nc")


@pytest.mark.parametrize(
    "line", ["ncatted -a long_name,temp,c,c,other", "ncatted -a nothing,temp,m,c,new"]
)
def test_a_mode_that_changes_nothing_says_so(line: str, here, run: Run):
    before = (here / "a.nc").read_bytes()
    done = run(*shlex.split(line), "a.nc")
    assert (done.code, (here / "a.nc").read_bytes()) == (2, before)
    assert "a.nc: nothing to change" in done.stderr
    assert run(*shlex.split(line), "a.nc", "b.nc").code == 0
    assert _state("b.nc") == _state("a.nc")


def test_an_attribute_is_renamed_wherever_it_is(here, run: Run):
    assert run("ncrename", "-a", "units,unit", "a.nc").code == 0
    ds = ncz.open("a.nc")
    assert (ds["lat"].attrs["unit"], ds["lon"].attrs["unit"]) == ("degrees_north", "degrees_east")


def test_a_file_that_is_its_own_target_is_changed_in_place(here, run: Run):
    assert run("ncrename", "-O", "-v", "temp,t", "a.nc", "a.nc").code == 0
    assert "t" in ncz.open("a.nc")


def test_missing_names_are_named(here, run: Run):
    done = run("ncatted", "-a", "units,wind,o,c,K", "a.nc")
    assert (done.code, done.stderr.count("\n")) == (1, 1)
    assert "no variable or group wind" in done.stderr
