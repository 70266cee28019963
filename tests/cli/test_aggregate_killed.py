"""A copy to an aggregation that is killed between any two changes of names."""

from __future__ import annotations

import io
import os

import pytest

import ncz
import ncz.cli
from ncz.cli.terminal import run as run_command
from ncz.errors import ignore_notice
from ncz.formats.aggregation.placement import Placement
from ncz.zmap.local.build_names import name_start
from ncz.zmap.local.locks import hold_lock
from tests.conftest import Run
from tests.forked import forked
from tests.sampled import sampled

TEXT = """netcdf a { dimensions: x = 3 ; variables: int v(x) ; data: v = %s ; }"""


def copy_and_die(at: int, source: str, master: str) -> None:
    """Run a copy that is killed before the name number `at` next to the master changes."""
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

    for name in ("rename", "replace", "unlink", "rmdir", "mkdir", "link"):
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


@pytest.mark.long
@pytest.mark.parametrize(
    ("before", "cleans"),
    sampled([("", True), ("", False), ("4, 5, 6", True), ("4, 5, 6", False)], 3),
)
def test_the_old_one_is_whole_until_the_new_one_is(run: Run, tmp_path, before, cleans):
    outcomes = []
    for at in range(80):
        folder = tmp_path / str(at)
        folder.mkdir()
        master = str(folder / "model.zarr")
        if before:
            assert run("copy", begin(tmp_path, before, f"old{at}.zarr"), master, *OPTIONS).code == 0
        new = begin(tmp_path, "1, 2, 3", f"new{at}.zarr")
        with forked(copy_and_die, at, new, master) as process:
            pass
        outcomes.append(values(run, master))
        if cleans:
            shown, ran = run("clean", master, "--dry-run"), run("clean", master)
            assert ran.code == 0, ran.stderr
            assert len(shown.text.splitlines()) == len(ran.text.splitlines())
        else:
            assert run("copy", new, master, *OPTIONS).code == 0
            assert values(run, master) == "1, 2, 3"
            assert run("clean", master).code == 0  # pieces of the copy that was killed first
            assert names(folder) == ["model", "model.zarr"]
        assert values(run, master) == (outcomes[-1] if cleans else "1, 2, 3")
        if not os.path.lexists(master):
            assert names(folder) == []
        else:  # the process may have been killed before the pieces got their usual name
            assert names(folder) in (["model", "model.zarr"], ["model-2", "model.zarr"])
        if process.exitcode == 0:
            break
    assert process.exitcode == 0
    assert at > (9 if before else 4)
    assert set(outcomes) == {before, "1, 2, 3"}
    assert outcomes == sorted(outcomes, key=(before, "1, 2, 3").index)


def test_a_dataset_that_is_replaced_has_the_bytes_of_a_new_one(run: Run, tmp_path):
    old, new = (begin(tmp_path, text, f"{name}.zarr") for name, text in
                (("old", "4, 5, 6"), ("new", "1, 2, 3")))  # fmt: skip
    found = []
    for sources in ([new], [old, new], [old, new, new]):
        folder = tmp_path / str(len(sources))
        folder.mkdir()
        for source in sources:
            target = f"{folder}/m.nca#reference.seals=off"  # they have the times of the pieces
            assert run("copy", source, target, *OPTIONS).code == 0
        assert names(folder) == ["m", "m.nca"]
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        found.append([(str(p.relative_to(folder)), p.read_bytes()) for p in paths])
    assert found[0] == found[1] == found[2]


def test_pieces_keep_their_folder_where_files_cannot_be_linked(run: Run, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(1, "not here")

    folder = tmp_path / "in"
    folder.mkdir()
    master = str(folder / "m.zarr")
    monkeypatch.setattr(os, "link", refuse)
    for text, expected in (("4, 5, 6", "m"), ("1, 2, 3", "m-2"), ("7, 8, 9", "m")):
        source = begin(tmp_path, text, f"{text[0]}.zarr")
        assert run("copy", source, master, *OPTIONS).code == 0
        assert names(folder) == [expected, "m.zarr"]
        assert values(run, master) == text


def test_pieces_of_another_master_are_never_taken_for_old_ones(run: Run, tmp_path):
    sources = [begin(tmp_path, text, f"{text[0]}.zarr") for text in ("4, 5, 6", "1, 2, 3")]
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("m-2.zarr", "m.zarr", "m.zarr"):
        assert run("copy", sources[0], folder / name, *OPTIONS).code == 0
    assert names(folder) == ["m", "m-2", "m-2.zarr", "m.zarr"]
    assert values(run, str(folder / "m-2.zarr")) == "4, 5, 6"


def test_a_master_being_placed_is_left_alone(run: Run, tmp_path):
    master, folder, partial = (str(tmp_path / name) for name in ("m.zarr", "m", "partial"))
    os.mkdir(partial)
    Placement(master, folder, partial, None).begin()
    with hold_lock(folder):
        ran = run("clean", master)
    assert (ran.code, os.path.isdir(folder)) == (1, True)
    assert "another process is writing this aggregation" in ran.stderr
    assert run("clean", master).code == 0
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"folder": "../x", "partial": "p", "before": null, "old": []}',
        '{"folder": "p", "partial": "p", "before": null, "old": ["../x"]}',
        '{"folder": 1}',
    ],
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
