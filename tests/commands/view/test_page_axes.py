"""The axes of a picture as the page shows them."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.view.chunk_cache import ChunkCache
from ncz.commands.view.page_axes import PageAxes
from ncz.commands.view.value_reader import ValueReader
from ncz.parallel.threads import ThreadPool

CDL = b"""netcdf s { dimensions: time = 2 ; lat = 3 ; station = 2 ; len = 3 ; n = 2 ;
variables: int time(time) ; time:units = "days since 2026-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ;
  char name(station, len) ; string label(station) ;
  float v(time, lat) ; float s(station, n) ; s:coordinates = "name" ; float t(station) ;
  t:coordinates = "label" ;
data: time = 0, 1 ; lat = 10, 20, 30 ; name = "ab", "cde" ; label = "one", "two" ; }"""


@pytest.fixture
def axes():
    with ThreadPool(1 << 20, 2) as pool:
        dataset = read_cdl(CDL, source="s")
        yield PageAxes(ValueReader(dataset, pool, ChunkCache(1 << 20), is_remote=False))


def variable(axes: PageAxes, name: str):
    return next(v for _, v in axes._reader.variables if v.name == name)


def test_numbers_and_dates(axes):
    v = variable(axes, "v")
    ranges = [range(2), range(0, 3, 2)]
    time, lat = (axes.axis(v, number, ranges) for number in (0, 1))
    assert time["texts"] == ["2026-01-01", "2026-01-02"]
    assert (time["isDate"], time["isNumber"]) == (True, False)
    assert lat["coordinates"] == [10, 30]
    assert (lat["start"], lat["step"], lat["isNumber"], lat["goesUp"]) == (0, 2, True, True)
    assert axes.axis(v, None, ranges) is None


@pytest.mark.parametrize(("name", "texts"), [("s", ["ab", "cde"]), ("t", ["one", "two"])])
def test_names_of_indices(axes, name, texts):
    one = variable(axes, name)
    assert axes.texts(one, 0, range(2)) == texts
    found = axes.axis(one, 0, [range(2), range(2)])
    assert (found["isNumber"], found["coordinates"]) == (False, None)
    assert axes.labels("/n", one) is None


def test_indices_without_a_coordinate(axes):
    s = variable(axes, "s")
    assert axes.texts(s, 1, range(2)) == ["[0]", "[1]"]
    assert axes.places(s, (2, 2), [range(2), range(1, 2)], [0]) == ["", "[1]"]
    assert axes.scale("/n") is None


def test_units(axes):
    assert [axes.units(name) for name in ("/lat", "/time", "/n")] == ["degrees_north", "", ""]
