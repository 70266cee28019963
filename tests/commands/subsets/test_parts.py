"""The parts of a divided dimension."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.option_error import OptionError
from ncz.commands.subsets import parts
from ncz.commands.subsets.parts import parts_of

CDL = b"""netcdf s { dimensions: time = 4 ; name = 3 ; x = 10 ; long = 2001 ; n = 2 ;
variables: int time(time) ; time:units = "days since 2025-12-31" ;
  string name(name) ; float x(x) ; char n(n) ; int v(long) ;
data: x = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 ; time = 0, 1, 40, 40 ; name = "b", "a", "b" ;
  n = "pq" ; }"""
DATASET = read_cdl(CDL, source="s")


@pytest.mark.parametrize(
    ("name", "rule", "labels"),
    [
        ("time", "year", ["2025", "2026"]),
        ("time", "month", ["2025-12", "2026-01", "2026-02"]),
        ("time", "day", ["2025-12-31", "2026-01-01", "2026-02-09"]),
        ("name", "", ["b", "a"]),
        ("x", "4", ["0", "4", "8"]),
        ("x", "", [str(n) for n in range(10)]),
        ("time", "3", ["0", "3"]),
        ("long", "1000", ["0000", "1000", "2000"]),
    ],
)
def test_labels(name, rule, labels):
    assert [part.label for part in parts_of(DATASET, name, rule)] == labels


def test_values_and_indices():
    assert [part.value for part in parts_of(DATASET, "time", "year")] == ["2025", "2026"]
    indices = [part.index for part in parts_of(DATASET, "x", "4")]
    assert indices == [slice(0, 4), slice(4, 8), slice(8, 10)]


@pytest.mark.parametrize(
    ("name", "rule", "message"),
    [
        ("x", "week", "is not valid"),
        ("x", "0", "is not valid"),
        ("x", "-1", "is not valid"),
        ("x", "year", "has no dates"),
        ("long", "1", "the most are 9"),
        ("absent", "2", "absent"),
    ],
)
def test_rules_that_are_not_valid(name, rule, message, monkeypatch):
    monkeypatch.setattr(parts, "MOST_PARTS", 9)
    with pytest.raises(OptionError, match=message):
        parts_of(DATASET, name, rule)
