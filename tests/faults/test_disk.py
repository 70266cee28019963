"""A disk that fails at each operation of a command in turn; ``make test`` takes two commands."""

from __future__ import annotations

import pytest

from tests.faults.run import disk_cases, run_disk, run_reader
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
    assert tried > 20
    assert wrong == {}
