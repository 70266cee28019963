"""Options of other programs in a line of ncz."""

from __future__ import annotations

import click
import pytest

from ncz.cli.programs.option_words import in_own_words

OWN = {"--vars", "-v", "--isel", "--header", "-h", "--deflate", "-d", "--quiet"}
FLAGS = {"--header", "-h", "--quiet"}


def words(*args: str, command: str = "dump") -> list[str]:
    return in_own_words(command, list(args), OWN, FLAGS, click.Context(click.Command("ncz")))


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (["-h", "x.nc"], ["-h", "x.nc"]),
        (["--header", "x.nc"], ["--header", "x.nc"]),
        (["NETCDF:x.nc:tas"], ["x.nc", "--vars", "tas"]),
        (["-d", "time,0,2", "x.nc"], ["x.nc", "--isel", "time=0:3"]),
        (["-5", "-"], ["-5", "-"]),
        (["-header", "x.nc"], ["--header", "x.nc"]),
        (["--haeder", "x.nc"], ["--haeder", "x.nc"]),
        (["--", "--anything"], ["--", "--anything"]),
    ],
)
def test_options_are_replaced(args, found):
    assert words(*args) == found
