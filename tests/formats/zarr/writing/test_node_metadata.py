"""Metadata of groups and arrays that documents of every version have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.node_metadata import (
    array_attributes,
    group_attributes,
    group_note,
    user_type_of,
)
from ncz.model.quantization import Quantization
from ncz.model.tree import Attribute, Storage, Variable
from ncz.model.types import Atomic
from ncz.record import replace
from tests.test_round_trip import parsed

UNITS = Attribute(name="units", type=Atomic.CHAR, values=("K",))
RECORD = "_QuantizeBitGroomNumberOfSignificantDigits"


def names(variable: Variable) -> list[str]:
    plan = SimpleNamespace(variable=variable, attributes=variable.attributes)
    return [a.name for a in array_attributes(cast("ArrayPlan", plan))]


def test_rounding_is_recorded_once():
    variable = Variable(name="v", type=Atomic.FLOAT, attributes=(UNITS,))
    assert names(variable) == ["units"]
    storage = Storage(quantize=Quantization(algorithm="BitGroom", digits=3))
    rounded = replace(variable, storage=storage)
    assert names(rounded) == ["units", RECORD]
    recorded = Attribute(name=RECORD, type=Atomic.INT, values=(3,))
    assert names(replace(rounded, attributes=(recorded,))) == [RECORD]


ROOT = parsed(
    b"""netcdf d { types: byte enum flag { off = 0 } ; dimensions: x = 2 ; variables: flag v(x) ;
    int w ; :title = "t" ; group: g { group: h { } } }"""
).root


def test_the_note_of_a_group_has_its_members_and_types():
    note = group_note(ROOT)
    assert (note.dimensions, note.arrays, note.groups) == (ROOT.dimensions, ("v", "w"), ("g",))
    assert [*note.types] == ["flag"]
    assert group_note(ROOT.groups[0]).types == {}


def test_properties_of_the_root_are_new():
    properties = Attribute(name="_NCProperties", type=Atomic.CHAR, values=("old",))
    group = replace(ROOT, attributes=(properties, UNITS))
    assert [a.name for a in group_attributes(group, is_root=True)] == ["units"]
    assert len(group_attributes(group, is_root=False)) == 2


def test_only_user_defined_types_are_named():
    assert [user_type_of(variable) for variable in ROOT.variables] == ["/flag", None]
