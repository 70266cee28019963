"""Lines of CDO with options and chains of operators."""

from __future__ import annotations

import shlex

import click
import pytest

from ncz.cli.programs.cdo import cdo_line
from ncz.cli.terminal import Terminal


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("-f nc4 copy a.nc b.nc", "copy -f nc4 a.nc b.nc"),
        ("-O -s -L selyear,2020 a.nc b.nc", "copy --sel time=2020 --overwrite a.nc b.nc"),
        ("-P 4 -b F32 copy a.nc b.nc", "copy --threads 4 --type float a.nc b.nc"),
        (
            "-selname,t -sellonlatbox,0,1,2,3 a.nc b.nc",
            "copy --vars t --sel lon=0:1,lat=2:3 a.nc b.nc",
        ),
        ("selname,t -seltimestep,1 a.nc b.nc", None),
        ("-remapnn,lon=1_lat=2 -selyear,2020 a.nc b.nc", None),
        ("-s sinfo a.nc", "info a.nc"),
        ("-s showdate a.nc", "dump -t -v time a.nc"),
    ],
)
def test_a_line_of_cdo_may_begin_with_options_and_operators(line: str, ours: str | None):
    group = __import__("ncz.cli", fromlist=["ncz"]).ncz
    words = shlex.split(line)
    if ours is None:
        assert cdo_line(words) is not None
        return
    assert group._of_cdo(click.Context(group, obj=Terminal()), words) == shlex.split(ours)


@pytest.mark.parametrize("line", ["-q info a.nc", "--version", "-h", "-y auto copy a.nc b.nc"])
def test_other_lines_differ_from_cdo(line: str):
    assert cdo_line(shlex.split(line)) is None
