"""Commands do the same on every system as on Linux, and leave nothing else behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.claim import Claim
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap
from tests.conftest import Run
from tests.platforms.systems import SYSTEMS
from tests.series import cdl, write_series

CDL = """netcdf s {
dimensions: t = UNLIMITED ; x = 40 ;
variables:
  double t(t) ; t:units = "days since 2000-01-01" ;
  int v(t, x) ; v:_ChunkSizes = 2, 10 ; v:_DeflateLevel = 1 ; string names(x) ;
  :title = "Seegang Öresund" ;
data:
  t = %s ; v = %s ;
group: g { variables: short s(x) ; data: s = 1, 2, 3 ; }
}
"""

LINES = {
    "gen": ("gen a.cdl -o new.zarr", "dump new.zarr"),
    "gen v3": ("gen a.cdl -o new.zarr#mode=zarr,v3", "dump new.zarr"),
    "gen zip": ("gen a.cdl -o new.zip", "dump new.zip"),
    "gen again": ("gen b.cdl -o a.zarr --overwrite", "dump a.zarr"),
    "gen zip again": ("gen b.cdl -o a.zip --overwrite", "dump a.zip"),
    "gen file": ("gen a.cdl -o new.nc", "dump new.nc"),
    "gen classic": ("gen c.cdl -o new.nc --kind classic", "dump new.nc"),
    "dump -o": ("dump a.nc -o new.cdl", "gen new.cdl --check"),
    "group of a zip": ("dump a.zip/g", "dump -h zip://g::a.zip"),
    "copy": ("copy a.zarr new.zip", "diff a.zarr new.zip"),
    "copy from zip": ("copy a.zip new.zarr --verify", "check --data new.zarr"),
    "copy file": ("copy a.nc new.zarr -c x/7", "diff a.nc new.zarr"),
    "copy to file": ("copy a.zarr new.nc", "dump new.nc"),
    "resume": ("copy a.zarr new.zarr --resume", "diff a.zarr new.zarr"),
    "references": ("copy a.zarr new.json --mode reference", "diff a.zarr new.json"),
    "append": ("copy --append t b.zarr a.zarr --verify", "dump a.zarr"),
    "edit": ("edit a.zarr --set v:units=\"K\" --delete :title", "dump -h a.zarr"),
    "rename": ("edit a.zarr --rename v=w --remove g", "dump a.zarr"),
    "edit zip": ("edit a.zip --rename v=w --set :n=1", "dump a.zip"),
    "consolidate": ("consolidate a.zarr", "check a.zarr"),
    "fix": ("check --fix a.zarr", "check a.zarr"),
    "ls": ("ls -rl a.zarr", "ls --totals a.zip"),
    "info": ("info --stats a.zarr", "info a.nc"),
    "aggregate": ("aggregate new.zarr a.zarr b.zarr --axis t", "dump new.zarr"),
    "pieces": ("copy a.zarr new.zarr --mode cfa --pieces t/4", "dump new.zarr"),
    "clean": ("clean a.zarr", "clean new.zarr"),
}  # fmt: skip
"""Lines that change the folder, and lines that show the changes."""

QUICK = ("gen again", "gen classic", "dump -o", "copy", "append", "edit zip", "rename", "clean")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_series(tmp_path_factory.mktemp("stores"), CDL)
    ncz.copy(folder / "a.zarr", folder / "a.zip", notify=ignore_notice)
    ncz.copy(folder / "a.zarr", folder / "a.nc", notify=ignore_notice)
    text = cdl(CDL, range(3)).replace("string names(x) ;", "").partition("group: g")[0] + "}"
    (folder / "c.cdl").write_text(text, "utf-8")
    return folder


Outcome = tuple[int, str, frozenset[str]]
"""The exit code, the output, and the files."""


def outcome(run: Run, folder: Path, lines: tuple[str, str]) -> list[Outcome]:
    """Run lines in a folder, and return the result of each."""
    found = []
    for line in lines:
        ran = run(*line.split())
        files = frozenset(str(p.relative_to(folder)) for p in folder.rglob("*"))
        found.append((ran.code, ran.text + ran.stderr, files))
    return found


PARTS = ("no fork", "no descriptors", "no locks", "folded names")


@pytest.mark.parametrize(
    "systems",
    [
        pytest.param(("windows",), id="windows"),
        pytest.param(PARTS, marks=pytest.mark.long, id="parts"),
    ],
)
@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in LINES],
)
def test_a_command_does_the_same_everywhere(name, systems, stores, tmp_path, monkeypatch, run: Run):
    expected: list[Outcome] = []
    for system in ("", *systems):
        folder = shutil.copytree(stores, tmp_path / "stores")
        monkeypatch.chdir(folder)
        with monkeypatch.context() as simulated:
            if system:
                SYSTEMS[system](simulated, folder)
            found = outcome(run, folder, LINES[name])
        if not system:
            assert [code for code, _, _ in found] == [0, 0], found
            expected = found
        assert found == expected, system
        assert not [p for p in folder.iterdir() if p.name.startswith(".ncz-")]
        monkeypatch.chdir(tmp_path)
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["no descriptors", "windows", ""])
def test_two_parallel_copies_are_refused(name, stores, tmp_path, monkeypatch, run: Run):
    monkeypatch.chdir(tmp_path)
    if name:
        SYSTEMS[name](monkeypatch, tmp_path)
    with create_zmap(parse_location("new.zarr"), claim=Claim("one", False)):
        ran = run("copy", stores / "a.zarr", "new.zarr")
    assert ran.code == 1
    assert "another process is writing this store" in ran.stderr
