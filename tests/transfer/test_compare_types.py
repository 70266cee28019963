"""Values of variables of different types, one of which is defined by the user."""

from __future__ import annotations

import pytest

from ncz.cdl.parse.reader import read_cdl
from ncz.errors import ignore_notice
from ncz.formats.zarr.options import WriteOptions
from ncz.formats.zarr.reader import open_dataset
from ncz.formats.zarr.writer import write_dataset
from ncz.model.tree import Dataset
from ncz.parallel.threads import ThreadPool
from ncz.transfer.compare import differences
from ncz.transfer.compare_values import ValueComparison
from ncz.zmap.memory import MemoryZmap


def opened(types: str, variable: str, data: str) -> Dataset:
    text = f"netcdf t {{ {types} dimensions: x = 2; variables: {variable}(x); data: v = {data}; }}"
    zmap = MemoryZmap({})
    dataset = read_cdl(text.encode(), source="t.cdl", notify=ignore_notice)
    write_dataset(dataset, zmap, WriteOptions(), ignore_notice)
    return open_dataset(zmap, name="t", notify=ignore_notice)


NUMBERS = "", "int v", "1, 2"
ROWS = "types: int(*) row;", "row v", "{1}, {2, 3}"
PAIRS = "types: compound pair { int a; int b; };", "pair v", "{1, 2}, {3, 4}"


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (NUMBERS, ROWS, [(1, (1,)), (2, (2, 3))]),
        (ROWS, NUMBERS, [((1,), 1), ((2, 3), 2)]),
        (ROWS, PAIRS, [((1,), (1, 2)), ((2, 3), (3, 4))]),
        (PAIRS, ROWS, [((1, 2), (1,)), ((3, 4), (2, 3))]),
    ],
)
@pytest.mark.parametrize("limit", [None, 5])
def test_values_of_different_types_differ(ours, theirs, expected, limit):
    with ThreadPool(1 << 20, 1) as pool:
        how = ValueComparison(limit=limit)
        found = list(differences(opened(*ours), opened(*theirs), pool, typed=False, how=how))
    assert [(d.expected, d.found) for d in found if d.kind == "value"] == expected


@pytest.mark.parametrize(("ours", "theirs"), [(NUMBERS, PAIRS), (PAIRS, NUMBERS)])
def test_numbers_and_compounds_differ(ours, theirs):
    with ThreadPool(1 << 20, 1) as pool:
        how = ValueComparison(limit=5)
        found = list(differences(opened(*ours), opened(*theirs), pool, how=how))
    assert [d.kind for d in found] == ["type", "value", "value", "values"]
