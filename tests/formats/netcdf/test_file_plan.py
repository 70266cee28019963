"""Datasets as netCDF-4 files that are never written."""

from __future__ import annotations

import sys

import pytest

from ncz.errors import LossError, NczError, Notice, ignore_notice
from ncz.formats.netcdf.file_plan import plan_file
from ncz.model.tree import Attribute, Dataset
from ncz.model.types import Atomic
from ncz.record import replace
from tests.test_round_trip import parsed


def dataset(more: str = "") -> Dataset:
    text = f"netcdf d {{ dimensions: x = 2 ; variables: float v(x) ; {more} data: v = 1, 2 ; }}"
    return parsed(text.encode())


def test_each_variable_has_its_storage():
    plan = plan_file(dataset("int w ;"), ignore_notice)
    assert [array.fqn for array in plan.arrays] == ["/v", "/w"]
    assert plan.losses == ()
    assert plan.dataset.root.dimensions == dataset().root.dimensions


def test_values_are_not_rounded():
    rounded = dataset("v:_QuantizeBitGroomNumberOfSignificantDigits = 2 ;")
    assert rounded.root.variables[0].storage.quantize is not None
    plan = plan_file(rounded, ignore_notice)
    assert plan.dataset.root.variables[0].storage.quantize is None


def test_attributes_of_json_are_written_as_text_with_a_notice():
    notices: list[Notice] = []
    attribute = Attribute(name="a", type=Atomic.CHAR, values=('{"b": 1}',), original=({"b": 1},))
    plain = dataset()
    plan_file(replace(plain, root=replace(plain.root, attributes=(attribute,))), notices.append)
    assert [notice.code for notice in notices] == ["attribute-as-text"]


def test_names_that_a_file_does_not_have_are_refused():
    plain = dataset()
    (variable,) = plain.root.variables
    wrong = replace(plain, root=replace(plain.root, variables=(replace(variable, name="a/b"),)))
    with pytest.raises(LossError, match=r"a netCDF-4 file cannot represent .*a/b"):
        plan_file(wrong, ignore_notice)


def test_h5py_is_needed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(NczError, match="h5py"):
        plan_file(dataset(), ignore_notice)
