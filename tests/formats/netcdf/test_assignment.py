"""Values of netCDF files that are replaced: all of them, or none."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import FormatError, UrlError, ignore_notice
from ncz.formats.netcdf import assignment
from ncz.formats.netcdf.assignment import assign_in_file
from ncz.zmap.location import parse_location

CDL = b"""netcdf a { types: byte enum flag { off = 0, on = 1 } ; compound pair { int i ; } ;
dimensions: x = 3 ; variables: int v(x) ; flag f(x) ; pair p ; data: v = 1, 2, 3 ;
 f = off, off, off ; p = {5} ; }"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ncz.gen(io.BytesIO(CDL), tmp_path / "a.nc", notify=ignore_notice)
    return tmp_path / "a.nc"


def assign(path: Path | str, fqn: str, values: object, *positions: list[int]) -> None:
    places = [np.array(each) for each in positions]
    assign_in_file(parse_location(str(path)), fqn, places, np.asarray(values))


def test_values_are_replaced_and_the_mode_of_the_file_stays(path: Path):
    path.chmod(0o640)
    assign(path, "/v", [7, 9], [0, 2])
    assign(path, "/f", np.array([1], "i1"), [1])
    with ncz.open(path) as ds:
        assert ds["v"][:].tolist() == [7, 2, 9]
        assert ds["f"][:].tolist() == [0, 1, 0]
    assert os.stat(path).st_mode & 0o777 == 0o640
    assert [each.name for each in path.parent.iterdir()] == ["a.nc"]


@pytest.mark.parametrize(
    ("fqn", "value", "message"),
    [
        ("/f", [2], "/f has no member with the value 2"),
        ("/p", [5], "values of /p, which have a user-defined type"),
        ("/none", [5], "the file has no variable /none any more"),
    ],
)
def test_values_that_cannot_be_written_change_nothing(path: Path, fqn: str, value, message: str):
    before = path.read_bytes()
    with pytest.raises(FormatError, match=message):
        assign(path, fqn, value, [0])
    assert path.read_bytes() == before


def test_values_that_are_not_read_again_leave_the_old_file(path: Path, monkeypatch):
    before = path.read_bytes()
    monkeypatch.setattr(assignment, "write_hdf5", lambda *_: None)
    with pytest.raises(FormatError):
        assign(path, "/v", [7], [0])
    assert path.read_bytes() == before


def test_a_file_on_a_server_is_not_written():
    with pytest.raises(UrlError, match="cannot be replaced"):
        assign("https://h/a.nc", "/v", [7], [0])
