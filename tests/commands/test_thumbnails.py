"""Small pictures of variables, from few chunks."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.thumbnails import picture_of
from ncz.commands.view.cost import MOST_READ
from ncz.model.data import MemoryArray
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.views.page_parts import Picture

CDL = b"""netcdf s { dimensions: z = 2 ; lat = 3 ; lon = 4 ; one = 1 ; time = 2 ;
variables: float lat(lat) ; lat:units = "degrees_north" ;
  float v(z, lat, lon) ; v:_FillValue = 5.f ; float flat(lon, lat) ; char text(lon) ;
  float single(one) ; int time(time) ; time:units = "days since 2026-01-01" ; float none(lon) ;
data: lat = -10, 0, 10 ; v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ;
  flat = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; text = "abcd" ; single = 1 ; time = 0, 3 ;
  none = _, _, _, _ ; }"""
ROOT = read_cdl(CDL, source="s").root


def picture(name: str) -> Picture | None:
    return picture_of(next(v for v in ROOT.variables if v.name == name), ROOT)


def test_a_map_has_north_at_the_top():
    found = picture("v")
    assert found is not None
    np.testing.assert_array_equal(found.values, [[8, 9, 10, 11], [4, np.nan, 6, 7], [0, 1, 2, 3]])
    assert found.caption == "0 to 11; z = 0"
    flat = picture("flat")
    assert flat is not None
    assert flat.values.tolist()[0] == [1, 2, 3]


def test_a_line():
    found = picture("lat")
    assert found is not None
    assert (found.values.tolist(), found.caption) == ([-10, 0, 10], "-10 to 10")
    times, missing = picture("time"), picture("none")
    assert times is not None
    assert missing is not None
    assert times.caption == "2026-01-01 to 2026-01-04"
    assert missing.caption == "all missing"


@pytest.mark.parametrize("name", ["text", "single"])
def test_variables_without_a_picture(name):
    assert picture(name) is None


def test_long_variables_are_thinned():
    line = next(v for v in ROOT.variables if v.name == "none")
    data = MemoryArray(np.arange(1000, dtype="f4"), Atomic.FLOAT)
    found = picture_of(replace(line, data=data), ROOT)
    assert found is not None
    assert len(found.values) == 334
    assert found.caption == "0 to 999; every 3 along lon"


def test_a_chunk_that_is_too_large():
    line = next(v for v in ROOT.variables if v.name == "none")
    values = np.broadcast_to(np.zeros(1, "f4"), (MOST_READ // 4 + 1,))
    assert picture_of(replace(line, data=MemoryArray(values, Atomic.FLOAT)), ROOT) is None
