"""A copy to an aggregation that is killed between any two changes of names."""

from __future__ import annotations

import io
import os

import pytest

import ncz
import ncz.cli
from ncz.cli.terminal import run as run_command
from ncz.errors import ignore_notice
from ncz.formats.aggregation.folder import planned
from ncz.zmap.local.locks import held, name_start
from tests.conftest import Run
from tests.forked import forked

TEXT = """netcdf a { dimensions: x = 3 ; variables: int v(x) ; data: v = %s ; }"""


def copy_and_die(at: int, source: str, master: str) -> None:
    """Run a copy that is killed before the name number `at` beside the master changes."""
    changed = 0
    folder = os.path.dirname(master)

    def counted(change):
        def call(path, *given, **named):
            nonlocal changed
            if os.path.dirname(os.fspath(path)) == folder:
                if changed == at:
                    os._exit(9)
                changed += 1
            return change(path, *given, **named)

        return call

    for name in ("rename", "replace", "unlink", "rmdir", "mkdir"):
        setattr(os, name, counted(getattr(os, name)))
    os._exit(run_command(ncz.cli.ncz, "ncz", ["copy", source, master, *OPTIONS]))


OPTIONS = ("--mode", "cfa", "--pieces", "x/2", "--overwrite")


def begin(folder, text: str, name: str) -> str:
    path = str(folder / name)
    ncz.gen(io.BytesIO((TEXT % text).encode()), path, notify=ignore_notice)
    return path


def values(run: Run, path: str) -> str:
    """Return the values of an aggregation, or nothing if none exists."""
    if not os.path.lexists(path):
        return ""
    ran = run("dump", "-v", "v", path)
    assert ran.code == 0, ran.stderr
    return ran.text.partition("v = ")[2].partition(" ;")[0]


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("cleans", [True, False], ids=["clean", "again"])
@pytest.mark.parametrize("before", ["", "4, 5, 6"], ids=["new", "replaced"])
def test_what_is_left_is_undone_or_completed(run: Run, tmp_path, before, cleans):
    outcomes, told = set(), set()
    for at in range(50):
        folder = tmp_path / str(at)
        folder.mkdir()
        master = str(folder / "model.zarr")
        if before:
            assert run("copy", begin(tmp_path, before, f"old{at}.zarr"), master, *OPTIONS).code == 0
        new = begin(tmp_path, "1, 2, 3", f"new{at}.zarr")
        with forked(copy_and_die, at, new, master) as process:
            pass
        if before and not os.path.lexists(master):
            told.add(f"run ncz clean {master}" in run("dump", master).stderr)
        if cleans:
            shown, ran = run("clean", master, "--dry-run"), run("clean", master)
            assert ran.code == 0, ran.stderr
            assert len(shown.text.splitlines()) == len(ran.text.splitlines())
        else:
            assert run("copy", new, master, *OPTIONS).code == 0
            assert values(run, master) == "1, 2, 3"
            assert run("clean", master).code == 0  # pieces of the copy that was killed first
        outcomes.add(values(run, master))
        is_there = os.path.lexists(master)
        assert names(folder) == (["model", "model.zarr"] if is_there else [])
        if process.exitcode == 0:
            break
    assert process.exitcode == 0
    assert at > 4
    assert told == ({True} if before else set())
    assert outcomes == ({before, "1, 2, 3"} if cleans else {"1, 2, 3"})


def test_what_is_being_placed_is_left_alone(run: Run, tmp_path):
    master, folder, partial = (str(tmp_path / name) for name in ("m.zarr", "m", "partial"))
    os.mkdir(partial)
    planned(master, folder, partial).begin()
    with held(folder):
        ran = run("clean", master)
    assert (ran.code, os.path.isdir(folder)) == (1, True)
    assert "another process is writing this aggregation" in ran.stderr
    assert run("clean", master).code == 0
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "text", ["", "[]", '{"folder": "../x", "partial": "p", "aside": {}}', '{"folder": 1}']
)
def test_a_journal_that_is_cut_off_or_leads_elsewhere(run: Run, tmp_path, text):
    master = tmp_path / "in/m.zarr"
    for name in ("in", "x"):
        (tmp_path / name).mkdir()
    journal = tmp_path / "in" / (name_start(str(master)) + ".pieces")
    journal.write_text(text)
    assert run("clean", master).code == 0
    assert names(tmp_path) == ["in", "x"]
    assert names(tmp_path / "in") == []
