"""Lines of CDO: the results of ncz compared with CDO's."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run
from tests.sampled import sampled

FILE = """netcdf a {
dimensions: time = UNLIMITED ; level = 3 ; lat = 3 ; lon = 4 ;
variables: double time(time) ; time:units = "days since 2023-01-01" ;
  time:calendar = "standard" ; time:standard_name = "time" ;
  float level(level) ; level:units = "hPa" ; level:positive = "down" ;
  float lat(lat) ; lat:units = "degrees_north" ; lat:standard_name = "latitude" ;
  float lon(lon) ; lon:units = "degrees_east" ; lon:standard_name = "longitude" ;
  float temp(time, level, lat, lon) ; temp:units = "K" ;
data: time = TIMES ; level = 1000, 850, 500 ; lat = -10, 0, 10 ; lon = 0, 90, 180, 270 ;
  temp = VALUES ;
}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = ", ".join(map(str, range(36 * 4)))
    for number, times in enumerate(("0, 40, 80, 366", "400, 420, 440, 460"), 1):
        text = FILE.replace("TIMES", times).replace("VALUES", values)
        (tmp_path / "a.cdl").write_text(text)
        ncz.gen("a.cdl", f"a{number}.nc", kind="netCDF-4", notify=ignore_notice)
    return tmp_path


SAME = [
    "seltimestep,1,2,3 a1.nc out.nc",
    "seltimestep,-1 a1.nc out.nc",
    "seltimestep,2/-1 a1.nc out.nc",
    "seltimestep,1/3/2 a1.nc out.nc",
    "selyear,2023,2024 a1.nc out.nc",
    "selyear,2023/2023 a1.nc out.nc",
    "seldate,2023-02-10 a1.nc out.nc",
    "seldate,20230101,20230315 a1.nc out.nc",
    "sellevel,850 a1.nc out.nc",
    "sellevidx,1,2 a1.nc out.nc",
    "selindexbox,2,3,1,2 a1.nc out.nc",
    "invertlat a1.nc out.nc",
    "invertlev a1.nc out.nc",
    "setname,t a1.nc out.nc",
    "copy a1.nc a2.nc out.nc",
    "-f nc4 -z zip_4 copy a1.nc out.nc",
    "-s -L -P 2 --no_history -selname,temp -seltimestep,1/2 a1.nc out.nc",
    "selname,temp -sellonlatbox,0,90,-10,0 a1.nc out.nc",
    "-selname,temp -mergetime a1.nc a2.nc out.nc",
    "-sellevidx,1 -selname,temp -cat a1.nc a2.nc out.nc",
    "mergetime [ a1.nc a2.nc ] out.nc",
]


@pytest.mark.skipif(shutil.which("cdo") is None, reason="CDO is not installed")
@pytest.mark.parametrize("line", sampled(SAME, 3))
def test_the_values_match_cdo(line: str, here, run: Run):
    done = run("cdo", *shlex.split(line))
    assert done.code == 0, done.stderr
    found = {name: v[:].tolist() for name, v in ncz.open("out.nc").variables.items()}
    (here / "out.nc").unlink()
    subprocess.run(["cdo", "-s", *shlex.split(line)], check=True, capture_output=True)
    theirs = {name: v[:].tolist() for name, v in ncz.open("out.nc").variables.items()}
    assert found == {name: values for name, values in theirs.items() if name in found}
    assert theirs.keys() >= found.keys()


@pytest.mark.parametrize(
    ("line", "attribute", "value"),
    [
        ("setunit,degC a1.nc out.nc", "temp:units", "degC"),
        ("chunit,K,kelvin a1.nc out.nc", "temp:units", "kelvin"),
        ("setattribute,title=New a1.nc out.nc", ":title", "New"),
        ("setattribute,temp@units=degC,title=New a1.nc out.nc", "temp:units", "degC"),
        ("delattribute,temp@units a1.nc out.nc", "temp:units", None),
        ("-O setattribute,temp@note=x a1.nc out.nc", "temp:note", "x"),
    ],
)
def test_attributes_change_in_the_copy(line, attribute, value, here, run: Run):
    done = run("cdo", *line.split())
    assert (done.code, done.stderr) == (0, "")
    variable, _, name = attribute.partition(":")
    ds = ncz.open("out.nc")
    assert (ds[variable].attrs if variable else ds.attrs).get(name) == value


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("infon -seltimestep,1 a1.nc", "info --isel time=0:1 --stats a1.nc"),
        ("-sinfo -selname,temp a1.nc", "info --vars temp a1.nc"),
        ("-outputtab,date,value -sellevidx,1 a1.nc", "dump --isel level=0:1 --csv a1.nc"),
        ("diffn,abslim=1 a1.nc a2.nc", "diff --tolerance 1 a1.nc a2.nc"),
        ("showattribute a1.nc", "dump -h a1.nc"),
    ],
)
def test_digests_may_be_of_a_part(line, expected, here, run: Run):
    assert run("cdo", *line.split()).text == run(*expected.split()).text


@pytest.mark.parametrize(
    "line",
    [
        "-timmean -selname,temp a1.nc out.nc",
        "mergetime -selname,temp a1.nc a2.nc out.nc",
        "mergetime -selname,temp a1.nc -selname,other a2.nc out.nc",
        "-mergetime [ -selname,temp a1.nc -selname,temp a2.nc ] out.nc",
        "-chname,temp,t -selname,temp a1.nc out.nc",
        "-f nc4 chname,temp,t a1.nc out.nc",
        "-f nc4 timmean a1.nc out.nc",
        "-k lines copy a1.nc out.nc",
        "-b I16 copy a1.nc out.nc",
        "-a copy a1.nc out.nc",
        "-z szip copy a1.nc out.nc",
        "seltimestep,1,2,4 a1.nc out.nc",
        "selyear,2023,2025 a1.nc out.nc",
        "sellevel,850,500 a1.nc out.nc",
        "sellevidx,0 a1.nc out.nc",
        "setattribute,temp@units= a1.nc out.nc",
    ],
)
def test_an_operator_that_ncz_lacks_names_the_whole_line(line: str, here, run: Run):
    done = run("cdo", *line.split())
    assert done.code == 2
    assert f"use cdo {shlex.join(line.split())}" in done.stderr
    assert not (here / "out.nc").exists()


@pytest.mark.parametrize("line", ["cdo --version", "cdo -V"])
def test_the_version_is_reported(line: str, run: Run):
    assert run(*line.split()).text.startswith("ncz ")


def test_a_chain_may_begin_with_copy(here, run: Run):
    assert run("copy", "-seldate,2023-01-01,2023-02-28", "a1.nc", "out.nc").code == 0
    assert ncz.open("out.nc")["time"][:].tolist() == [0, 40]
    assert run("copy", "-vtime,lat", "a1.nc", "glued.nc").code == 0
    assert "lon" in ncz.open("glued.nc")


@pytest.mark.parametrize("operator", ["-monmean", "-timmean", "-fldmean", "-ymonmean", "-yearmean"])
def test_arithmetic_after_copy_names_the_line_of_cdo(operator, here, run: Run):
    done = run("copy", operator, "a1.nc", "out.nc")
    assert done.code == 2
    assert f"use cdo copy {operator} a1.nc out.nc" in done.stderr


def test_an_operator_is_no_value_of_an_ignored_option(here, run: Run):
    ran = run("copy", "a1.nc", "-selname,temp", "out.nc")
    assert ran.code == 2
    assert "is not a number" in ran.stderr
    assert run("copy", "-m", "5M", "-h", "4M", "-e", "1000", "a1.nc", "out.nc").code == 0
