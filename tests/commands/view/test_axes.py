"""The dimensions of a picture."""

from __future__ import annotations

import pytest

from ncz.commands.option_error import OptionError
from ncz.commands.view.axes import keeps_shape, picture_axes
from tests.test_round_trip import parsed

CDL = """netcdf d {{ dimensions: time = 4 ; lev = 3 ; lat = 2 ; lon = 5 ; n = 6 ; one = 1 ;
variables: double time(time) ; time:units = "days since 2000-01-01" ;
 double lev(lev) ; lev:positive = "up" ; lev:axis = "Z" ; double lat(lat) ;
 lat:units = "degrees_north" ; double lon(lon) ; lon:units = "degrees_east" ; int v({}) ; }}"""


def axes(dimensions: str, *requested: str) -> tuple[int | None, int]:
    dataset = parsed(CDL.format(dimensions).encode())
    return picture_axes(dataset, dataset.root.variables[-1], requested)


@pytest.mark.parametrize(
    ("dimensions", "found"),
    [
        ("time, lev, lat, lon", (2, 3)),
        ("lon, lat", (1, 0)),
        ("time, lev, lat", (1, 2)),
        ("time, lon", (0, 1)),
        ("lev, time", (1, 0)),
        ("n, one", (None, 0)),
        ("one, one", (None, 1)),
        ("one", (None, 0)),
        ("n, time", (0, 1)),
    ],
)
def test_known_axes_come_first(dimensions: str, found: tuple[int | None, int]):
    assert axes(dimensions) == found


def test_named_dimensions_are_used():
    assert axes("time, lat, lon", "time") == (None, 0)
    assert axes("time, lat, lon", "time", "lon") == (2, 0)
    with pytest.raises(OptionError, match="no dimension 'x'; its dimensions are time, lat"):
        axes("time, lat", "x")


def test_only_lengths_on_a_map_can_be_compared():
    dataset = parsed(CDL.format("n").encode())
    assert keeps_shape(dataset, ["/lat", "/lon", "/n"])
    assert not keeps_shape(dataset, ["/lat", "/lev"])
    assert not keeps_shape(dataset, ["/time"])
