"""Dimensions as dimension scales of HDF5."""

from __future__ import annotations

import pytest

from ncz.formats.hdf5.scales import (
    create_scale,
    creation_properties,
    is_coordinate,
    link_names,
    list_references,
    mark_scale,
)
from ncz.model.tree import Dimension, Group, Variable
from ncz.model.types import Atomic

h5py = pytest.importorskip("h5py")


@pytest.fixture
def file():
    with h5py.File("scales.nc", "w", driver="core", backing_store=False) as file:
        yield file


def variable(name: str, *dimensions: str) -> Variable:
    return Variable(name=name, type=Atomic.INT, dimensions=dimensions)


def test_a_coordinate_has_the_name_of_its_first_dimension_in_its_group():
    assert is_coordinate(variable("x", "/x"), "/")
    assert is_coordinate(variable("x", "/g/x", "/y"), "/g")
    assert not is_coordinate(variable("x", "/y", "/x"), "/")
    assert not is_coordinate(variable("x", "/x"), "/g")
    assert not is_coordinate(variable("x"), "/")


def test_another_variable_leaves_the_name_to_the_scale():
    group = Group(
        dimensions=(Dimension(name="x", size=2), Dimension(name="y", size=3)),
        variables=(variable("x", "/x"), variable("y", "/x"), variable("z", "/y")),
    )
    assert link_names(group, "/") == {"x": "x", "y": "_nc4_non_coord_y", "z": "z"}


@pytest.mark.parametrize("unlimited", [False, True])
def test_a_dimension_without_a_variable(file, unlimited: bool):
    create_scale(file.id, Dimension(name="x", size=4, unlimited=unlimited), 7)
    scale = file["x"]
    assert scale.is_scale
    assert scale.shape == (4,)
    assert scale.maxshape == ((None,) if unlimited else (4,))
    assert scale.attrs["_Netcdf4Dimid"] == 7
    name = b"This is a netCDF dimension but not a netCDF variable.         4"
    assert scale.attrs["NAME"] == name


def test_variables_that_refer_to_a_scale_are_listed(file):
    scale = create_scale(file.id, Dimension(name="x", size=2), 0)
    v = file.create_dataset("v", (2, 2), "i4")
    address = h5py.h5o.get_info(v.id).addr
    list_references(scale, [(address, 0), (address, 1)])
    rows = file["x"].attrs["REFERENCE_LIST"]
    assert rows["dimension"].tolist() == [0, 1]
    assert [file[reference].name for reference in rows["dataset"]] == ["/v", "/v"]


def test_attributes_keep_their_order(file):
    space = h5py.h5s.create_simple((2,))
    dataset = h5py.h5d.create(file.id, b"v", h5py.h5t.NATIVE_INT32, space, creation_properties())
    mark_scale(dataset, "v", 3)
    for name in "zay":
        file["v"].attrs[name] = 1
    assert [*file["v"].attrs][-3:] == ["z", "a", "y"]
