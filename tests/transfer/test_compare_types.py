"""Values of variables of different types, or of elements of different lengths."""

from __future__ import annotations

import itertools

import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import ignore_notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.formats.zarr.writing.writer import write_dataset
from ncz.model.tree import Attribute, Dataset, Group
from ncz.model.types import Atomic, Compound, Field
from ncz.parallel.threads import ThreadPool
from ncz.transfer.compare import differences
from ncz.transfer.compare_values import ValueComparison
from ncz.zmap.memory import MemoryZmap


def opened(types: str, variable: str, data: str, attribute: str = "") -> Dataset:
    dimensions, variables = "dimensions: x = 2;", f"variables: {variable}(x); {attribute}"
    text = f"netcdf t {{ {types} {dimensions} {variables} data: v = {data}; }}"
    zmap = MemoryZmap({})
    dataset = read_cdl(text.encode(), source="t.cdl")
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


TYPES = {
    "int": NUMBERS,
    "ubyte": ("", "ubyte v", "3, 4"),
    "double": ("", "double v", "5.5, 1e300"),
    "char": ("", "char v", '"ab"'),
    "string": ("", "string v", '"x", "1"'),
    "enum": ("types: int enum kind { A = 6, B = 7 };", "kind v", "A, B"),
    "opaque": ("types: opaque(4) blob;", "blob v", "0x01020304, 0x05060708"),
    "vlen": ROWS,
    "compound": ("types: compound pair { int a; int b; };", "pair v", "{6, 7}, {8, 9}"),
    "one": ("types: compound one { int a; };", "one v", "{11}, {12}"),
}


@pytest.fixture(scope="module")
def datasets():
    return {name: opened(*described) for name, described in TYPES.items()}


@pytest.mark.parametrize("limit", [None, 5])
@pytest.mark.parametrize("typed", [False, True])
def test_variables_of_any_two_types_are_compared(datasets, typed, limit):
    how = ValueComparison(limit=limit)
    with ThreadPool(1 << 20, 1) as pool:
        for ours, theirs in itertools.permutations(TYPES, 2):
            found = list(differences(datasets[ours], datasets[theirs], pool, typed=typed, how=how))
            kinds = ["type"] * typed + ["value", "value"] + ["values"] * (limit is not None)
            assert [d.kind for d in found] == kinds, (ours, theirs)
        for name in TYPES:
            assert not list(differences(datasets[name], opened(*TYPES[name]), pool, typed=typed))


def test_a_number_is_not_cut_to_the_other_type():
    one, other = opened("", "int64 v", "4294967297, 2"), opened(*NUMBERS)
    with ThreadPool(1 << 20, 1) as pool:
        for pair in ((one, other), (other, one)):
            found = list(differences(*pair, pool, typed=False))
            assert [(d.kind, d.index) for d in found] == [("value", (0,))]


@pytest.mark.parametrize("limit", [None, 5])
def test_strings_longer_than_the_elements_of_the_other_differ(limit):
    def strings(length: int, first: str) -> Dataset:
        return opened("", "string v", f'"{first}", "x"', f"v:_nczarr_maxstrlen = {length};")

    short, long = strings(4, "abc"), strings(8, "abcdefgh")
    how = ValueComparison(limit=limit)
    with ThreadPool(1 << 20, 1) as pool:
        for pair in ((short, long), (long, short)):
            found = [d for d in differences(*pair, pool, how=how) if d.kind == "value"]
            assert [d.index for d in found] == [(0,)]


@pytest.mark.parametrize(
    ("types", "attribute"),
    [
        ("types: compound z { float r; float i; };", "z v:a = {NaN, 0};"),
        ("types: compound z { float r(2); float i; };", "z v:a = {{1, NaN}, 0};"),
        ("types: float(*) z;", "z v:a = {NaN, 1}, {NaN};"),
    ],
)
def test_nan_within_an_attribute_is_equal_to_itself(types, attribute):
    one, same = (opened(types, "int v", "1, 2", attribute) for _ in range(2))
    other = opened(types, "int v", "1, 2", attribute.replace("NaN", "5"))
    with ThreadPool(1 << 20, 1) as pool:
        assert list(differences(one, same, pool)) == []
        assert [found.kind for found in differences(one, other, pool)] == ["attribute"]


def test_nil_within_an_attribute_is_an_empty_string():
    kind = Compound(name="/z", fields=(Field(name="s", type=Atomic.STRING),))
    datasets = [
        Dataset(
            name="d",
            root=Group(attributes=(Attribute(name="a", type=kind, values=((text,),)),)),
        )
        for text in (None, "", "x")
    ]
    with ThreadPool(1 << 20, 1) as pool:
        assert list(differences(datasets[0], datasets[1], pool)) == []
        assert [d.kind for d in differences(datasets[0], datasets[2], pool)] == ["attribute"]
