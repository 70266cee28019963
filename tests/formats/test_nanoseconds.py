"""Zarr's times in units shorter than a nanosecond, for formats without such times."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.errors import LossError
from ncz.formats.nanoseconds import with_nanoseconds
from ncz.model.data import MemoryArray, read_all
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Provenance, Storage, Variable
from ncz.model.types import NOT_A_TIME, Atomic
from ncz.record import replace


def times(units: str, *values: int, fill: int | None = NOT_A_TIME) -> Dataset:
    """Return a dataset with a variable of Zarr's times."""
    attributes = (
        Attribute(name="units", type=Atomic.CHAR, values=(units,)),
        Attribute(name="_FillValue", type=Atomic.INT64, values=(NOT_A_TIME,)),
    )
    variable = Variable(
        name="t", type=Atomic.INT64, dimensions=("/x",), attributes=attributes,
        storage=Storage(fill=fill), data=MemoryArray(np.array(values, "i8"), Atomic.INT64),
    )  # fmt: skip
    root = Group(dimensions=(Dimension(name="x", size=len(values)),), variables=(variable,))
    return Dataset(name="d", root=root, provenance=Provenance(zarr_format=3))


def variable_of(dataset: Dataset) -> Variable:
    return dataset.root.variables[0]


@pytest.mark.parametrize(
    ("unit", "size"),
    [("picoseconds", 10**3), ("femtoseconds", 10**6), ("attoseconds", 10**9)],
)
def test_whole_nanoseconds_are_converted(unit: str, size: int):
    dataset = times(f"{unit} since 1970-01-01", 5 * size, -size, NOT_A_TIME)
    found = variable_of(with_nanoseconds(dataset))
    assert found.text("units") == "nanoseconds since 1970-01-01"
    assert found.data is not None
    assert read_all(found.data).tolist() == [5, -1, NOT_A_TIME]
    assert found.storage.fill == NOT_A_TIME


def test_a_fill_value_is_converted_too():
    found = variable_of(with_nanoseconds(times("picoseconds since 1970-01-01", 0, fill=2000)))
    assert found.storage.fill == 2
    with pytest.raises(LossError):
        with_nanoseconds(times("picoseconds since 1970-01-01", 0, fill=2001))


def test_a_part_of_a_nanosecond_would_be_lost():
    with pytest.raises(LossError, match="/t has times in picoseconds that are not whole nano"):
        with_nanoseconds(times("picoseconds since 1970-01-01", 1000, 1001))


@pytest.mark.parametrize(
    "units",
    ["nanoseconds since 1970-01-01", "picoseconds", "picoseconds since 1970-01-01 00:00", "K"],
)
def test_other_units_stay(units: str):
    dataset = times(units, 1)
    assert variable_of(with_nanoseconds(dataset)) is variable_of(dataset)


def test_variables_that_keep_their_dtype_and_other_datasets_stay():
    dataset = times("picoseconds since 1970-01-01", 1)
    assert variable_of(with_nanoseconds(dataset, {"/t"})) is variable_of(dataset)
    text = replace(dataset, provenance=Provenance())
    assert with_nanoseconds(text) is text
    integer = replace(dataset, root=replace(dataset.root, variables=(
        replace(variable_of(dataset), attributes=variable_of(dataset).attributes[:1]),
    )))  # fmt: skip
    assert variable_of(with_nanoseconds(integer)).text("units").startswith("pico")
