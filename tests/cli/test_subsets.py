"""``--isel`` and ``--sel`` in dump, copy, info and diff; the parts are those of xarray."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

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
    (["--isel", "time=9:"], V[9:]),
    (["--sel", "lat=30:55"], V[:, 1:4]),
    (["--sel", "lat=55:30"], V[:, 1:4]),
    (["--sel", "lat=:35"], V[:, 3:]),
    (["--sel", "lat=50.1"], V[:, 1:2]),
    (["--sel", "time=12:36"], V[1:4]),
    (["--sel", "time=2026-01-31:2026-02-01"], V[2:6]),
    (["--sel", "time=2026-01"], V[:4]),
    (["--sel", "time=2026-01-30T12:00/2026-01-31T00"], V[1:3]),
    (["--sel", "time=2026-02-01:", "--isel", "lat=0"], V[4:, :1]),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("subsets")
    (folder / "s.cdl").write_text(CDL)
    ncz.gen(folder / "s.cdl", folder / "s.zarr", notify=ignore_notice)
    return folder / "s.zarr"


@pytest.mark.parametrize(("options", "expected"), CASES)
def test_the_values_are_those_of_the_part(run: Run, store, options, expected):
    for source in (store, store.with_name("s.cdl")):
        if source.suffix == ".zarr":
            document = json.loads(run("dump", "--json", *options, source).text)
            assert document["variables"]["v"]["data"] == expected.tolist()
        info = json.loads(run("info", "--json", "--stats", *options, source).text)
        (v,) = (v for v in info["variables"] if v["path"] == "/v")
        assert v["shape"] == list(expected.shape)
        if expected.size:
            assert v["statistics"]["max"] == expected.max()


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
    assert run("diff", store, other).text.startswith("/v[2,4]: 14 != 99")
    assert run("diff", "--isel", "lat=:4", store, other).code == 0
    assert run("diff", "--isel", "lat=2:", store, other).text.startswith("/v[2,2]: 14 != 99")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--isel", "x=1"], "no dimension is named 'x'; the dimensions are lat, time, two"),
        (["--isel", "lat"], "--isel 'lat' is not DIMENSION=SELECTION"),
        (["--isel", "lat=a"], "'lat=a' is not an index or a slice"),
        (["--isel", "lat=5"], "'lat=5': the dimension has 5 indices"),
        (["--isel", "lat=::-1"], "the step must be at least 1"),
        (["--isel", "lat=1", "--sel", "lat=40"], "is already selected from"),
        (["--sel", "two=1:2"], "the dimension has no coordinate variable"),
        (["--sel", "lat=41"], "no coordinate has this value; give limits, such as lat=40:60"),
        (["--sel", "lat=north:"], "'lat=north:': the limits must be numbers"),
        (["--sel", "time=2026-02-30:"], "'2026-02-30' does not exist in the calendar"),
        (["--sel", "time=soon:"], "'soon' is not a date"),
    ],
)
def test_what_is_not_valid(run, store, options, message):
    done = run("info", *options, store)
    assert (done.code, done.text) == (1 if "is named" in message else 2, "")
    assert message in done.stderr


def test_calendars(run, tmp_path):
    text = CDL.replace('"hours since 2026-01-30"', '"days since 2026-02-29"')
    text = text.replace("time:bounds", 'time:calendar = "360_day" ; time:bounds')
    (tmp_path / "t.cdl").write_text(text)
    done = run("info", "--json", "--sel", "time=2026-02-30:2026-03-11", tmp_path / "t.cdl")
    assert json.loads(done.text)["dimensions"][0]["size"] == 1
