"""Variables that others need."""

from __future__ import annotations

import pytest

from ncz.model.references import named_dimensions, references, with_references
from tests.test_round_trip import parsed

CDL = b"""netcdf d { dimensions: time = 2 ; lat = 3 ; n = 2 ;
variables: double time(time) ; time:bounds = "time_bnds" ; double time_bnds(time, n) ;
 double lat(lat) ; float t(time, lat) ; t:coordinates = "height" ; t:grid_mapping = "crs" ;
 double height ; int crs ; float alone ; alone:coordinates = "missing" ; }"""


@pytest.fixture(scope="module")
def needed() -> dict[str, frozenset[str]]:
    return references(parsed(CDL).root)


def test_coordinates_and_named_variables_are_needed(needed):
    assert needed["/t"] == {"/time", "/lat", "/height", "/crs"}
    assert needed["/time"] == {"/time_bnds"}
    assert needed["/lat"] == needed["/alone"] == frozenset()


def test_references_of_needed_variables_are_included(needed):
    assert with_references(["/t"], needed) == {
        "/t", "/time", "/time_bnds", "/lat", "/height", "/crs"
    }  # fmt: skip
    assert with_references([], needed) == frozenset()
    assert with_references(["/time_bnds", "/time"], needed) == {"/time", "/time_bnds"}


def test_a_ragged_array_needs_the_sizes_of_its_rows():
    counts = b"""netcdf r { dimensions: row = 2 ; obs = 5 ; variables: int size(row) ;
    size:sample_dimension = "obs" ; float v(obs) ; data: size = 2, 3 ; }"""
    root = parsed(counts).root
    assert "/size" in references(root)["/v"]
    assert named_dimensions(root) == {"/size": {"/obs"}}
