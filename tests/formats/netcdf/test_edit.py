"""Attributes and names of netCDF files that are changed in place."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

import ncz
from ncz.errors import FormatError, UrlError, ignore_notice
from ncz.formats.edits import Change, Edit, Removal, Rename, Request
from ncz.formats.netcdf.edit import edit_file
from ncz.model.tree import Attribute
from ncz.model.types import Atomic
from ncz.zmap.location import parse_location

CDL = b'netcdf e { dimensions: x = 2 ; variables: int v(x) ; v:units = "K" ; data: v = 1, 2 ; }'


@pytest.fixture(params=["classic", "netCDF-4"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    ncz.gen(io.BytesIO(CDL), tmp_path / "e.nc", kind=request.param, notify=ignore_notice)
    return tmp_path / "e.nc"


def edit(path: Path, *requests: Request, dry_run: bool = False) -> list[Change]:
    return edit_file(parse_location(str(path)), requests, dry_run=dry_run)[0]


def new(name: str, text: str) -> Edit:
    attribute = Attribute(name=name, type=Atomic.CHAR, values=(text,))
    return Edit(action="set", node="v", name=name, attribute=attribute)


def test_all_requests_are_carried_out_and_the_mode_stays(path: Path):
    path.chmod(0o640)
    found = edit(path, new("units", "m"), Rename(path="v", new="w", kind="variable"))
    assert [change.kind for change in found] == ["attribute", "variable"]
    with ncz.open(path) as ds:
        assert ds["w"].attrs == {"units": "m"}
        assert ds["w"][:].tolist() == [1, 2]
    assert os.stat(path).st_mode & 0o777 == 0o640
    assert [each.name for each in path.parent.iterdir()] == ["e.nc"]


def test_a_dry_run_changes_nothing(path: Path):
    before = path.read_bytes()
    assert len(edit(path, new("units", "m"), dry_run=True)) == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (new("a/b", "x"), "cannot represent attribute v:a/b"),
        (new("", "x"), "cannot represent attribute v:"),
        (
            Edit(action="rename", node="v", name="units", new="u" * 300),
            "cannot represent attribute",
        ),
        (Edit(action="delete", node="v", name="missing"), "no attribute missing"),
        (Removal(path="w"), "w"),
    ],
)
def test_impossible_edits_are_refused_as_a_whole(path: Path, request_: Request, message: str):
    before = path.read_bytes()
    with pytest.raises(FormatError, match=message):
        edit(path, new("units", "m"), request_)
    assert path.read_bytes() == before


def test_a_file_on_a_server_is_not_edited():
    with pytest.raises(UrlError, match="a netCDF file on a server cannot be edited"):
        edit_file(parse_location("https://h/e.nc"), [new("units", "m")], dry_run=False)
