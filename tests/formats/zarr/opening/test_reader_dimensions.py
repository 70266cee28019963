"""The dimensions of arrays."""

from __future__ import annotations

import pytest

from ncz.model.data import read_all
from tests.formats.zarr.opening.test_reader import ROOT, array, read, variable


def test_dimensions_without_names_are_named_by_length():
    dataset, _ = read(
        ROOT
        | {
            "a/.zarray": array(shape=[4, 3], chunks=[4, 3]),
            "b/.zarray": array(shape=[0], chunks=[0]),
            "g/.zgroup": {"zarr_format": 2},
            "g/c/.zarray": array(shape=[4, 5], chunks=[4, 5]),
        }
    )
    assert [(d.name, d.unlimited) for d in dataset.root.dimensions] == [
        ("_Anonymous_Dim_4", False),
        ("_Anonymous_Dim_3", False),
        ("_Anonymous_Dim_0", True),
        ("_Anonymous_Dim_5", False),
    ]
    inner = dataset.root.groups[0]
    assert inner.dimensions == ()
    assert inner.variables[0].dimensions == ("/_Anonymous_Dim_4", "/_Anonymous_Dim_5")


def test_a_name_with_two_lengths_falls_back():
    named = {"_ARRAY_DIMENSIONS": ["x"]}
    dataset, notices = read(
        ROOT
        | {
            "a/.zarray": array(),
            "a/.zattrs": named,
            "b/.zarray": array(shape=[5]),
            "b/.zattrs": named,
        }
    )
    assert variable(dataset, "a").dimensions == ("/x",)
    assert variable(dataset, "b").dimensions == ("/_Anonymous_Dim_5",)
    assert len(notices) == 1
    assert notices[0].location == "memory://x: /b/.zarray"


@pytest.mark.parametrize("names", ["x", ["x", "y"], 3, [], {"x": 3}])
def test_names_that_do_not_fit_fall_back(names):
    dataset, notices = read(
        ROOT | {"a/.zarray": array(), "a/.zattrs": {"_ARRAY_DIMENSIONS": names}}
    )
    assert variable(dataset, "a").dimensions == ("/_Anonymous_Dim_3",)
    assert variable(dataset, "a").attributes == ()
    assert len(notices) == 1


def test_noxarray_ignores_the_names_and_hides_them():
    dataset, notices = read(
        ROOT | {"a/.zarray": array(), "a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]}}, "noxarray"
    )
    assert variable(dataset, "a").dimensions == ("/_Anonymous_Dim_3",)
    assert variable(dataset, "a").attributes == ()
    assert notices == []


def test_an_array_at_the_root_is_a_variable_with_the_name_of_the_dataset():
    dataset, notices = read({".zarray": array(), ".zattrs": {"units": "m"}, "0": b"\1\0\0\0" * 3})
    assert notices == []
    found = variable(dataset, "x")
    assert found.data is not None
    assert read_all(found.data).tolist() == [1, 1, 1]
    assert [a.name for a in found.attributes] == ["units"]
    assert dataset.root.attributes == ()
