"""Equality of arrays with and without fields."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ncz
from ncz.cdl.data_list import block_index
from ncz.cdl.data_list.array import CdlArray
from ncz.errors import ignore_notice
from ncz.model import slabs as slabs_module
from ncz.model.grid import Box
from ncz.model.tree import Variable
from ncz.transfer import compare_values
from ncz.transfer.compare_values import are_equal, unequal

FIELDS = np.array([(1, 2.0), (3, np.nan)], [("a", "i4"), ("b", "f8")])


@pytest.mark.parametrize(
    "other", [np.zeros(2, "i4"), FIELDS[["a"]], np.zeros(2, [("a", "i4"), ("c", "f8")])]
)
def test_arrays_of_other_fields_are_unequal(other):
    for one, two in ((FIELDS, other), (other, FIELDS)):
        assert not are_equal(one, two)
        assert unequal(one, two).tolist() == [True, True]


def test_fields_are_compared_one_by_one():
    changed = FIELDS.copy()
    assert are_equal(FIELDS, changed)
    changed["a"][1] = 4
    assert unequal(FIELDS, changed).tolist() == [False, True]
    assert not are_equal(FIELDS, changed)


def test_nan_equals_nan_only():
    one, other = np.array([np.nan, np.nan, 1.0]), np.array([np.nan, 1.0, np.nan])
    assert unequal(one, other).tolist() == [False, True, True]
    assert unequal(one, one.astype("c16")).tolist() == [False, False, False]
    assert unequal(one, np.array([0, 1, 1])).tolist() == [True, True, False]
    assert unequal(np.array([0, 1, 1]), one).tolist() == [True, True, False]
    assert are_equal(one, one.copy())
    assert not are_equal(one, other)
    assert not are_equal(one, np.array([0, 1, 1]))


@pytest.mark.parametrize("other", [np.array([b"1", b"x"]), np.array(["1", "x"])])
def test_numbers_and_text_are_unequal(other):
    numbers = np.array([1.0, np.nan])
    for one, two in ((numbers, other), (other, numbers)):
        assert not are_equal(one, two)
        assert unequal(one, two).tolist() == [True, True]


def test_objects_are_compared_one_by_one():
    one = np.array(["a", None, (1, np.float32(2)), b"x"], object)
    same = np.array(["a", None, (1, 2.0), b"x"], object)
    other = np.array(["b", "c", (1, 3.0), b"x"], object)
    assert are_equal(one, same)
    assert unequal(one, same).tolist() == [False] * 4
    assert not are_equal(one, other)
    assert unequal(one, other).tolist() == [True, True, True, False]
    assert unequal(np.array(["a", "b", "c", "d"]), other).tolist() == [True] * 4


def test_text_is_parsed_once_for_any_number_of_slabs(tmp_path, monkeypatch):
    values = ", ".join(f"{{{n}}}" for n in range(4000))
    text = (
        "netcdf c { types: compound t { int a ; } ; dimensions: x = 4000 ; variables: t v(x) ;"
        f" data: v = {values} ; }}"
    )
    (tmp_path / "c.cdl").write_text(text)
    ncz.gen(tmp_path / "c.cdl", tmp_path / "c.zarr", notify=ignore_notice)
    monkeypatch.setattr(block_index, "BLOCK", 1 << 12)
    monkeypatch.setattr(compare_values, "LEAST_MEMORY", 8 * 256 * 1000)
    parsed: list[int] = []
    parse = CdlArray.parse_block

    def parse_block(self: CdlArray, number: int) -> Any:
        parsed.append(number)
        return parse(self, number)

    monkeypatch.setattr(CdlArray, "parse_block", parse_block)
    slabs: list[Box] = []

    def read_slab(variable: Variable, shape: tuple[int, ...], box: Box) -> Any:
        slabs.append(box)
        return slabs_module.read_slab(variable, shape, box)

    monkeypatch.setattr(compare_values, "read_slab", read_slab)
    assert not ncz.diff(tmp_path / "c.zarr", tmp_path / "c.cdl", notify=ignore_notice)
    assert len(slabs) == 8
    assert len(set(parsed)) > 4
    assert len(parsed) <= len(set(parsed)) + 4  # blocks at the ends of slabs are parsed twice
