"""Ctrl-C at a counted operation: exit code 130, and a line with the kept data and the next step.

Targets are unchanged, no other files remain, and the same command succeeds afterwards.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.record import record
from ncz.zmap.local.build_names import PARTIAL, name_start
from tests.conftest import Run
from tests.reliability.disk import INTERRUPT, Disk, failing
from tests.series import write_series

CDL = """netcdf s {
dimensions: t = UNLIMITED ; x = 40 ;
variables:
  double t(t) ; t:units = "days since 2000-01-01" ;
  int v(t, x) ; v:_ChunkSizes = 2, 10 ; v:_DeflateLevel = 1 ;
data:
  t = %s ; v = %s ;
}
"""

SHARES = (0.0, 0.5, 0.9)
"""The progress of a command when it is interrupted, as a share of its disk operations."""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two stores that follow each other."""
    folder = write_series(tmp_path_factory.mktemp("interrupted"), CDL)
    ncz.copy(folder / "a.zarr", folder / "a.zip", notify=ignore_notice)
    return folder


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Heed Ctrl-C, which a shell that runs tests in the background ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@record
class Case:
    """A command line in a folder with the stores, its changes, and its message."""

    line: tuple[str, ...]
    target: str
    note: str


CASES = {
    "gen": Case(("gen", "a.cdl", "-o", "new.zarr"), "new.zarr", "was not changed"),
    "gen again": Case(("gen", "b.cdl", "-o", "a.zarr", "--overwrite"), "a.zarr", "was not changed"),
    "gen file": Case(
        ("gen", "a.cdl", "-o", "new.nc", "--kind", "classic"), "new.nc", "was not changed"
    ),
    "dump": Case(("dump", "a.zarr", "-o", "new.cdl"), "new.cdl", "new.cdl was not changed"),
    "copy": Case(("copy", "a.zarr", "new.zip"), "new.zip", "was not changed"),
    "to cdl": Case(("copy", "a.zarr", "new.cdl"), "new.cdl", "was not changed"),
    "append": Case(("copy", "--append", "t", "b.zarr", "a.zarr"), "a.zarr", "append again"),
    "edit": Case(("edit", "a.zarr", "--rename", "v=w"), "a.zarr", "was not changed"),
    "edit zip": Case(("edit", "a.zip", "--set", ":n = 1"), "a.zip", "was not changed"),
    "fix": Case(("check", "--fix", "a.zarr"), "a.zarr", "nothing was changed"),
    "consolidate": Case(("consolidate", "a.zarr"), "a.zarr", "nothing was changed"),
    "aggregate": Case(
        ("aggregate", "new.zarr", "a.zarr", "b.zarr", "--axis", "t"), "new.zarr", "was not changed"
    ),
    "info": Case(("info", "--stats", "a.zarr"), "a.zarr", "nothing was changed"),
    "check": Case(("check", "--data", "a.zarr"), "a.zarr", "nothing was changed"),
    "diff": Case(("diff", "a.zarr", "b.zarr"), "a.zarr", "not everything was compared"),
    "pieces": Case(
        ("copy", "a.zarr", "new.zarr", "--mode", "cfa", "--pieces", "t/2"),
        "new.zarr",
        "was not changed",
    ),
    "references": Case(
        ("copy", "a.zarr", "new.json", "--mode", "reference"), "new.json", "was not changed"
    ),
    "ls": Case(("ls", "-r", "-l", "a.zarr"), "a.zarr", "the list is incomplete"),
    "dump out": Case(("dump", "-j", "1", "a.zarr"), "a.zarr", "the text is incomplete"),
}


def copied(stores: Path, folder: Path) -> Path:
    """Return a copy of the stores that a command may change."""
    shutil.copytree(stores, folder)
    return folder


def state(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder, also hidden ones."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", CASES)
def test_ctrl_c_says_which_data_were_kept(name, stores, tmp_path, monkeypatch, run: Run):
    case = CASES[name]
    whole = copied(stores, tmp_path / "whole")
    monkeypatch.chdir(whole)
    with failing(Disk(str(whole))) as disk:
        expected = run(*case.line)
    operations = len(disk.operations)
    assert operations > 2
    for share in SHARES:
        folder = copied(stores, tmp_path / f"{share}")
        before = state(folder)
        monkeypatch.chdir(folder)
        with failing(Disk(str(folder), 1 + int(share * operations), INTERRUPT)) as disk:
            ended = run(*case.line)
        assert ended.code == 130, (share, disk.hit, ended.stderr)
        assert ended.stderr.startswith("ncz: interrupted; "), (share, disk.hit)
        assert ended.stderr.count("\n") == 1
        is_resumed = "run the same command again to resume the copy" in ended.stderr
        assert share != 0.5 or is_resumed or case.note in ended.stderr
        if "ncz clean" in ended.stderr:
            assert run("clean", case.target).code == 0
            assert state(folder).keys() == state(whole).keys()
            continue
        after = state(folder)
        if is_resumed:
            assert {path for path in after.keys() - before.keys() if path[:5] != ".ncz-"} == set()
            again = run(*case.line, "-q")
            assert (again.code, again.text) == (expected.code, expected.text), again.stderr
            assert state(folder).keys() == state(whole).keys()
            continue
        is_kept = {path: after.get(path) for path in before} == before
        if "append" in case.note and after.keys() >= before.keys():
            was, now = run("dump", stores / case.target), run("dump", case.target)
            assert was.text == now.text
        else:
            assert is_kept, (share, disk.hit)
            assert after.keys() == before.keys(), (share, disk.hit)
        again = run(*case.line)
        assert (again.code, again.text) == (expected.code, expected.text), again.stderr


def test_clean_is_finished_by_running_it_again(stores, tmp_path, monkeypatch, run: Run):
    folder = copied(stores, tmp_path / "folder")
    before = state(folder)
    left = folder / f"{name_start('c.zarr')}{PARTIAL}"
    for number in range(3):
        (left / f"{number}").mkdir(parents=True)
        (left / f"{number}" / "0").write_bytes(b"1")
    monkeypatch.chdir(folder)
    with failing(Disk(str(folder))) as disk:
        assert run("clean", "--dry-run", "c.zarr").code == 0
    counted = len(disk.operations)
    with failing(Disk(str(folder), counted + 4, INTERRUPT)) as disk:
        ended = run("clean", "c.zarr")
    assert ended.code == 130, disk.hit
    assert ended.stderr == "ncz: interrupted; run the same command again to remove the rest\n"
    assert left.exists()
    assert run("clean", "c.zarr").code == 0
    assert state(folder) == before
    assert not left.exists()


def test_a_copy_that_resumes_counts_kept_chunks(stores, tmp_path, monkeypatch, run: Run):
    folder = copied(stores, tmp_path / "folder")
    monkeypatch.chdir(folder)
    line = ("copy", "a.zarr", "new.zarr", "--resume", "-c", "x/4")
    with failing(Disk(str(folder))) as disk:
        run(*line)
    shutil.rmtree(folder / "new.zarr")
    with failing(Disk(str(folder), len(disk.operations) * 2 // 3, INTERRUPT)):
        ended = run(*line)
    assert ended.code == 130
    kept = int(ended.stderr.removeprefix("ncz: interrupted; ").split()[0])
    assert 0 < kept < 31
    assert ended.stderr.endswith("chunks are kept; run the same command again to resume the copy\n")
    assert run(*line).code == 0
    assert run("diff", "a.zarr", "new.zarr").code == 0


def test_the_note_speaks_python(stores, tmp_path, monkeypatch):
    monkeypatch.chdir(copied(stores, tmp_path / "folder"))
    with failing(Disk(str(tmp_path / "folder"))) as disk:
        ncz.copy("a.zarr", "new.zarr", notify=ignore_notice)
    shutil.rmtree("new.zarr")
    with (
        failing(Disk(str(tmp_path / "folder"), len(disk.operations) // 2, INTERRUPT)),
        pytest.raises(KeyboardInterrupt) as raised,
    ):
        ncz.copy("a.zarr", "new.zarr", notify=ignore_notice)
    (note,) = raised.value.__notes__
    assert note.endswith("kept; run the same command again to resume the copy")
