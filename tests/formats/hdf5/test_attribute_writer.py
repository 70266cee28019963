"""Attributes of netCDF-4 files, in the form that netcdf-c gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.formats.hdf5.attribute_writer import write_attributes, write_numbers, write_text
from ncz.formats.hdf5.datatypes import Datatypes
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, Compound, Field

h5py = pytest.importorskip("h5py")


@pytest.fixture
def file():
    with h5py.File("attributes.nc", "w", driver="core", backing_store=False) as file:
        yield file


@pytest.mark.parametrize(("text", "charset"), [("abc", "ASCII"), ("é", "UTF8"), ("a\0b", "ASCII")])
def test_a_text_is_one_string_of_its_bytes(file, text: str, charset: str):
    write_text(file.id, "a", text)
    found = file.attrs.get_id("a")
    kind = found.get_type()
    assert found.shape == ()
    assert kind.get_size() == len(text.encode())
    assert kind.get_cset() == getattr(h5py.h5t, f"CSET_{charset}")
    assert found.get_space().get_simple_extent_type() == h5py.h5s.SCALAR


@pytest.mark.parametrize(
    "attribute",
    [
        Attribute(name="a", type=Atomic.CHAR, values=()),
        Attribute(name="a", type=Atomic.INT, values=()),
        Attribute(name="a", type=Atomic.STRING, values=()),
    ],
)
def test_an_empty_attribute_is_null(file, attribute: Attribute):
    write_attributes(file.id, [attribute], Datatypes())
    space = file.attrs.get_id("a").get_space()
    assert space.get_simple_extent_type() == h5py.h5s.NULL


@pytest.mark.parametrize(
    ("nc_type", "values"),
    [
        (Atomic.BYTE, (-1, 2)),
        (Atomic.USHORT, (65535,)),
        (Atomic.INT64, (2**62,)),
        (Atomic.FLOAT, (1.5, -2.0)),
        (Atomic.DOUBLE, (0.1,)),
    ],
)
def test_numbers_are_an_array_in_the_order_of_small_computers(
    file, nc_type: Atomic, values: tuple[Any, ...]
):
    write_attributes(file.id, [Attribute(name="a", type=nc_type, values=values)], Datatypes())
    found = file.attrs["a"]
    assert found.dtype.str == np.dtype(nc_type.dtype).newbyteorder("<").str
    assert found.tolist() == list(values)


def test_a_number_can_be_a_scalar(file):
    write_numbers(file.id, "a", (7,), Atomic.INT, scalar=True)
    assert file.attrs.get_id("a").shape == ()
    assert file.attrs["a"] == 7


def test_strings_are_an_array_even_one(file):
    attribute = Attribute(name="a", type=Atomic.STRING, values=("é",))
    write_attributes(file.id, [attribute], Datatypes())
    assert file.attrs["a"].tolist() == ["é"]


def test_a_value_of_a_user_defined_type_has_the_committed_type(file):
    pair = Compound(
        name="/pair", fields=(Field(name="i", type=Atomic.INT), Field(name="f", type=Atomic.FLOAT))
    )
    types = Datatypes()
    types.commit(file.id, pair)
    write_attributes(file.id, [Attribute(name="a", type=pair, values=((1, 2.5),))], types)
    assert file.attrs["a"].tolist() == [(1, 2.5)]
    assert file.attrs.get_id("a").get_type().committed()
