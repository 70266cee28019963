"""Random nested types and values through stores and JSON."""

from __future__ import annotations

from hypothesis import given, settings

from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.data import read_all
from ncz.model.tree import Dataset
from ncz.model.types import Atomic, Compound, Field, NcType, Value, Vlen
from ncz.zmap.memory import MemoryZmap
from tests.sampled import share_of
from tests.test_round_trip import parsed, printed, stored
from tests.user_types import strategies


def same(one: Value, other: Value, nc_type: NcType) -> bool:
    """Return whether two values are the same; NaN is itself, and an empty string is NIL."""
    match nc_type:
        case Vlen(base=base):
            return len(one) == len(other) and all(map(same, one, other, [base] * len(one)))
        case Compound(fields=fields):
            return all(map(same_field, one, other, fields))
        case Atomic.FLOAT | Atomic.DOUBLE:
            return bool(repr(one) == repr(other))
        case Atomic.STRING:
            return (one or None) == (other or None)
        case _:
            return bool(one == other)


def same_field(one: Value, other: Value, field: Field) -> bool:
    if not field.shape:
        return same(one, other, field.type)
    return len(one) == len(other) and all(map(same, one, other, [field.type] * len(one)))


@given(strategies.datasets())
@settings(max_examples=share_of(40))
def test_a_store_of_either_version_keeps_types_and_values(dataset: Dataset):
    for zarr_format in (2, 3):
        objects = stored(dataset, WriteOptions(zarr_format=zarr_format))
        notices: list[object] = []
        found = open_dataset(MemoryZmap(objects), name="t", notify=notices.append)
        assert notices == []
        assert found.root.types == dataset.root.types
        for ours, theirs in zip(dataset.root.attributes, found.root.attributes, strict=True):
            assert ours.type == theirs.type
            assert all(map(same, ours.values, theirs.values, [ours.type] * len(ours.values)))
        for variable, other in zip(dataset.root.variables, found.root.variables, strict=True):
            assert variable.data is not None
            assert other.data is not None
            pairs = zip(read_all(variable.data), read_all(other.data), strict=True)
            assert all(same(one, two, variable.type) for one, two in pairs)


@given(strategies.datasets(strategies.cdl_names))
@settings(max_examples=25)
def test_cdl_is_a_fixed_point(dataset: Dataset):
    once = printed(dataset)
    assert printed(parsed(once)) == once
