"""Findings about names in attributes, and about positions along dimensions."""

from __future__ import annotations

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats.findings import Finding

CDL = """netcdf c {{
dimensions: station = 2 ; obs = 3 ; y = 2 ; x = 2 ;
variables:
  int row(station) ; row:sample_dimension = "obs" ;
  int index(obs) ; index:instance_dimension = "station" ;
  int land(obs) ; land:compress = "y x" ;
  float v(obs) ; v:coordinates = "row here there\\000" ; v:cell_methods = "time: mean" ;
  v:cell_measures = "area: areacella volume: volcello" ; v:grid = "a text about it" ;
  {attribute}
data: row = {row} ; index = {index} ; land = {land} ;
}}
"""
FINE = {"row": "1, 2", "index": "0, 1, _", "land": "0, 1, 3"}


def findings(tmp_path, attribute: str = "", *, data: bool = False, **values: str) -> list[Finding]:
    (tmp_path / "c.cdl").write_text(CDL.format(attribute=attribute, **{**FINE, **values}))
    ncz.gen(tmp_path / "c.cdl", tmp_path / "c.zarr", overwrite=True, notify=ignore_notice)
    found = ncz.check(tmp_path / "c.zarr", data=data).findings
    return [each for each in found if each.code in ("name-unknown", "position-outside")]


def test_names_that_the_store_does_not_have(tmp_path):
    external = ':external_variables = "areacella" ;'
    assert [(f.key, f.severity, f.message) for f in findings(tmp_path, external)] == [
        ("v", "note", "coordinates names here, there, which the store does not have"),
        ("v", "note", "cell_measures names volcello, which the store does not have"),
    ]


@pytest.mark.parametrize(
    ("values", "key", "message"),
    [
        ({"row": "2, 2"}, "row", "it counts 4 along /obs, which has 3 indices"),
        ({"index": "0, 2, 1"}, "index", "it has the index 2, but /station has 2 indices"),
        ({"land": "0, 1, 4"}, "land", "it has the index 4, but /y and /x have 4 indices"),
    ],
)
def test_positions_outside_of_their_dimension(tmp_path, values, key, message):
    found = findings(tmp_path, data=True, **values)
    assert ("position-outside", "warning", key, message) in [
        (f.code, f.severity, f.key, f.message) for f in found
    ]


def test_positions_that_fit(tmp_path):
    assert all(f.code == "name-unknown" for f in findings(tmp_path, data=True))
    assert all(f.code == "name-unknown" for f in findings(tmp_path, row="9, 9"))  # not read
