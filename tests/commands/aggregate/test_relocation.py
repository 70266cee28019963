"""Masters whose pieces are in another place now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ncz
from ncz.commands.aggregate.relocation import move
from ncz.errors import FormatError, ignore_notice
from ncz.zmap.location import parse_location

CDL = """netcdf a {{ dimensions: t = UNLIMITED ; variables: double t(t) ; int v(t) ;
data: t = {0}, {1} ; v = {0}, {1} ; }}"""


@pytest.fixture(params=["all.nca", "all.nca#mode=cfa0.4", "all.nca#mode=cf"])
def master(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch) -> str:
    """A master over two files in the same folder."""
    monkeypatch.chdir(tmp_path)
    for name, start in (("a", 0), ("b", 2)):
        Path(f"{name}.cdl").write_text(CDL.format(start, start + 1))
        ncz.gen(f"{name}.cdl", f"{name}.nc", notify=ignore_notice)
    ncz.aggregate(["a.nc", "b.nc"], request.param, axis="t", notify=ignore_notice)
    return "all.nca"


def moved(master: str, prefix: str) -> int:
    return move(parse_location(master), prefix)


def test_pieces_in_another_folder_and_back(master: str):
    Path("new").mkdir()
    for name in ("a.nc", "b.nc"):
        os.rename(name, f"new/{name}")
    assert moved(master, "new/") == 2
    with ncz.open(master) as ds:
        assert ds["v"][:].tolist() == [0, 1, 2, 3]
    for name in ("a.nc", "b.nc"):
        os.rename(f"new/{name}", name)
    assert moved(master, "") == 2
    with ncz.open(master) as ds:
        assert ds["v"][:].tolist() == [0, 1, 2, 3]


def test_variables_without_pieces_stay(master: str):
    before = Path("a.nc").read_bytes()
    with pytest.raises(FormatError, match="no pieces to move"):
        moved("a.nc", "new")
    assert Path("a.nc").read_bytes() == before
