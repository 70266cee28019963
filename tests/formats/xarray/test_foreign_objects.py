"""Objects of pandas and zarr-python, and dictionaries of arrays, converted to xarray's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.errors import NczError

xarray = pytest.importorskip("xarray")
from ncz.formats.xarray.foreign_objects import in_xarray  # noqa: E402


def test_an_object_of_xarray_stays():
    for found in (xarray.Dataset({"v": ("x", [1])}), xarray.DataArray([1.0], dims="x")):
        assert in_xarray(found) is found


def test_arrays_have_separate_dimensions():
    found = in_xarray({"a": np.zeros((2, 3)), "b": np.int16(5), "c": ("x", [1, 2])})
    assert found["a"].dims == ("a_0", "a_1")
    assert found["b"].dims == ()
    assert found["c"].dims == ("x",)
    array = xarray.DataArray([1], dims="y")
    assert in_xarray({"d": array})["d"].dims == ("y",)


@pytest.mark.parametrize("source", [{}, {1: np.zeros(2)}, 5, "a.nc", [np.zeros(2)], None])
def test_objects_that_are_not_datasets(source: Any):
    assert in_xarray(source) is None


def test_a_dictionary_that_xarray_refuses_is_an_error_of_one_line():
    with pytest.raises(NczError, match="the dictionary is not a dataset: ") as error:
        in_xarray({"a": ("x", [1, 2]), "b": ("x", [1])})
    assert "\n" not in str(error.value)


def test_a_table_has_a_variable_for_each_column():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"t": [1.5, 2.5]}, index=pandas.Index([10, 20], name="time"))
    found = in_xarray(table)
    assert found["t"].values.tolist() == [1.5, 2.5]
    assert found["time"].values.tolist() == [10, 20]


def test_a_store_has_its_stored_values():
    zarr = pytest.importorskip("zarr", minversion="3")
    group = zarr.open_group(zarr.storage.MemoryStore(), mode="w", zarr_format=3)
    attributes = {"scale_factor": 0.5}
    group.create_array("v", data=np.array([1, 2], "i2"), dimension_names=["x"],
                       attributes=attributes)  # fmt: skip
    found = in_xarray(group)
    assert found["v"].dtype == "i2"
    assert found["v"].values.tolist() == [1, 2]
    assert in_xarray(group.store)["v"].attrs == attributes
