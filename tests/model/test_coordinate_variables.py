"""Variables that contain coordinates."""

from __future__ import annotations

from pathlib import Path

from ncz.formats.opening import open_dataset
from ncz.model.coordinate_variables import coordinate_variables
from ncz.zmap.location import parse_location
from tests.conftest import Run

CDL = """netcdf x { dimensions: x = 2 ; n = 2 ;
variables: int x(x) ; x:bounds = "xb" ; double xb(x, n) ; double area(x) ; int when ;
  when:units = "days since 2000-01-01" ; double place(x) ; place:units = "degrees_north" ;
  double t(x) ; t:coordinates = "height" ; t:cell_measures = "area: area" ; double height ; }"""


def test_data_and_areas_are_no_coordinates(run: Run, tmp_path: Path):
    assert run("gen", "-", "-o", tmp_path / "x.nc", stdin=CDL.encode()).code == 0
    with open_dataset(parse_location(str(tmp_path / "x.nc"))) as opened:
        found = coordinate_variables(opened.dataset.root)
    assert found == {"/x", "/xb", "/when", "/place", "/height"}
