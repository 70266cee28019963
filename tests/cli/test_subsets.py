"""``--isel`` and ``--sel`` in dump, copy, info and diff; the parts equal xarray's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT, Run

CDL = """netcdf s {
dimensions: time = UNLIMITED ; lat = 5 ; two = 2 ;
variables:
  double time(time) ; time:units = "hours since 2026-01-30" ; time:bounds = "time_bounds" ;
  double time_bounds(time, two) ;
  float lat(lat) ;
  int v(time, lat) ; v:_ChunkSizes = 2, 2 ;
data:
  time = 0, 12, 24, 36, 48, 60 ;
  time_bounds = 0, 12, 12, 24, 24, 36, 36, 48, 48, 60, 60, 72 ;
  lat = 60, 50.1, 40, 30, 20 ;
  v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
      25, 26, 27, 28, 29 ;
}
"""

V = np.arange(30).reshape(6, 5)
CASES = [
    (["--isel", "time=1:5:3"], V[1:5:3]),
    (["--isel", "time=-1", "--isel", "lat=-2:"], V[-1:, -2:]),
    (["--isel", "lat=::2"], V[:, ::2]),
    (["--isel", "time=0,1,5,lat=-1,0"], V[[0, 1, 5]][:, [-1, 0]]),
    (["--isel", "time=[-1],lat=3,3,0"], V[[-1]][:, [3, 3, 0]]),
    (["--isel", "lat=::-1"], V[:, ::-1]),
    (["--isel", "lat=3:0:-2,time=::-3"], V[::-3, 3:0:-2]),
    (["--sel", "lat=30:55"], V[:, 1:4]),
    (["--sel", "lat=55:30"], V[:, 1:4]),
    (["--sel", "lat=:35"], V[:, 3:]),
    (["--sel", "lat=50.1"], V[:, 1:2]),
    (["--sel", "time=12:36"], V[1:4]),
    (["--sel", "time=2026-01-31:2026-02-01"], V[2:6]),
    (["--sel", "time=2026-01"], V[:4]),
    (["--sel", "time=2026-01-30T12:00/2026-01-31T00"], V[1:3]),
    (["--sel", "time=2026-02-01:", "--isel", "lat=0"], V[4:, :1]),
    (["--sel", "time=2026"], V),
    (["--sel", "time=2026:2026-01"], V[:4]),
    (["--sel", "time=2026-02:2026-01-31"], V[2:]),
    (["--sel", "time=2026-01-30T12:00"], V[1:2]),
    (["--sel", "time=2026-01-30T12:00:2026-01-31T00:00"], V[1:3]),
    (["--sel", "lat=30:55,time=12:36"], V[1:4, 1:4]),
    (["--isel", "time=1:5:3,lat=-2:"], V[1:5:3, -2:]),
    (["--nearest", "--sel", "lat=36,time=2026-01-31T04"], V[2:3, 2:3]),
    (["--nearest", "--sel", "lat=35"], V[:, 2:3]),
    (["--nearest", "--sel", "lat=-99"], V[:, 4:]),
    (["--nearest", "--sel", "lat=30:55"], V[:, 1:4]),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("subsets")
    (folder / "s.cdl").write_text(CDL)
    ncz.gen(folder / "s.cdl", folder / "s.zarr", notify=ignore_notice)
    return folder / "s.zarr"


@pytest.mark.parametrize(("options", "expected"), CASES)
def test_the_values_match_the_part(run: Run, store, options, expected):
    for source in (store, store.with_name("s.cdl")):
        if source.suffix == ".zarr":
            document = json.loads(run("dump", "--json", *options, source).text)
            assert document["variables"]["v"]["data"] == expected.tolist()
        info = json.loads(run("info", "--json", "--stats", *options, source).text)
        (v,) = (v for v in info["variables"] if v["path"] == "/v")
        assert v["shape"] == list(expected.shape)
        if expected.size:
            assert v["statistics"]["max"] == expected.max()


NAMES = {
    "string": 'string s(s) ; data: s = "Oslo", "Bergen", "København", "Oslo", "a:b" ;',
    "char": 'char s(s, n) ; data: s = "Oslo", "Bergen", "København ", "Oslo", "a:b" ;',
}


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize(
    ("sel", "expected"),
    [
        ("Bergen", [1]),
        ("Oslo", [0, 3]),
        ("København:", [2, 3, 4]),
        (":Bergen", [0, 1]),
        ("Bergen/København", [1, 2]),
        ("Bergen:Oslo", [1, 2, 3]),
        ("a:b", [4]),
    ],
)
def test_names_select(run, tmp_path, kind, sel, expected):
    (tmp_path / "s.cdl").write_text(
        f"netcdf s {{ dimensions: s = 5 ; n = 12 ; variables: int i(s) ; {NAMES[kind]}"
        " i = 0, 1, 2, 3, 4 ; }"
    )
    ncz.gen(tmp_path / "s.cdl", tmp_path / "s.nc", kind="netCDF-4")
    assert run("copy", "--sel", f"s={sel}", tmp_path / "s.nc", tmp_path / "s.zarr").code == 0
    assert ncz.open(tmp_path / "s.zarr")["i"][:].tolist() == expected


def test_letters_select(run, tmp_path):
    cdl = 'netcdf s { dimensions: s = 3 ; variables: char s(s) ; data: s = "uvw" ; }'
    assert run("gen", "-o", tmp_path / "s.nc", "-", stdin=cdl.encode()).code == 0
    ran = run("dump", "--sel", "s=v:", tmp_path / "s.nc")
    assert ran.text.endswith(' s = "vw" ;\n}\n')


def test_python_selects_by_names(tmp_path):
    (tmp_path / "s.cdl").write_text(
        f"netcdf s {{ dimensions: s = 5 ; variables: int i(s) ; {NAMES['string']}"
        " i = 0, 1, 2, 3, 4 ; }"
    )
    ncz.gen(tmp_path / "s.cdl", tmp_path / "s.zarr", notify=ignore_notice)
    ds = ncz.open(tmp_path / "s.zarr")
    assert ds.sel(s="København")["i"][...].tolist() == 2
    assert ds.sel(s=slice("Bergen", "København"))["i"][:].tolist() == [1, 2]
    for name, message in [
        ("bergen", "'s=bergen': no coordinate of /s has this name; did you mean 'Bergen'?"),
        ("København:Bergen", "selects nothing: 'København' comes after 'Bergen'"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            ds.sel(s=name)


@pytest.mark.parametrize("target", ["t.zarr", "t.zip#mode=v3", "t.cdl"])
def test_a_copy_has_the_part_with_coordinates_and_bounds(run, store, tmp_path, target):
    options = ["--isel", "time=1:5:3", "--sel", "lat=25:55"]
    copied = f"{tmp_path}/{target}"
    verify = [] if target.endswith(".cdl") else ["--verify"]
    assert run("copy", "-q", *verify, *options, store, copied).code == 0
    done = run("diff", "-h", copied, store)
    assert {"/: dimension time: 2 (unlimited) != 6 (unlimited)", "/: dimension lat: 3 != 5"} <= set(
        done.text.splitlines()
    )
    if not target.endswith(".cdl"):
        text = run("dump", copied).text
        assert "time = 12, 48 ;" in text
        assert "time_bounds =\n  12, 24,\n  48, 60 ;" in text
        assert "lat = 50.1, 40, 30 ;" in text
        assert " v =\n  6, 7, 8,\n  21, 22, 23 ;" in text


def test_a_diff_of_parts(run, store, tmp_path):
    other = tmp_path / "t.cdl"
    other.write_text(CDL.replace("12, 13, 14", "12, 13, 99"))
    assert run("diff", store, other).text.startswith("/v[2,4] at 2026-01-31: 14 != 99")
    assert run("diff", "--isel", "lat=:4", store, other).code == 0
    assert run("diff", "--isel", "lat=2:", store, other).text.startswith(
        "/v[2,2] at 2026-01-31: 14 != 99"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--isel", "x=1"], "no dimension is named 'x'; the dimensions are lat, time, two"),
        (["--isel", "lat"], "--isel 'lat' is not DIMENSION=SELECTION"),
        (["--isel", "lat=a"], "'lat=a' is not an index, a slice or a list of indices"),
        (["--isel", "lat=5"], "'lat=5': the dimension has 5 indices"),
        (["--isel", "lat=0,5,1"], "'lat=5': the dimension has 5 indices"),
        (["--isel", "lat=0,-6"], "'lat=-6': the dimension has 5 indices"),
        (["--isel", "lat=0,1,"], "'lat=0,1,' is not an index, a slice or a list of indices"),
        (["--isel", "lat=0,1.5"], "'lat=0,1.5' is not an index, a slice or a list of indices"),
        (["--isel", "lat=::0"], "the step cannot be 0"),
        (["--isel", "time=9:"], "'time=9:' selects nothing: the dimension has 6 indices"),
        (
            ["--isel", "lat=1,lon=2"],
            "no dimension is named 'lon'; the dimensions are lat, time, two",
        ),
        (["--sel", "lat=70:80"], "no coordinate within the limits; its coordinates are from 20.0"),
        (["--sel", "lat=41:45"], "'lat=41:45' selects nothing"),
        (["--sel", "time=2027"], "coordinates are from 2026-01-30 to 2026-02-01 12"),
        (["--sel", "lat=nan:"], "'lat=nan:': the limits must be numbers"),
        (["--vars", "x*"], "--vars: no variable matches 'x*'"),
        (["--exclude", "*"], "--exclude leaves no variable"),
        (["--isel", "lat=1", "--sel", "lat=40"], "is already selected from"),
        (["--sel", "two=1:2"], "the dimension has no coordinate variable"),
        (["--sel", "lat=41"], "no coordinate has this value; give limits, such as lat=40:60"),
        (["--sel", "lat=north:"], "'lat=north:': the limits must be numbers"),
        (["--sel", "time=2026-02-30:"], "'2026-02-30' does not exist in the calendar"),
        (["--sel", "time=soon:"], "'soon' is not a date"),
        (
            ["--sel", "lat=2026-01:"],
            "lat has numbers without units, and no dates; write numbers as limits",
        ),
    ],
)
def test_invalid_texts(run, store, options, message):
    done = run("info", *options, store)
    assert (done.code, done.text) == (1 if re.search("is named|matches", message) else 2, "")
    assert message in done.stderr


def test_calendars(run, tmp_path):
    text = CDL.replace('"hours since 2026-01-30"', '"days since 2026-02-29"')
    text = text.replace("time:bounds", 'time:calendar = "360_day" ; time:bounds')
    (tmp_path / "t.cdl").write_text(text)
    done = run("info", "--json", "--sel", "time=2026-02-30:2026-03-11", tmp_path / "t.cdl")
    assert json.loads(done.text)["dimensions"][0]["size"] == 1


@pytest.mark.parametrize(
    ("units", "calendar", "reason"),
    [
        ("days since 01-01-2026", "", "'01-01-2026' does not begin with the year"),
        ("days since 2026-01-01", "mars", "unknown calendar 'mars'"),
        ("days since 2026-01-01 00:00 +99:99", "", "has an invalid time zone"),
        ("days since 2026-01-01", "none", "unknown calendar 'none'"),
        ("minutes since noon", "", "'noon' is not a date"),
    ],
)
def test_dates_of_times_that_cannot_be_read(run, tmp_path, units, calendar, reason):
    (tmp_path / "t.cdl").write_text(
        f"""netcdf t {{ dimensions: time = 2 ; variables: double time(time) ;
        time:units = "{units}" ; time:calendar = "{calendar}" ; data: time = 0, 1 ; }}"""
    )
    done = run("info", "--sel", "time=2026-01-01", tmp_path / "t.cdl")
    assert done.code == 2
    assert "the times of time cannot be read" in done.stderr
    assert reason in done.stderr
    assert run("info", "--sel", "time=0.5:1", tmp_path / "t.cdl").code == 0


def test_nanoseconds(run, tmp_path):
    first = 2**60
    values = ", ".join(f"{first + i}LL" for i in range(4))
    (tmp_path / "t.cdl").write_text(
        f"""netcdf t {{ dimensions: time = 4 ; variables: int64 time(time) ;
        time:units = "nanoseconds since 1970-01-01" ; data: time = {values} ; }}"""
    )
    store = tmp_path / "t.zarr"
    ncz.gen(tmp_path / "t.cdl", store, notify=ignore_notice)
    date = str(np.datetime64(first + 1, "ns"))
    for limit, expected in ((date, [1]), (f"{date}/", [1, 2, 3]), (f"/{date}", [0, 1])):
        done = run("dump", "--sel", f"time={limit}", store)
        found = [int(n) - first for n in re.findall(r"\d{19}", done.text)]
        assert (done.code, found) == (0, expected), done.stderr
    nearest = run("dump", "-t", "--nearest", "--sel", f"time={date}", store)
    assert f'time = "{date.replace("T", " ")}" ;' in nearest.text


@pytest.mark.parametrize(
    ("sel", "notice"),
    [
        ("lat=20:60", ""),
        ("lat=15:65", ""),
        ("lat=-90:90", "the coordinate /lat begins at 20.0 and ends at 60.0"),
        ("lat=0:", "the coordinate /lat begins at 20.0"),
        ("time=2026-01:2026-03", "the coordinate /time ends at 2026-02-01 12"),
        ("time=2025-12:2026-02", "the coordinate /time begins at 2026-01-30"),
        ("time=2026-01:2026-02", ""),
    ],
)
def test_limits_outside_the_range_are_a_notice(store, sel, notice):
    told: list[str] = []
    name, value = sel.split("=")
    first, last = value.split(":")
    limits = slice(first or None, last or None)
    ncz.info(store, sel={name: limits}, notify=lambda n: told.append(n.message))
    assert [message.rpartition(": ")[2] for message in told] == ([notice] if notice else [])


CF = """netcdf cf {
dimensions: time = 2 ; lat = 2 ; lon = 3 ; nv = 2 ; lev = 2 ; spare = 1 ;
variables:
  double time(time) ; time:units = "days since 2020-01-01" ; time:climatology = "clim" ;
  double clim(time, nv) ;
  double lat(lat) ; lat:bounds = "lat_bnds" ; double lat_bnds(lat, nv) ;
  double lon(lon) ; double lev(lev) ; lev:formula_terms = "a: a b: b ps: ps" ;
  double a(lev) ; double b(lev) ; float ps(time, lat, lon) ;
  int crs ; float area(lat, lon) ; byte quality(time, lat, lon) ; char region(nv) ;
  float ta(time, lev, lat, lon) ; ta:coordinates = "region" ; ta:grid_mapping = "crs: lat lon" ;
  ta:cell_measures = "area: area volume: missing" ; ta:ancillary_variables = "quality" ;
  float tas(time, lat, lon) ; float t2m(time) ; float spare(spare) ;
group: g { variables: float ta(lat) ; float other ; }
}
"""
BASE = {"time", "clim", "lat", "lat_bnds", "lon"}
OF_TA = {*BASE, "ta", "lev", "a", "b", "ps", "crs", "area", "quality", "region"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--vars", "t2m"], {"t2m", "time", "clim"}),
        (["--vars", "t2m,tas"], {"t2m", "tas", *BASE}),
        (["--vars", "/ta"], OF_TA),
        (["--vars", "ta*,t2m"], {*OF_TA, "tas", "t2m", "g/ta"}),
        (["--vars", "ta*", "--exclude", "ta"], {"tas", *BASE}),
        (["--exclude", "/ta,g/*,l*,spare"], {*BASE, "lev", "a", "b", "ps", "area", "quality"}
         | {"crs", "tas", "t2m", "region"}),
        (["--vars", "g/ta"], {"g/ta", "lat", "lat_bnds"}),
    ],
)  # fmt: skip
def test_variables_bring_the_variables_that_they_refer_to(tmp_path, run, options, expected):
    (tmp_path / "cf.cdl").write_text(CF)
    found = json.loads(run("info", "--json", *options, tmp_path / "cf.cdl").text)
    assert {v["path"].removeprefix("/") for v in found["variables"]} == expected
    used = {d for v in found["variables"] for d in v["dimensions"]}
    assert {d["path"] for d in found["dimensions"]} == used
    copied = run("copy", *options, tmp_path / "cf.cdl", tmp_path / "t.zarr")
    assert copied.code == 0
    with ncz.open(tmp_path / "t.zarr") as copy:
        assert set(copy.variables) == {name for name in expected if "/" not in name}
    assert "leaves out" not in copied.stderr


def test_python_selects_variables_too(tmp_path):
    (tmp_path / "cf.cdl").write_text(CF)
    ncz.gen(tmp_path / "cf.cdl", tmp_path / "cf.zarr", notify=ignore_notice)
    with ncz.open(tmp_path / "cf.zarr", vars="t2m") as part:
        assert set(part.variables) == {"t2m", "time", "clim"}
    with ncz.open(tmp_path / "cf.zarr") as whole:
        assert set(whole.select(["tas"]).variables) == {"tas", *BASE}
        assert set(whole.select("ta*", exclude="ta").isel(lat=0).variables) == {"tas", *BASE}
    summary = ncz.copy(tmp_path / "cf.zarr", tmp_path / "t.zarr", vars=["t2m"])
    assert summary.variables == 3


def test_variables_that_are_kept_although_they_are_excluded_by_name(tmp_path, run):
    (tmp_path / "cf.cdl").write_text(CF)
    done = run("info", "--exclude", "lat,spare", tmp_path / "cf.cdl")
    assert "/lat stays, because others need it: " in done.stderr
    assert "spare" not in done.stderr


def test_data_of_variables_have_their_coordinates(tmp_path, run):
    weather, target = tmp_path / "w.nc", tmp_path / "t.nc"
    ncz.gen(ROOT / "cdl_examples/weather.cdl", weather, notify=ignore_notice)
    assert run("copy", "-v", "temperature", weather, target).code == 0
    ours, theirs = ncz.open(weather), ncz.open(target)
    for name in ("temperature", "lat", "lon", "time"):
        assert theirs[name][:].tolist() == ours[name][:].tolist()
    assert theirs["wind_speed"].dims == ours["wind_speed"].dims
    assert theirs["wind_speed"][:].tolist() != ours["wind_speed"][:].tolist()


@pytest.mark.parametrize(
    ("options", "notice"),
    [
        (["-V", "t2m"], "the copy leaves out /time, which other variables refer to"),
        (["-V", "t2m,time,clim"], ""),
        (["-v", "tas"], ""),
        (["-V", "tas,lat,lon", "-v", "tas"],
         "the copy leaves out /lat_bnds, /time, which"),
        (["-G", "g"], "the copy leaves out /lat, which other variables refer to"),
    ],
)  # fmt: skip
def test_nccopy_s_options_name_the_omitted_variables_in_one_notice(tmp_path, run, options, notice):
    (tmp_path / "cf.cdl").write_text(CF)
    done = run("copy", *options, tmp_path / "cf.cdl", tmp_path / "t.zarr")
    assert done.code == 0
    lines = [line for line in done.stderr.splitlines() if "refer to" in line]
    assert len(lines) == bool(notice)
    assert notice in done.stderr
