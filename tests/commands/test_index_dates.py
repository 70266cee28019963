"""Dates of the values that differ."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = """netcdf s {
dimensions: x = 2 ; time = 3 ; step = 2 ; level = 2 ;
variables:
  short time(time) ; time:units = "hours since 2026-01-31" ; time:scale_factor = 0.5 ;
    time:_FillValue = -1s ;
  double step(step) ; step:units = "days since yesterday" ;
  float v(x, time) ; float w(step) ; float u(level) ; float level(level) ; level:units = "m" ;
data:
  time = 0, 48, _ ; step = 0, 1 ; v = 1, 2, 3, 4, 5, 6 ; w = 1, 2 ; u = 1, 2 ; level = 1, 2 ;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("1, 2, 3, 4, 5, 6", "1, 2, 3, 4, 7, 6", "/v[1,1] at 2026-02-01: 5.0 != 7.0"),
        ("1, 2, 3, 4, 5, 6", "1, 2, 9, 4, 5, 6", "/v[0,2]: 3.0 != 9.0"),  # a time is missing
        ("w = 1, 2", "w = 1, 3", "/w[1]: 2.0 != 3.0"),
        ("u = 1, 2", "u = 1, 3", "/u[1]: 2.0 != 3.0"),
        ("time = 0, 48", "time = 0, 50", "/time[1]: 48 != 50"),
    ],
)
def test_the_date_of_a_value_that_differs(run: Run, tmp_path, old, new, line):
    for name, text in (("a.nc", CDL), ("b.zarr", CDL.replace(old, new))):
        ncz.gen(io.BytesIO(text.encode()), tmp_path / name, notify=ignore_notice)
    done = run("diff", tmp_path / "a.nc", tmp_path / "b.zarr")
    assert done.text.splitlines()[0] == line
    first = ncz.diff(tmp_path / "a.nc", tmp_path / "b.zarr", notify=ignore_notice)[0]
    assert first.date == (line.partition(" at ")[2].partition(":")[0] or None)
