"""The page of ``ncz info``: golden texts of 80 columns, ranges of coordinates, and its JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.local.directory import DirectoryZmap
from tests.conftest import ROOT, Run

WEATHER = """\
weather: Zarr V2, consolidated, annotated, 6 variables

Dimensions
  time  4 unlimited  2026-01-01 to 2026-01-01 18:00, every 6 hours
  lat   3            50 to 55 by 2.5 degrees_north
  lon   5            -5 to 5 by 2.5 degrees_east

Variables
  temperature(time, lat, lon)  float 4x3x5  air_temperature [K]
  wind_speed(time, lat, lon)   short 4x3x5  wind_speed [m s-1]
  station(lat)                 string 3     nearest station

Attributes
  title        A small forecast
  Conventions  CF-1.11

Storage: %s stored, 424 B of values (ratio %s); /temperature has chunks
  of 2x3x5 (120 B), shuffle zlib
"""

OCEAN = """netcdf ocean {
dimensions: Time = UNLIMITED ; south_north = 3 ; west_east = 4 ; month = 12 ; deep = 2 ;
variables:
  float XLAT(Time, south_north, west_east) ; XLAT:units = "degree_north" ;
    XLAT:description = "LATITUDE, SOUTH IS NEGATIVE" ;
  float T2(Time, south_north, west_east) ; T2:coordinates = "XLAT" ; T2:units = "K" ;
  float a_variable_with_a_very_long_name(Time, deep, south_north, west_east) ;
    a_variable_with_a_very_long_name:long_name = "a long name of many words that does not fit" ;
  double month(month) ; month:units = "days since 2025-01-01" ; month:calendar = "noleap" ;
  :TITLE = "OUTPUT OF A MODEL" ; :source = "of many words, which %s fill several lines" ;
  :a1 = 1 ; :a2 = 1.5 ; :a3 = 1, 2, 3 ; :a4 = "x" ; :a5 = "x" ; :a6 = "x" ; :a7 = "x" ; :a8 = 2s ;
data: month = 15, 45, 74, 105, 135, 166, 196, 227, 258, 288, 319, 349 ;
group: forcing { variables: double wind(month) ; wind:units = "m s-1" ; :comment = "daily" ; }
}""" % ("and " * 40)

OCEAN_PAGE = """\
s: NCZarr 2 on Zarr V2, 5 variables in 2 groups

Dimensions
  Time         0 unlimited
  south_north  3
  west_east    4
  month        12           2025-01-16 to 2025-12-16, every month, calendar
                            noleap
  deep         2

Variables
  T2(Time, south_north, west_east)  float 0x3x4    [K]
  a_variable_with_a_very_long_name(Time, deep, south_north, west_east)
                                    float 0x2x3x4  a long name of many words
                                                   that does not fit

Auxiliary coordinates
  XLAT(Time, south_north, west_east)  float 0x3x4  LATITUDE, SOUTH IS NEGATIVE
                                                   [degree_north]

Attributes
  source  of many words, which and and and and and and and and and and and and
          and and and and and and and and and and and and and and and and ...
  TITLE   OUTPUT OF A MODEL
  a1      1
  a2      1.5
  a3      1, 2, 3
  a4      x
  a5      x
  a6      x
  and 2 more: a7, a8

Group /forcing

Variables
  wind(month)  double 12  [m s-1]

Attributes
  comment  daily
"""


@pytest.fixture(autouse=True)
def columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def made(folder: Path, text: str, name: str = "s.zarr", **options) -> Path:
    (folder / "s.cdl").write_text(text)
    ncz.gen(folder / "s.cdl", folder / name, notify=ignore_notice, **options)
    return folder / name


def test_a_forecast_at_80_columns(run: Run, tmp_path):
    ncz.gen(ROOT / "cdl_examples/weather.cdl", tmp_path / "weather.nc", notify=ignore_notice)
    ncz.copy(tmp_path / "weather.nc", tmp_path / "weather.zarr", notify=ignore_notice)
    done = run(tmp_path / "weather.zarr")
    assert (done.code, done.stderr) == (0, "")
    (stored,) = [line.split()[1] for line in done.text.splitlines() if line.startswith("Storage")]
    (ratio,) = [line.split()[9].strip(");") for line in done.text.splitlines() if "ratio" in line]
    unit = "kB" if "kB" in done.text else "B"
    assert done.text == WEATHER % (f"{stored} {unit}", ratio)


def test_a_model_at_80_columns(run: Run, tmp_path):
    text = run("info", made(tmp_path, OCEAN)).text
    page, _, storage = text.partition("\nStorage: ")
    assert page == OCEAN_PAGE
    assert storage.endswith("192 B of values (ratio 2); /month is one chunk, not\n  compressed\n")


RANGES = {
    'double x(x) ; x:units = "m" ; data: x = 0, 0.5, 1, 1.5 ;': "0 to 1.5 by 0.5 m",
    "float x(x) ; data: x = 0.1, 0.2, 0.3, 0.4 ;": "0.1 to 0.4 by 0.1",
    "double x(x) ; data: x = 4, 3, 2, 0 ;": "4 to 0",
    "int x(x) ; data: x = 4, 3, 2, 1 ;": "4 to 1 by -1",
    "short x(x) ; x:scale_factor = 0.5 ; data: x = 1, 2, 3, 4 ;": "0.5 to 2 by 0.5",
    "double x(x) ; x:_FillValue = 9. ; data: x = 9, 2, 3, 4 ;": "missing to 4",
    'string x(x) ; data: x = "a", "b", "c", "d" ;': "a to d",
    'int x(x) ; x:units = "hours since 2026-01-01" ; data: x = 0, 6, 12, 18 ;':
        "2026-01-01 to 2026-01-01 18:00, every 6 hours",
    'int x(x) ; x:units = "days since 2026-01-01" ; data: x = 0, 31, 59, 90 ;':
        "2026-01-01 to 2026-04-01, every month",
    'int x(x) ; x:units = "days since 2026-01-31" ; data: x = 0, 28, 59, 89 ;':
        "2026-01-31 to 2026-04-30, every month",
    'int x(x) ; x:units = "days since 2026-01-01" ; data: x = 0, 365, 730, 1096 ;':
        "2026-01-01 to 2029-01-01, every year",
    'int x(x) ; x:units = "months since 2026-01-01" ; data: x = 0, 3, 6, 9 ;':
        "2026-01-01 to 2026-10-01, every 3 months",
    'int x(x) ; x:units = "days since 2026-01-01" ; data: x = 0, 1, 3, 4 ;':
        "2026-01-01 to 2026-01-05",
}  # fmt: skip


@pytest.mark.parametrize("text", RANGES)
def test_the_range_of_a_coordinate(run: Run, tmp_path, text):
    store = made(tmp_path, f"netcdf s {{ dimensions: x = 4 ; variables: {text} }}")
    assert f"  x  4  {RANGES[text]}\n" in run("info", store).text


def test_a_long_coordinate_is_not_read_whole(run: Run, tmp_path, monkeypatch):
    values = ", ".join(map(str, range(100)))
    cdl = "netcdf s { dimensions: x = 100 ; variables: int x(x) ; x:_ChunkSizes = 1 ; data: x ="
    store = made(tmp_path, f"{cdl} {values} ; }}")
    read = []
    get = DirectoryZmap.get

    def noted(zmap, key, *rest):
        read.append(key)
        return get(zmap, key, *rest)

    monkeypatch.setattr(DirectoryZmap, "get", noted)
    assert "  x  100  0 to 99\n" in run("info", store).text
    assert [key for key in read if key.startswith("x/") and key[2:].isdigit()] == ["x/0", "x/99"]


def test_a_coordinate_that_cannot_be_read(run: Run, tmp_path):
    cdl = "netcdf s { dimensions: x = 2 ; variables: int x(x) ; x:_DeflateLevel = 1 ;"
    store = made(tmp_path, f"{cdl} data: x = 1, 2 ; }}")
    (store / "x/0").write_bytes(b"damaged")
    done = run("info", store)
    assert done.code == 0
    assert "  x  2  cannot be read\n" in done.text


def test_variables_that_are_named_have_their_attributes(run: Run, tmp_path):
    text = run("info", made(tmp_path, OCEAN), "T2").text
    assert "    coordinates  XLAT\n    units        K\n" in text
    assert "XLAT(" not in text
    assert "TITLE" not in text


def test_dimensions_of_variables_that_are_named_have_their_ranges(run: Run, tmp_path):
    store = made(tmp_path, OCEAN)
    span = "2025-01-16 to 2025-12-16, every month"
    assert span in run("info", store).text
    assert span in run("info", store, "wind").text
    document = json.loads(run("info", "--json", store, "wind").text)
    assert [v["path"] for v in document["variables"]] == ["/forcing/wind"]
    (month,) = document["coordinates"]
    assert month["path"] == "/month"
    assert month["range"]["dates"] == ["2025-01-16", "2025-12-16"]


def test_json_has_all(run: Run, tmp_path):
    document = json.loads(run("info", "--json", made(tmp_path, OCEAN)).text)
    found = {variable["path"]: variable for variable in document["variables"]}
    assert found["/month"]["role"] == "coordinate"
    assert found["/month"]["range"]["dates"] == ["2025-01-16", "2025-12-16"]
    assert found["/month"]["range"]["step_of_dates"] == "1 month"
    assert found["/XLAT"]["role"] == "auxiliary"
    assert found["/T2"]["units"] == "K"
    assert document["attributes"][0]["group"] == "/"
    assert document["attributes"][0]["attributes"]["a3"] == [1, 2, 3]
    assert document["attributes"][1] == {"group": "/forcing", "attributes": {"comment": "daily"}}


def test_headings_are_bold_in_colour(run: Run, tmp_path):
    plain = run("info", made(tmp_path, OCEAN)).text
    colored = run("info", "--color", "always", tmp_path / "s.zarr").text
    assert "\x1b[1mDimensions\x1b[0m\n" in colored
    assert colored.replace("\x1b[1m", "").replace("\x1b[0m", "") == plain
