"""A disk that fails at each operation of a command in turn; ``make test`` takes two commands."""

from __future__ import annotations

import shutil

import pytest

from tests.reliability.cases import disk_cases
from tests.reliability.command import run_ncz
from tests.reliability.disk import Disk, failing
from tests.reliability.run import run_changed, run_disk, run_limited, run_reader
from tests.sampled import sampled

SAMPLE = {
    "gen": ("error",),
    "raw": ("full", "short"),
    "zip": ("error",),
    "edit": ("error",),
}


@pytest.mark.parametrize(("name", "fault"), [("dump", "error"), ("check", "denied")])
def test_a_reader_prints_everything_or_fails(tmp_path, name, fault):
    tried, wrong = run_reader(name, tmp_path, fault)
    assert tried > 20
    assert wrong == {}


@pytest.mark.parametrize(
    ("case", "fault"),
    sampled([(case, fault) for case, faults in SAMPLE.items() for fault in faults], 3),
)
def test_nothing_is_lost_and_nothing_is_left(tmp_path, case, fault):
    tried, wrong = run_disk(disk_cases(tmp_path)[case], tmp_path, fault)
    assert tried > (7 if case == "zip" else 20)  # a small zip file is written with one call
    assert wrong == {}


@pytest.mark.long
@pytest.mark.parametrize(
    ("case", "fault"),
    [("append", "full"), ("check --fix", "error"), ("references", "full"), ("netCDF-4", "short")],
)
def test_commands_that_take_longer(tmp_path, case, fault):
    _, wrong = run_disk(disk_cases(tmp_path)[case], tmp_path, fault)
    assert wrong == {}


def test_leftovers_are_removed(tmp_path):
    tried, wrong = run_disk(disk_cases(tmp_path)["clean"], tmp_path, "error")
    assert tried > 20
    assert wrong == {}


@pytest.mark.parametrize(
    "case", sampled(["from netCDF-4", "from classic", "references", "from references"], 2)
)
def test_sources_of_other_formats(tmp_path, case):
    tried, wrong = run_disk(disk_cases(tmp_path)[case], tmp_path, "error", reading=True)
    assert tried > 3
    assert wrong == {}


@pytest.mark.parametrize(
    ("case", "fault"),
    sampled(
        [
            ("from classic", "changed"),
            ("raw", "rewritten"),
            ("rechunk", "changed"),
            ("from netCDF-4", "rewritten"),
        ],
        4,
    ),
)
def test_values_of_before_and_after_are_not_mixed(tmp_path, case, fault):
    tried, wrong = run_changed(disk_cases(tmp_path)[case], tmp_path, fault)
    assert tried > 5
    assert wrong == {}


def test_a_file_that_cannot_grow(tmp_path):
    tried, wrong = run_limited(disk_cases(tmp_path)["netCDF-4"], tmp_path, 8)
    assert tried == 8
    assert wrong == {}


def test_an_error_says_how_to_complete_a_change_that_cannot_be_undone(tmp_path):
    case = disk_cases(tmp_path)["append"]
    case.begin()
    with failing(Disk(str(tmp_path / "out"))) as disk:
        done = run_ncz(*case.arguments)
    at = len(disk.operations)
    while done.code == 0:  # until it is the last document that cannot be written
        shutil.rmtree(case.target)
        case.begin()
        with failing(Disk(str(tmp_path / "out"), at, "full")):
            done = run_ncz(*case.arguments)
        at -= 1
    assert "No space left on device" in done.error
    assert "a part of the change was made: run 'ncz clean' to complete it" in done.error
    assert run_ncz("clean", case.target).code == 0
    assert "x = 16 ;" in (case.read(case.target) or "")
