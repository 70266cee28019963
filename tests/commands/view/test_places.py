"""The places of a variable on the map."""

from __future__ import annotations

import io

import ncz
from ncz.commands.view.places import places_of
from ncz.errors import ignore_notice
from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location

CDL = b"""netcdf s { dimensions: n = 3 ; m = 3 ;
variables: float v(n, n) ; v:coordinates = "lon lat" ; float w(n, m) ; w:coordinates = "x y" ;
  float lon(n, n) ; lon:units = "degrees_east" ; float lat(n, n) ; lat:units = "degrees_north" ;
  float x(n, m) ; x:units = "degrees_east" ; float y(n, m) ; y:units = "degrees_north" ; }"""


def test_a_dimension_that_is_named_twice_has_no_places():
    url = "memory://places"
    ncz.gen(io.BytesIO(CDL), url, overwrite=True, notify=ignore_notice)
    with open_dataset(parse_location(url)) as opened:
        assert places_of(opened.dataset, "/v") is None
        found = places_of(opened.dataset, "/w")
    assert found is not None
    assert (found.axes, found.longitude, found.latitude) == ((0, 1), "/x", "/y")
