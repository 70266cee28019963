"""``ncz aggregate``: masters over files that exist."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.formats.aggregation.source import AggregatedSource
from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location
from tests.formats.aggregation.conftest import read
from tests.formats.aggregation.masters import listed, write

CDL = """netcdf f {{
dimensions: time = UNLIMITED ; lat = 2 ; nv = 2 ;
variables:
  {type} time(time) ; time:units = "days since {date}" ; time:bounds = "time_bnds" ;
  {type} time_bnds(time, nv) ; double lat(lat) ; lat:units = "{units}" ;
  float tas(time, lat) ; tas:units = "K" ; float orog(lat) ;
data:
  time = {time} ; time_bnds = {bounds} ; lat = 1, 2 ; tas = {tas} ; orog = 5, 6 ;
}}
"""


def make(name, first, count=3, *, date="2000-01-01", start=None, units="degrees_north", kind="int"):
    """Write a file with some times; its values count from those times on."""
    start = first if start is None else start
    times = [start + i for i in range(count)]
    text = CDL.format(
        type=kind,
        date=date,
        units=units,
        time=listed(times),
        bounds=listed([t + i for t in times for i in (0, 1)]),
        tas=listed(np.arange(2 * first, 2 * (first + count), dtype="f4")),
    )
    write(name, text)
    return str(name)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("target", ["all.nca", "all.zarr"])
@pytest.mark.parametrize("mode", ["cfa", "cfa0.4", "cf"])
def test_files_are_sorted_along_the_axis(run, folder, mode, target):
    files = [make(folder / name, at) for name, at in (("c.nc", 6), ("a.nc", 0), ("b.zarr", 3))]
    done = run("aggregate", "-q", target, *files, "--axis", "time", "--mode", mode)
    assert (done.code, done.stderr) == (0, "")
    assert read(target).tolist() == np.arange(18).reshape(9, 2).tolist()
    assert read(target, "time").tolist() == list(range(9))
    assert read(target, "orog").tolist() == [5, 6]
    assert read(target, "time_bnds")[:, 1].tolist() == list(range(1, 10))
    with open_dataset(parse_location(target)) as opened:
        data = opened.dataset.root.variables[3].data
        assert isinstance(data, AggregatedSource)
        assert data.places((1, 0)) == [str(folder / "b.zarr")]


def test_gaps_are_reported_and_overlaps_refused(run, folder):
    files = [make(folder / "a.nc", 0), make(folder / "b.nc", 5), make(folder / "c.nc", 7)]
    done = run("aggregate", "all.nca", *files[:2], "--axis", "time")
    assert done.code == 0
    assert "files are missing along /time: from 2 to 5" in done.stderr
    done = run("aggregate", "all.nca", *files, "--axis", "time", "--overwrite")
    assert done.code == 1
    assert "c.nc: it overlaps" in done.stderr


@pytest.mark.parametrize("more", [[], ["--common-date"]])
def test_times_are_converted_to_a_common_date(run, folder, more):
    files = [make(folder / "a.nc", 0), make(folder / "b.nc", 3, date="2000-01-04", start=0)]
    done = run("aggregate", "all.nca", *files, "--axis", "time", *more)
    assert (done.code, "the times of /time are converted to" in done.stderr) == (0, True)
    assert read("all.nca", "time").tolist() == list(range(6))
    assert read("all.nca", "time_bnds")[:, 0].tolist() == list(range(6))


def test_all_else_must_agree(run, folder):
    files = [make(folder / "a.nc", 0), make(folder / "b.nc", 3, units="degrees_N")]
    done = run("aggregate", "all.nca", *files, "--axis", "time")
    assert (done.code, 'units of /lat is "degrees_N", but "degrees_north" in' in done.stderr) == (
        1,
        True,
    )
    assert "use --attributes first, agreeing or none" in done.stderr
    assert not os.path.exists("all.nca")


@pytest.mark.parametrize(("mode", "code"), [("cfa", 0), ("cf", 1)])
def test_packed_files_are_refused_by_the_form_that_packs_unpacked_values(run, folder, mode, code):
    declared = "dimensions: x = 2 ; variables: short v(x) ; v:scale_factor = 0.1"
    text = f"netcdf p {{ {declared} ; data: v = 1, 2 ; }}"
    write(folder / "p.nc", text)
    done = run("aggregate", "-q", "all.nca", "p.nc", "--axis", "x", "--mode", mode)
    assert done.code == code
    if code:
        assert "cannot refer to packed values: /v has scale_factor" in done.stderr
        assert not (folder / "all.nca").exists()
    else:
        assert read("all.nca", "v").tolist() == [1, 2]


def test_a_master_cannot_pack_values_again(run, folder):
    make(folder / "a.nc", 0)
    done = run("aggregate", "all.nca", "a.nc", "--axis", "time", "--repack", "short")
    assert (done.code, "a master only refers" in done.stderr) == (2, True)
    assert "'ncz copy --concat time --repack short FILES... OUT'" in done.stderr


def test_in_python(folder):
    for name, first in (("a.nc", 0), ("b.nc", 3)):
        make(folder / name, first)
    assert ncz.aggregate(["b.nc", "a.nc"], "all.nca", axis="time", mode="cf") == 2
    assert read("all.nca").tolist() == np.arange(12).reshape(6, 2).tolist()
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "the files need axis, or rebuild=True if they are pieces"),
        ({"axis": "time", "rebuild": True}, "axis cannot be used with rebuild=True"),
        ({"axis": "time", "mode": "cfa9"}, "mode cannot be 'cfa9'; choose 'cfa', 'cfa0.5'"),
        ({"axis": "time"}, "already exists; use overwrite=True"),
    ]
    for given, message in cases:
        with pytest.raises(ncz.NczError, match=message):
            ncz.aggregate(["b.nc", "a.nc"], "all.nca", **given)
    for sources, moved in (([], None), (["a.nc"], "x")):
        with pytest.raises(ncz.NczError, match="give sources, or move and no sources"):
            ncz.aggregate(sources, "all.nca", axis="time", move=moved)
    os.mkdir("moved")
    for name in ("a.nc", "b.nc"):
        os.rename(name, f"moved/{name}")
    assert ncz.aggregate([], "all.nca", move="moved") == 2
    assert read("all.nca").tolist() == np.arange(12).reshape(6, 2).tolist()


@pytest.mark.parametrize("mode", ["cfa", "cfa0.4", "cf"])
def test_the_master_follows_pieces_that_were_moved(run, folder, mode):
    files = [make(folder / "a b.nc", 0), make(folder / "b.nc", 3)]
    assert run("aggregate", "all.nca", *files, "--axis", "time", "--mode", mode).code == 0
    os.mkdir("away")
    os.rename(files[0], "away/a b.nc")
    moved = run("aggregate", "--move", "away", "all.nca")
    assert moved.code == 0
    assert "all.nca: missing files: 1 of 2, the first is " in moved.stderr
    assert "away/b.nc; move the files there" in moved.stderr
    os.rename(files[1], "away/b.nc")
    assert run("dump", "all.nca", "-v", "tas").code == 0
    moved = run("aggregate", "--move", "away", "all.nca")
    assert (moved.code, moved.stderr) == (0, "")
    assert read("all.nca").tolist() == np.arange(12).reshape(6, 2).tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["all.nca"], "give FILES and --axis"),
        (["all.nca", "a.nc"], "the files need --axis"),
        (["all.json", "a.nc"], "use 'ncz copy' with the same files and --concat time"),
        (["a.nc", "all.nca", "--axis", "time"], "type: ncz aggregate all.nca FILES... --axis time"),
        (["a.nc", "--axis", "y", "-o", "all.json"], "all.json: a master is a netCDF file"),
        (["all.nca", "a.nc", "--axis", "tme"], "the dimension tme does not exist"),
        (["all.nca", "a.nc", "--axis", "member"], "ncz copy --new-dimension member FILES"),
        (["all.nca", "a.nc", "--axis", "nv"], "no variable of numbers has the dimension"),
        (["--move", "x", "a.nc"], "has no pieces to move"),
    ],
)
def test_wrong_usage_is_an_error(run, folder, arguments, message):
    make(folder / "a.nc", 0)
    done = run("aggregate", *arguments)
    assert done.code in (1, 2)
    assert message in done.stderr


@pytest.mark.parametrize("option", ["-o", "--output"])
def test_the_master_may_be_the_value_of_an_option(run, folder, option):
    make(folder / "a.nc", 0)
    make(folder / "b.nc", 3)
    assert run("aggregate", "a.nc", "b.nc", "--axis", "time", option, "all.nca").code == 0
    assert read("all.nca").shape == (6, 2)
