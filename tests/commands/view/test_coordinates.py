"""Coordinates as numbers and as text, and which way they go."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.view.coordinates import Coordinates, decoded_numbers, known_values
from ncz.model.tree import variables_by_fqn

CDL = b"""netcdf s { dimensions: time = 2 ; lat = 3 ; lon = 2 ; z = 2 ; d = 2 ; n = 2 ; row = 2 ;
variables:
  int time(time) ; time:units = "hours since 2026-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ; lat:long_name = "latitude" ;
  short lon(lon) ; lon:units = "degrees_east" ; lon:scale_factor = 0.5 ;
  float z(z) ; z:units = "m" ; z:positive = "up" ;
  float d(d) ; d:units = "m" ; d:positive = "down" ;
  char n(n) ;
  float curved(row, lon) ; curved:units = "degrees_north" ;
  float v(lat) ; short packed(lon) ; packed:missing_value = 2s ;
data: time = 0, 6 ; lat = 50, 40, 30 ; lon = 20, 40 ; z = 1, 2 ; d = 1, 2 ; n = "ab" ;
  curved = 1, 2, 3, 4 ; packed = 1, 2 ; }"""
DATASET = read_cdl(CDL, source="s")
COORDINATES = Coordinates(DATASET, decoded_numbers)


@pytest.mark.parametrize(
    ("dimension", "title", "texts"),
    [
        ("/time", "time (hours since 2026-01-01)", ["2026-01-01", "2026-01-01 06"]),
        ("/lat", "latitude (degrees_north)", ["50", "40"]),
        ("/lon", "lon (degrees_east)", ["10", "20"]),
        ("/n", "n", ["[0]", "[1]"]),
        ("/row", "row", ["[0]", "[1]"]),
    ],
)
def test_texts(dimension, title, texts):
    assert COORDINATES.title(dimension) == title
    assert COORDINATES.texts(dimension, range(2)) == texts
    assert (COORDINATES.numbers(dimension, range(2)) is None) == (texts[0] == "[0]")


def test_times_are_found_once():
    times = COORDINATES.times("/time")
    assert times is not None
    assert COORDINATES.times("/time") is times
    assert COORDINATES.times("/lat") is None
    assert COORDINATES.times("/row") is None


def test_a_map_has_latitudes_and_longitudes():
    assert COORDINATES.is_map("/lat", "/lon")
    assert not COORDINATES.is_map("/lon", "/lat")
    assert not COORDINATES.is_map("/row", "/lon")


@pytest.mark.parametrize(
    ("dimension", "goes_up"),
    [("/lat", False), ("/z", True), ("/d", False), ("/time", False), ("/row", True), ("/n", False)],
)
def test_the_last_index_is_at_the_top(dimension, goes_up):
    numbers = COORDINATES.numbers(dimension, range(2))
    assert COORDINATES.go_up(dimension, numbers) == goes_up
    if numbers is not None:
        assert not COORDINATES.go_up(dimension, numbers[:1])


def test_missing_values_are_nan():
    variables = dict(variables_by_fqn(DATASET.root))
    fill = np.array([1, 9.96921e36], "f4")
    np.testing.assert_array_equal(known_values(fill, variables["/v"]), [1, np.nan])
    np.testing.assert_array_equal(
        known_values(np.array([1, 2, -32767], "i2"), variables["/packed"]), [1, np.nan, -32767]
    )
