"""Joins of dimensions whose indices other variables count or hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import ncz
from tests.commands.joining.making import copied
from tests.conftest import Run

RAGGED = """netcdf r {{ dimensions: station = {stations} ; obs = {size} ;
variables: string name(station) ; name:cf_role = "timeseries_id" ; float t(obs) ; int obs(obs) ;
  {declared}
data: name = {names} ; t = {t} ; obs = {places} ; {data} }}
"""


def make(name: str, series: dict[str, Sequence[float]], kind: str) -> str:
    """Make a contiguous or an indexed ragged array of the samples of some stations."""
    samples = [(i, value) for i, row in enumerate(series.values()) for value in row]
    declared, data = {
        "contiguous": (
            'int row(station) ; row:sample_dimension = "obs" ;',
            f"row = {', '.join(str(len(row)) for row in series.values())} ;",
        ),
        "indexed": (
            'int at(obs) ; at:instance_dimension = "station" ;',
            f"at = {', '.join(str(i) for i, _ in samples)} ;",
        ),
    }[kind]
    text = RAGGED.format(
        stations=len(series),
        size=len(samples),
        declared=declared,
        data=data,
        names=", ".join(f'"{each}"' for each in series),
        t=", ".join(str(value) for _, value in samples),
        places=", ".join(map(str, range(len(samples)))),
    )
    Path(f"{name}.cdl").write_text(text)
    return f"{name}.cdl"


def series_in(name: str) -> list[tuple[object, list[float]]]:
    """Return the samples of each station, by a plain algorithm."""
    found = ncz.open(name)
    names, t = found["name"][...].tolist(), found["t"][...].tolist()
    if "at" in found.variables:
        at = found["at"][...].tolist()
        return [(each, [v for v, i in zip(t, at, strict=True) if i == n])
                for n, each in enumerate(names)]  # fmt: skip
    result, start = [], 0
    for each, count in zip(names, found["row"][...].tolist(), strict=True):
        result.append((each, t[start : start + count]))
        start += count
    assert start == len(t)
    return result


FIRST: dict[str, Sequence[float]] = {"A": [1], "B": [2, 3]}
OTHER: dict[str, Sequence[float]] = {"C": [4, 5, 6], "D": [7]}


@pytest.mark.parametrize("kind", ["contiguous", "indexed"])
@pytest.mark.parametrize("target", ["all.zarr", "all.nc"])
def test_stations_bring_their_samples(kind, target):
    sources = make("a", FIRST, kind), make("b", OTHER, kind), make("c", {"E": [8]}, kind)
    copied(*sources, target=target, concat="station")
    expected = [*FIRST.items(), *OTHER.items(), ("E", [8])]
    assert series_in(target) == [(name, list(row)) for name, row in expected]


@pytest.mark.parametrize("kind", ["contiguous", "indexed"])
def test_stations_are_appended_with_their_samples(kind):
    ncz.gen(make("a", FIRST, kind), "s.zarr", notify=lambda _: None)
    copied(make("b", OTHER, kind), target="s.zarr", append="station", verify=True)
    expected = [*FIRST.items(), *OTHER.items()]
    assert series_in("s.zarr") == [(name, list(row)) for name, row in expected]


def test_samples_of_the_same_stations(run: Run):
    more: dict[str, Sequence[float]] = {"A": [9], "B": [8]}
    copied(make("a", FIRST, "indexed"), make("b", more, "indexed"), concat="obs", overlap="keep")
    assert series_in("all.zarr") == [("A", [1, 9]), ("B", [2, 3, 8])]
    sources = make("a", FIRST, "contiguous"), make("b", FIRST, "contiguous")
    done = run("copy", *sources, "x.zarr", "--concat", "obs", "--overlap", "keep")
    assert done.code == 1
    assert "the indices of /obs are counted by /row along station" in done.stderr
    assert "use --concat station" in done.stderr


def test_indices_that_an_append_would_change(run: Run):
    text = """netcdf g {{ dimensions: lat = 2 ; lon = 2 ; point = 2 ; variables: int point(point) ;
      point:compress = "lat lon" ; float v(point) ; double lon(lon) ; data: point = 0, 3 ;
      v = {0}, {0}.5 ; lon = {1} ; }}"""
    for name, number, lon in (("a", 1, "1, 2"), ("b", 2, "3, 4")):
        Path(f"{name}.cdl").write_text(text.format(number, lon))
    copied("a.cdl", "b.cdl", concat="lon")
    found = ncz.open("all.zarr")
    grid: list[list[float | None]] = [[None] * 4 for _ in range(2)]
    for place, value in zip(found["point"][...].tolist(), found["v"][...].tolist(), strict=True):
        grid[place // 4][place % 4] = value
    assert grid == [[1, None, 2, None], [None, 1.5, None, 2.5]]
    ncz.gen("a.cdl", "s.zarr", notify=lambda _: None)
    done = run("copy", "b.cdl", "s.zarr", "--append", "lon")
    assert (done.code, "the positions in /point would change" in done.stderr) == (1, True)


def test_sorted_stations_are_refused(run: Run):
    text = """netcdf r {{ dimensions: station = 1 ; obs = 2 ; variables: int station(station) ;
      float t(obs) ; int row(station) ; row:sample_dimension = "obs" ;
      data: station = {0} ; t = {0}, {0} ; row = 2 ; }}"""
    for number in (1, 2, 3):
        Path(f"{number}.cdl").write_text(text.format(number))
    sources = ("1.cdl", "3.cdl", "2.cdl")
    done = run("copy", *sources, "x.zarr", "--concat", "station", "--sort")
    assert (done.code, "and /row contains their positions; omit --sort" in done.stderr) == (1, True)
    copied("1.cdl", "2.cdl", concat="station")
    assert ncz.open("all.zarr")["t"][...].tolist() == [1, 1, 2, 2]
