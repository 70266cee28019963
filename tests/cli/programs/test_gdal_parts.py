"""Bands and views of GDAL's translations, and pictures of them."""

from __future__ import annotations

import shlex

import pytest

import ncz
from ncz.cli.programs.operators import line_of
from ncz.errors import ignore_notice
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("gdal_translate -b 1 NETCDF:w.nc:temperature o.nc",
         "copy --isel time=0 NETCDF:w.nc:temperature o.nc"),
        ("gdal_translate -b 0 NETCDF:w.nc:temperature o.nc", None),
        ("gdal_translate -b 1 NETCDF:w.nc:lat o.nc", None),
        ("gdal_translate -of PNG -b 2 -scale 270 290 -ot Byte NETCDF:w.nc:temperature o.png",
         "view w.nc temperature --isel time=1 --range 270:290 --plain -o o.png"),
        ("gdal_translate -of PNG -scale NETCDF:w.nc:temperature o.png",
         "view w.nc temperature --plain -o o.png"),
        ("gdal_translate -of PNG -expand rgb NETCDF:w.nc:temperature o.png", None),
        ("gdal_translate -of PNG NETCDF:w.nc o.png", None),
        ("gdalmdimtranslate -array name=temperature,view=[0,:,1:3] w.nc o.nc",
         "copy --vars temperature --isel time=0,lon=1:3 w.nc o.nc"),
        ("gdalmdimtranslate -array name=temperature,view=[0,:] w.nc o.nc", None),
    ],
)  # fmt: skip
def test_parts_of_a_variable(line: str, ours: str | None, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ncz.gen(ROOT / "cdl_examples/weather.cdl", "w.nc", notify=ignore_notice)
    word, *typed = shlex.split(line)
    assert line_of(word, typed) == (None if ours is None else ours.split())
