"""Other names and attributes in a copy."""

from __future__ import annotations

import io
from typing import Any

import pytest

import ncz
from ncz.commands.option_error import OptionError
from ncz.errors import FormatError, ignore_notice
from tests.conftest import Run

CDL = """netcdf a {
dimensions: time = UNLIMITED ; lat = 2 ;
variables:
  int time(time) ; time:units = "days since 2026-01-01" ; int lat(lat) ;
  float temp(time, lat) ; temp:units = "K" ; temp:coordinates = "lat" ;
data: time = 0, 1 ; lat = 10, 20 ; temp = 1, 2, 3, 4 ;
}
"""
QUIET: Any = {"notify": ignore_notice}


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ncz.gen(io.BytesIO(CDL.encode()), "a.nc", **QUIET)
    return "a.nc"


@pytest.mark.parametrize("source", ["a.nc", "a.zarr"])
@pytest.mark.parametrize("target", ["b.nc", "b.zarr", "b.cdl"])
def test_a_copy_equals_an_edited_store(file, source, target):
    ncz.copy(file, "a.zarr", **QUIET)
    how: dict[str, Any] = {"rename": {"temp": "tas"}, "set": {"tas:valid_min": 0, "title": "t"}}
    ncz.copy(source, target, verify=target != "b.cdl", **how, **QUIET)
    ncz.edit(source, output="theirs.nc", **how, **QUIET)
    assert ncz.diff(target, "theirs.nc", **QUIET) == []
    assert ncz.open(target)["tas"].record.attribute("valid_min").type.word == "float"


def test_other_options_have_the_new_names_and_selections_the_old_ones(run: Run, file):
    line = ["--rename", "lat=y", "--rename", "temp=t2m", "-c", "y/1", "--type", "t2m=double"]
    assert run("copy", file, "b.zarr", *line, "--sel", "lat=10:15", "--vars", "temp").code == 0
    found = ncz.open("b.zarr")["t2m"]
    assert (found.dims, found.chunks, str(found.dtype)) == (("time", "y"), (2, 1), "float64")


def test_each_part_and_the_joined_dataset_have_the_new_names(file):
    ncz.copy(file, "{}.nc", split="time=day", rename="time=t", **QUIET)
    parts = ["2026-01-01.nc", "2026-01-02.nc"]
    assert ncz.open(parts[1])["t"][:].tolist() == [1]
    ncz.copy(parts, "b.zarr", concat="t", rename={"t": "time"}, **QUIET)
    assert ncz.diff("b.zarr", file, **QUIET) == []


def test_a_name_that_is_outdated_is_said_once(run: Run, file):
    for line in (["copy", file, "b.nc"], ["edit", file, "-o", "c.nc"]):
        done = run(*line, "--rename", "lat=y")
        assert done.stderr.count("coordinates names lat, which is now y") == 1


def test_keywords_of_xarray(file):
    theirs: dict[str, Any] = {"attrs": {"title": "t"}}
    ncz.copy(file, "b.nc", **theirs, **QUIET)
    assert ncz.open("b.nc").attrs == {"title": "t"}


def test_impossible_changes(file):
    with pytest.raises(FormatError, match="no variable or dimension nowhere"):
        ncz.copy(file, "b.nc", rename="nowhere=x", **QUIET)
    ncz.copy(file, "b.zarr", **QUIET)
    with pytest.raises(OptionError, match="rename has no effect with append"):
        ncz.copy(file, "b.zarr", append="time", rename="temp=t", **QUIET)
