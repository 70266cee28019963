"""Parts of sources that are joined or merged: they may omit different variables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from tests.conftest import Run

CDL = """netcdf f {{
dimensions: time = 2 ; lat = {size} ; station = 2 ;
variables: double time(time) ; time:units = "hours since 2000-01-01" ; float lat(lat) ;
  int v(time, lat) ; int extra ; int other(station) ; string name(station) ; int xtime(time) ;
  xtime:units = "minutes since 2000-01-01" ; v:coordinates = "xtime" ; {more}
data: time = {times} ; lat = {lat} ; v = {v} ; extra = {extra} ; other = 1, 2 ;
  name = "a", "b" ; xtime = {minutes} ; }}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(name: str, start: int, lat: Sequence[float] = (10, 20, 30), more: str = "") -> str:
    times = [start, start + 1]
    v = [100 * time + int(place) for time in times for place in lat]
    lists = {"times": times, "lat": lat, "v": v, "minutes": [60 * time for time in times]}
    listed = {key: ", ".join(map(str, numbers)) for key, numbers in lists.items()}
    Path(f"{name}.cdl").write_text(CDL.format(size=len(lat), extra=start, more=more, **listed))
    ncz.gen(f"{name}.cdl", f"{name}.zarr", overwrite=True, notify=ignore_notice)
    return f"{name}.zarr"


def joined(*sources: str, target: str = "all.zarr", **options: object) -> list[Notice]:
    notices: list[Notice] = []
    ncz.copy(list(sources), target, notify=notices.append, overwrite=True, **options)  # type: ignore[arg-type]
    return [n for n in notices if n.code not in ("form-changed", "reader-excluded")]


def test_a_region_of_all_times():
    names = make("a", 0), make("b", 2)
    joined(*names, concat="time", exclude="extra", sel={"lat": slice(15, 30)}, verify=True)
    found = ncz.open("all.zarr")
    assert found["lat"][...].tolist() == [20, 30]
    assert found["v"][...].tolist() == [[100 * t + y for y in (20, 30)] for t in range(4)]


def test_sources_that_differ_outside_of_the_region():
    names = make("a", 0, lat=(10, 20, 30)), make("b", 2, lat=(20, 30, 45, 60))
    joined(*names, concat="time", exclude="extra", sel={"lat": slice(20, 40)})
    assert ncz.open("all.zarr")["v"][-1].tolist() == [320, 330]


@pytest.mark.parametrize(
    ("options", "times"),
    [
        ({"isel": {"time": slice(1, 3)}}, [1, 2]),
        ({"isel": {"time": -1, "lat": 0}}, [3]),
        ({"sel": {"time": slice("2000-01-01T01:00", "2000-01-01T02:00")}}, [1, 2]),
        ({"sel": {"xtime": "2000-01-01T03:00"}}, [3]),
        ({"isel": {"time": slice(None, None, -1)}}, [3, 2, 1, 0]),
    ],
)
def test_times_of_the_joined_dataset(options, times):
    joined(make("a", 0), make("b", 2), concat="time", exclude="extra", **options)
    found = ncz.open("all.zarr")
    assert found["time"][...].tolist() == times
    assert found["v"][:, 0].tolist() == [100 * time + 10 for time in times]


@pytest.mark.parametrize(
    "options", [{"exclude": "extra"}, {"vars": "v"}, {"vars": ["v", "nam*"]}, {"exclude": "e*"}]
)
def test_variables_that_differ_are_left_out(run: Run, options):
    names = make("a", 0), make("b", 2)
    done = run("copy", *names, "x.zarr", "--concat", "time")
    assert (done.code, "/extra: [] is 2, not 0" in done.stderr) == (1, True)
    assert "leave it out with --exclude extra" in done.stderr
    joined(*names, concat="time", **options)
    found = ncz.open("all.zarr")
    assert found["v"].shape == (4, 3)
    assert "extra" not in found.variables
    assert ("name" in found.variables) == (options != {"vars": "v"})


def test_a_variable_that_only_one_source_has(run: Run):
    names = make("a", 0, more="int more(time) ;"), make("b", 2)
    done = run("copy", *names, "x.zarr", "--concat", "time", "--exclude", "extra")
    assert "variable /more is missing" in done.stderr
    assert "leave it out with --exclude more" in done.stderr
    joined(*names, concat="time", exclude=["extra", "more"])
    assert ncz.open("all.zarr")["v"].shape == (4, 3)


def test_parts_that_are_appended():
    store, *more = make("a", 0), make("b", 2), make("c", 4)
    part: dict[str, Any] = {"exclude": "extra", "sel": {"lat": slice(15, 30)}}
    joined(store, target="s.zarr", **part)
    for source in more:
        ncz.copy(source, "s.zarr", append="time", notify=ignore_notice, **part)
    joined(store, *more, target="whole.zarr", concat="time", **part)
    assert ncz.diff("s.zarr", "whole.zarr", notify=ignore_notice) == []
    joined(store, target="t.zarr", **part)
    part["isel"] = {"time": slice(0, 3)}
    ncz.copy(more, "t.zarr", append="time", notify=ignore_notice, **part)
    assert ncz.open("t.zarr")["time"][...].tolist() == [0, 1, 2, 3, 4]


def test_parts_that_are_merged():
    Path("u.cdl").write_text(
        """netcdf u { dimensions: lat = 3 ; depth = 2 ; variables: float lat(lat) ;
        int u(depth, lat) ; int extra ;
        data: lat = 10, 20, 30 ; u = 1, 2, 3, 4, 5, 6 ; extra = 9 ; }"""
    )
    joined(make("a", 0), "u.cdl", exclude="extra", isel={"depth": 1, "lat": slice(1, None)})
    found = ncz.open("all.zarr")
    assert found["u"][...].tolist() == [[5, 6]]
    assert found["v"].shape == (2, 2)
    joined(make("a", 0), "u.cdl", vars="u")
    assert set(ncz.open("all.zarr").variables) == {"u", "lat"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--isel", "x=1"], "no dimension is named 'x'"),
        (["--sel", "x=1"], "no dimension or coordinate is named 'x'"),
        (["--vars", "x"], "--vars: no variable matches 'x'"),
        (["--exclude", "x*"], "--exclude: no variable matches 'x*'; did you mean"),
        (["--exclude", "*"], "--exclude leaves no variable"),
        (["--isel", "lat=7"], "'lat=7': the dimension has 3 indices"),
        (["--isel", "time=4"], "'time=4': the dimension has 4 indices"),
        (["--sel", "lat=70:80"], "'lat=70:80' selects nothing"),
    ],
)
def test_invalid_texts(run: Run, options, message):
    names = make("a", 0), make("b", 2)
    if "--exclude" not in options:
        options = [*options, "--exclude", "extra"]
    done = run("copy", *names, "x.zarr", "--concat", "time", *options)
    assert done.code in (1, 2)
    assert message in done.stderr or options == ["--exclude", "x*"]
    assert not Path("x.zarr").exists()


def test_a_notice_about_each_source_is_given_once():
    names = make("a", 0), make("b", 2)
    notices = joined(*names, concat="time", exclude=["extra", "xtime"])
    assert [n.code for n in notices] == ["variable-kept"]
    np.testing.assert_array_equal(ncz.open("all.zarr")["xtime"][...], [0, 60, 120, 180])
