"""Files of virtual chunks that are elsewhere now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.zmap.icechunk.relocation import move_containers
from ncz.zmap.location import Location, parse_location
from ncz.zmap.moved_sources import Move

pytest.importorskip("icechunk")

CDL = "netcdf a { dimensions: x = 9999 ; variables: int v(x) ; data: v = 1, 2, 3 ; }"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Location:
    """A repository whose chunks are in a file of the folder `data`."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("a.cdl").write_text(CDL)
    ncz.gen("a.cdl", "data/a.nc", notify=ignore_notice)
    target = "r.icechunk#mode=reference,icechunk&reference.relative_to=ref"
    ncz.copy("data/a.nc", target, notify=ignore_notice)
    return parse_location("r.icechunk")


def test_the_container_gets_another_folder(repository: Location):
    os.rename("data", "new")
    ((old, new),) = move_containers(repository, Move.of("data", "new"), dry_run=False)
    assert (old, new) == (f"file://{os.getcwd()}/data/", f"file://{os.getcwd()}/new/")
    with ncz.open("r.icechunk") as ds:
        assert ds["v"][:3].tolist() == [1, 2, 3]


def test_a_dry_run_names_the_changes(repository: Location):
    move = Move.of("data", "new")
    assert len(move_containers(repository, move, dry_run=True)) == 1
    with ncz.open("r.icechunk") as ds:
        assert ds["v"][0] == 1


def test_another_folder_changes_nothing(repository: Location):
    assert move_containers(repository, Move.of("dat", "new"), dry_run=False) == []


def test_absolute_urls_cannot_change(repository: Location):
    ncz.copy("data/a.nc", "s.icechunk", modes=("reference",), notify=ignore_notice)
    with pytest.raises(ZmapError, match="absolute URLs, which Icechunk cannot change"):
        move_containers(parse_location("s.icechunk"), Move.of("data", "new"), dry_run=True)
