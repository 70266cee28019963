"""Lines of ncdump without its name, typed after ``ncz``."""

from __future__ import annotations

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = """netcdf a {
dimensions: time = 2 ;
variables: double time(time) ; time:units = "days since 2023-01-01" ; float v(time) ;
data: time = 0, 1 ; v = 5, 6 ;
}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cdl").write_text(CDL)
    ncz.gen("a.cdl", "a.nc", kind="netCDF-4", notify=ignore_notice)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "-h a.nc",
        "-c a.nc",
        "-k a.nc",
        "-hs a.nc",
        "-s -h a.nc",
        "-v time a.nc",
        "-t -v time,v a.nc",
    ],
)
def test_options_of_ncdump_and_a_dataset(here, run: Run, line):
    ran = run(*line.split())
    assert (ran.code, ran.text) == (0, run("dump", *line.split()).text)


@pytest.mark.parametrize("line", ["-h", "-h copy", "-h none.nc"])
def test_help_is_shown_without_a_dataset(here, run: Run, line):
    assert run(*line.split()).text.startswith("Usage: ncz [OPTIONS]")


def test_a_line_of_cdo_stays_one(here, run: Run):
    assert run("-v", "sinfo", "a.nc").text == run("info", "a.nc").text
    assert run("-s", "showname", "a.nc").text == run("showname", "a.nc").text
