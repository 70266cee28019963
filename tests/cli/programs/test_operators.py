"""Operators of NCO and CDO as lines of ncz."""

from __future__ import annotations

import pytest

from ncz.cli.programs.operators import line_of
from tests.cli.programs.lines import check_line

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


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("chname,a,b,c,d in.nc out.nc", "edit in.nc --rename a=b --rename c=d -o out.nc"),
        ("setattribute,t@units=K in.nc out.nc", "edit in.nc t:units=K -o out.nc"),
        ("select,name=a,b,level=850 in.nc out.nc", "copy --vars a,b --sel level=850 in.nc out.nc"),
        ("select,timestep=2/5 in.nc out.nc", "copy --isel time=1:5 in.nc out.nc"),
        ("select,startdate=2020-01-01,enddate=2020-02-01,name=t in.nc out.nc",
         "copy --sel time=2020-01-01:2020-02-01 --vars t in.nc out.nc"),
        ("select,name=t a.nc b.nc c.nc", "copy --concat time --vars t a.nc b.nc c.nc"),
        ("migrate v3 s.zarr", "edit s.zarr --zarr-format 3"),
        ("select,month=1,2,name=t in.nc out.nc", "copy --sel time.month=1,2 --vars t in.nc out.nc"),
        ("seltime,00:00:00,12:00 in.nc out.nc", "copy --sel time.hour=0,12 in.nc out.nc"),
        ("seltime,12:30:00 in.nc out.nc", None),
        ("select,name in.nc out.nc", None),
        ("delete,name=a,b in.nc out.nc", "copy --exclude a,b in.nc out.nc"),
        ("delete s.zarr", None),
        ("splitmon in.nc m_", "copy --split time=month in.nc 'm_{}.nc'"),
        ("seltimestep,2/5 in.nc out.nc", "copy --isel time=1:5 in.nc out.nc"),
        ("splityear in.nc out_", "copy --split time=year in.nc 'out_{}.nc'"),
        ("setattribute,t@units=K in.nc", "edit in.nc t:units=K"),
        ("remapnn,lon=-1.5/lat=50 in.nc out.nc",
         "copy --nearest --sel lon=-1.5,lat=50 in.nc out.nc"),
        ("remapnn,r9x9 in.nc out.nc", None),
        ("outputtab,date,lat:6,lon,value in.nc", "dump --csv in.nc"),
        ("outputtab,xind,value in.nc", None),
    ],
)  # fmt: skip
def test_operators_with_options(line: str, ours: str | None):
    check_line(line, ours)
