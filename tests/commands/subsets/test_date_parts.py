"""Selection by parts of dates, compared with xarray's selection."""

from __future__ import annotations

from typing import Any

import pytest
import xarray

import ncz
from ncz.commands.subsets.spelling import parse_value
from ncz.errors import ignore_notice

CDL = """netcdf t { dimensions: time = 800 ; x = 2 ; variables:
  int time(time) ; time:units = "days since 2023-11-05 06:00" ; time:calendar = "CALENDAR" ;
  int number(x) ; data: time = VALUES ; }"""


@pytest.fixture(scope="module", params=["standard", "360_day"])
def dates(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dates")
    values = ", ".join(map(str, range(800)))
    text = CDL.replace("CALENDAR", request.param).replace("VALUES", values)
    (folder / "t.cdl").write_text(text)
    ncz.gen(folder / "t.cdl", folder / "t.nc", notify=ignore_notice)
    return folder / "t.nc"


@pytest.mark.parametrize(
    ("part", "text", "numbers"),
    [
        ("month", "6,7,8", [6, 7, 8]),
        ("month", "6:8", [6, 7, 8]),
        ("month", "11/2", [11, 12, 1, 2]),
        ("month", "1/2,7", [1, 2, 7]),
        ("month", "Jun,july", [6, 7]),
        ("month", "nov-feb", [11, 12, 1, 2]),
        ("day", "1", [1]),
        ("hour", "6", [6]),
        ("year", "2024", [2024]),
        ("season", "djf", ["DJF"]),
        ("season", "JJA,SON", ["JJA", "SON"]),
    ],
)
def test_parts_match_xarray(dates, part, text, numbers):
    with xarray.open_dataset(dates) as whole:
        expected = whole.time[getattr(whole.time.dt, part).isin(numbers)].time.values
    with ncz.open(dates, sel={f"time.{part}": text}) as ours:
        assert ours.to_xarray().time.values.tolist() == expected.tolist()
        assert 0 < len(expected) < 800 or part == "hour"


def test_a_part_and_a_range_are_selected_together(dates):
    with ncz.open(dates, sel={"time": slice("2024", "2024-12"), "time.month": [1, 2]}) as ours:
        months = {str(each)[:7] for each in ours.to_xarray().time.values}
    assert months == {"2024-01", "2024-02"}


@pytest.mark.parametrize(
    ("selection", "says"),
    [
        ({"time.month": "13"}, "selects nothing: no date has such a month"),
        ({"time.month": "Brumaire"}, "write a month as a number, as in time.month=1,2"),
        ({"time.season": "summer"}, "the seasons are DJF, MAM, JJA, SON"),
        ({"number.month": "1"}, "/number"),
        ({"time.week": "1"}, "no dimension or coordinate is named 'time.week'"),
        ({"tim.month": "1"}, "no dimension or coordinate is named 'tim'; did you mean 'time'?"),
    ],
)
def test_a_coordinate_without_such_a_part_is_an_error(dates, selection: dict[str, Any], says):
    with pytest.raises(ncz.NczError) as error:
        ncz.open(dates, sel=selection)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("20231105:20231106", "2023-11-05:2023-11-06"),
        ("2023-11-05T06:00:00Z:2023-11-06T06Z", "2023-11-05T06:00:00:2023-11-06T06"),
    ],
)
def test_dates_without_hyphens_or_with_the_z_of_utc(dates, text, usual):
    with ncz.open(dates) as whole:
        found, expected = (whole.sel(time=parse_value(each)) for each in (text, usual))
        assert found["time"][:].tolist() == expected["time"][:].tolist() == [0, 1]


def test_a_part_alone_is_one_of_time(dates):
    with ncz.open(dates, sel={"month": "6"}) as ours, ncz.open(dates) as whole:
        expected = whole.sel({"time.month": "6"})["time"][:].tolist()
        assert ours["time"][:].tolist() == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("June", "time.month=6"),
        ("jun,jul", "time.month=6,7"),
        ("JJA", "time.season=JJA"),
        ("2023-11,2023-12", "time=2023-11:2023-12"),
        ("2023-2024", "time=2023:2024"),
        ("1.12.2023", "a date, such as time=2026-01-31"),
    ],
)
def test_the_error_of_a_date_names_the_line(dates, text, line):
    with pytest.raises(ncz.NczError) as error:
        ncz.open(dates, sel={"time": text})
    assert f"write {line}" in str(error.value)


@pytest.mark.parametrize(
    ("text", "usual"), [("30N:60N", "30:60"), ("10S", "-10"), ("30.5S:0", "-30.5:0")]
)
def test_degrees_may_have_a_letter(text, usual, tmp_path):
    (tmp_path / "g.cdl").write_text(
        "netcdf g { dimensions: lat = 4 ; variables: float lat(lat) ;"
        ' lat:units = "degrees_north" ; data: lat = -30, -10, 40, 60 ; }'
    )
    ncz.gen(tmp_path / "g.cdl", tmp_path / "g.nc")
    whole = ncz.open(tmp_path / "g.nc")
    found, expected = (whole.sel(lat=parse_value(each)) for each in (text, usual))
    assert found["lat"][...].tolist() == expected["lat"][...].tolist() != []
