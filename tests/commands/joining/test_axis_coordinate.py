"""Datasets without a coordinate variable are ordered by dates along the dimension, as WRF's."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from ncz.commands.joining.error import JoinError
from ncz.errors import ignore_notice

WRF = """netcdf w {{
dimensions: Time = UNLIMITED ; x = 2 ; DateStrLen = 19 ;
variables: char Times(Time, DateStrLen) ; float XTIME(Time) ;
 XTIME:units = "minutes since {since}" ; float T2(Time, x) ; {links}
data: Times = {texts} ; XTIME = {minutes} ; T2 = {values} ;
}}
"""


def wrf(folder: Path, name: str, hours: range, since: int = 0, links: str = "") -> str:
    """A file of WRF with a record an hour."""
    texts = ", ".join(f'"2020-01-01_{hour:02}:00:00"' for hour in hours)
    minutes = ", ".join(str(60 * (hour - since)) for hour in hours)
    values = ", ".join(f"{hour}, {hour + 0.5}" for hour in hours)
    (folder / "w.cdl").write_text(
        WRF.format(
            since=f"2020-01-01 {since:02}:00:00", texts=texts, minutes=minutes, values=values,
            links=links,
        )
    )  # fmt: skip
    ncz.gen(folder / "w.cdl", folder / name, overwrite=True)
    return str(folder / name)


@pytest.fixture
def files(tmp_path):
    """Three hours each: the second follows the first, and the third overlaps it."""
    return [
        wrf(tmp_path, "a.nc", range(3)),
        wrf(tmp_path, "b.nc", range(3, 6), since=3),
        wrf(tmp_path, "c.nc", range(5, 8)),
    ]


def hours(path: Path) -> list[float]:
    return [row[0] for row in ncz.open(path)["T2"][:].tolist()]


@pytest.mark.parametrize("exclude", [[], ["XTIME"], ["Times"]], ids=str)
@pytest.mark.parametrize(
    ("order", "options", "expected"),
    [
        ("ba", {"sort": True}, range(6)),
        ("abc", {"overlap": "last"}, range(8)),
        ("abc", {"overlap": "first"}, range(8)),
        ("cab", {"sort": True, "overlap": "first"}, range(8)),
        ("ba", {}, [3, 4, 5, 0, 1, 2]),
        ("ba", {"overlap": "keep"}, [3, 4, 5, 0, 1, 2]),
    ],
)
def test_dates_order_the_files_of_wrf(files, tmp_path, exclude, order, options, expected):
    source, *more = (files["abc".index(letter)] for letter in order)
    target = tmp_path / "all.nc"
    ncz.copy(
        [source, *more], target, concat="Time", exclude=exclude, notify=ignore_notice, **options
    )
    assert hours(target) == [*map(float, expected)]


def test_an_overlap_is_named_with_its_dates(files, tmp_path):
    with pytest.raises(JoinError, match=r"it has 300 \(2020-01-01 05\) along /XTIME"):
        ncz.copy(files, tmp_path / "all.nc", concat="Time", sort=True, notify=ignore_notice)


def test_a_store_grows_by_the_following_values(files, tmp_path):
    ncz.copy(files[0], tmp_path / "s.zarr", notify=ignore_notice)
    for name in files[1:]:
        ncz.copy(name, tmp_path / "s.zarr", append="Time", overlap="first", notify=ignore_notice)
    assert hours(tmp_path / "s.zarr") == [*map(float, range(8))]


def test_without_dates_a_requested_order_is_an_error(tmp_path):
    text = "netcdf s { dimensions: t = 2 ; variables: int v(t) ; data: v = 1, 2 ; }"
    (tmp_path / "s.cdl").write_text(text)
    for options in ({"sort": True}, {"overlap": "last"}):
        with pytest.raises(JoinError, match="/t has no coordinate of numbers or dates"):
            ncz.copy([tmp_path / "s.cdl"] * 2, tmp_path / "t.nc", concat="t", **options)


def test_several_auxiliary_times_are_ambiguous_unless_one_is_named_as_a_coordinate(tmp_path):
    for links, fits in (("", False), ('T2:coordinates = "XTIME" ;', True)):
        name = wrf(tmp_path, "a.nc", range(3), links=f"double ITIME(Time) ; "
                   f'ITIME:units = "hours since 2020-01-01" ; {links}')  # fmt: skip
        other = wrf(tmp_path, "b.nc", range(3, 6), links=f"double ITIME(Time) ; "
                    f'ITIME:units = "hours since 2020-01-01" ; {links}')  # fmt: skip
        if fits:
            ncz.copy([other, name], tmp_path / "t.nc", concat="Time", sort=True,
                     notify=ignore_notice)  # fmt: skip
            assert hours(tmp_path / "t.nc") == [*map(float, range(6))]
        else:
            with pytest.raises(JoinError, match="several others have times: /XTIME, /ITIME"):
                ncz.copy([other, name], tmp_path / "t.nc", concat="Time", sort=True)


def test_the_dimension_of_a_variable_that_is_named_is_the_hint(files, tmp_path):
    with pytest.raises(JoinError, match="XTIME is along Time") as caught:
        ncz.copy(files[:2], tmp_path / "t.nc", concat="XTIME")
    assert "Time" in str(caught.value.hint)
