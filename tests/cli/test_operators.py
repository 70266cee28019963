"""Operators of NCO and CDO as lines of ncz."""

from __future__ import annotations

import pytest

from ncz.cli.programs.operators import line_of

MANY = "9" * 5000


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("select,timestep=1/12 a.nc b.nc", "copy --isel time=0:12 a.nc b.nc"),
        ("select,timestep=3 a.nc b.nc", "copy --isel time=2:3 a.nc b.nc"),
        ("select,timestep=0 a.nc b.nc", None),
        ("select,timestep=² a.nc b.nc", None),
        (f"select,timestep={MANY} a.nc b.nc", None),
        (f"select,timestep=1/{MANY} a.nc b.nc", None),
        ("seltimestep,1/12/2 a.nc b.nc", "copy --isel time=0:12:2 a.nc b.nc"),
        (f"seltimestep,{MANY} a.nc b.nc", None),
        ("seltimestep,٣ a.nc b.nc", None),
        ("ncrcat -n 3,2,1 f08.nc o.nc", "copy --concat time f08.nc f09.nc f10.nc o.nc"),
        ("ncrcat -n 2,1 f08.nc o.nc", "copy --concat time f08.nc f09.nc o.nc"),
        ("ncrcat -n 2,3,1 f08.nc o.nc", None),
        ("ncrcat -n 2,0,1 f08.nc o.nc", None),
        ("ncrcat -n 1000000000,2,1 f08.nc o.nc", None),
        ("ncrcat -n ²,2,1 f08.nc o.nc", None),
        (f"ncrcat -n {MANY},2,1 f08.nc o.nc", None),
        ("ncrcat -n 2,,1 f08.nc o.nc", None),
    ],
    ids=lambda each: str(each)[:40],
)
def test_numbers_of_steps_and_files(line: str, wanted: str | None):
    word, *typed = line.split()
    found = line_of(word, typed)
    assert (None if found is None else " ".join(found)) == wanted
