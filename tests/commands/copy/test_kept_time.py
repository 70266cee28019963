"""Copies with the time of their sources."""

from __future__ import annotations

import os

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = b"netcdf s { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }"
FIRST, LAST = 1_000_000_000, 1_500_000_000


@pytest.fixture
def here(tmp_path, monkeypatch, run: Run):
    monkeypatch.chdir(tmp_path)
    for name, changed in (("a.nc", FIRST), ("b.nc", LAST)):
        assert run("gen", "-", "-o", name, stdin=CDL).code == 0
        os.utime(name, (changed, changed))
    return tmp_path


def times(path):
    """Return the times of a file, or of a folder and all that is in it."""
    below = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    folders = [folder for folder, _, _ in os.walk(path)]
    return {int(os.path.getmtime(each)) for each in (path, *folders, *below)}


@pytest.mark.parametrize("target", ["n.nc", "n.zarr", "n.zip", "n.cdl", "n.json"])
def test_each_kind_of_target_has_the_time_of_its_source(here, run: Run, target):
    assert run("copy", "--preserve-time", "a.nc", target).code == 0
    assert times(target) == {FIRST}


def test_a_store_has_the_time_of_its_last_change(here, run: Run):
    ncz.copy("a.nc", "s.zarr", preserve_time=True, notify=ignore_notice)
    os.utime("s.zarr/v/0", (LAST, LAST))
    assert run("copy", "-p", "s.zarr", "t.zarr").code == 0
    assert times("t.zarr") == {LAST}


def test_the_last_of_several_sources_counts_and_each_has_its_own(here, run: Run):
    assert run("copy", "-p", "--concat", "x", "a.nc", "b.nc", "both.nc").code == 0
    assert times("both.nc") == {LAST}
    assert run("copy", "-p", "--each", "a.nc", "b.nc", "new/{}.nc").code == 0
    assert (times("new/a.nc"), times("new/b.nc")) == ({FIRST}, {LAST})


def test_without_the_option_the_time_is_the_time_of_the_copy(here, run: Run):
    assert run("copy", "a.nc", "n.nc").code == 0
    assert min(times("n.nc")) > LAST


@pytest.mark.parametrize("words", [("a.nc", "s3://bucket/n.zarr"), ("-", "n.nc")])
def test_objects_without_a_time_are_refused_before_anything_is_written(here, run: Run, words):
    ran = run("copy", "--preserve-time", *words, stdin=CDL)
    assert ran.code == 2
    assert "--preserve-time is for paths on this computer; leave it out" in ran.stderr
    assert not os.path.exists("n.nc")


def test_additions_to_a_store_keep_no_time(here):
    ncz.copy("a.nc", "s.zarr", notify=ignore_notice)
    with pytest.raises(ncz.NczError, match="preserve_time=True and append cannot be used together"):
        ncz.copy("b.nc", "s.zarr", append="x", preserve_time=True)


def test_a_dry_run_changes_no_time(here, run: Run):
    ncz.copy("a.nc", "n.nc", notify=ignore_notice)
    before = times("n.nc")
    assert run("copy", "-p", "--dry-run", "--overwrite", "a.nc", "n.nc").code == 0
    assert times("n.nc") == before
