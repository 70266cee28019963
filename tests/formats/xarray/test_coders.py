"""Variables of xarray, encoded by its own coders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

xarray = pytest.importorskip("xarray", reason="xarray is not installed")

from ncz.errors import LossError  # noqa: E402
from ncz.formats.xarray.coders import encoded_variables, missing_texts, text_values  # noqa: E402


def encoded(values: Any, dims: tuple[str, ...] = ("x",), **encoding: Any) -> Any:
    variable = xarray.Variable(dims, values, {"a": 1}, encoding)
    found, _ = encoded_variables(xarray.Dataset({"v": variable}), "/g")
    return found["v"]


@pytest.mark.parametrize(
    ("values", "encoding", "dtype", "attributes"),
    [
        (np.array([1, 2], "i2"), {}, "i2", {"a": 1}),
        (np.array([1.0, np.nan]), {}, "f8", {"a": 1, "_FillValue": np.nan}),
        (np.array([1.0, 2.0]), {"scale_factor": 0.5, "dtype": "i2", "_FillValue": -1}, "i2",
         {"a": 1, "scale_factor": 0.5, "_FillValue": -1}),
        (np.array([True, False]), {}, "i1", {"a": 1, "dtype": "bool"}),
    ],
)  # fmt: skip
def test_heads_have_the_dtype_and_the_attributes(values, encoding, dtype, attributes):
    found = encoded(values, **encoding)
    assert found.encode
    assert found.head.dtype == np.dtype(dtype)
    assert {**found.head.attrs} == pytest.approx(attributes, nan_ok=True)
    assert found.head.shape == (1,)


def test_times_are_encoded_immediately():
    found = encoded(np.array(["2026-01-01", "2026-01-03"], "M8[ns]"))
    assert not found.encode
    assert found.head.attrs["units"].startswith("days since 2026-01-01")
    assert found.values.to_numpy().tolist() == [0, 2]


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        (["a", None], ["a", ""]),
        ([b"a", b"bc"], [b"a", b"bc"]),
        ([1, None], [1, np.nan]),
    ],
)
def test_objects(objects, expected):
    found = encoded(np.array(objects, object))
    np.testing.assert_array_equal(found.values.to_numpy(), np.array(expected))


def test_objects_that_cannot_be_stored():
    with pytest.raises(LossError, match="objects of type dict, str cannot be stored") as caught:
        encoded(np.array(["a", {}], object))
    assert caught.value.location == "/g/v"


def test_missing_texts():
    values = np.array([["a", None], [np.nan, ""]], object)
    assert missing_texts(values).tolist() == [[False, True], [True, False]]
    assert text_values(values, "/v").tolist() == [["a", ""], ["", ""]]
    with pytest.raises(LossError, match="an object of type int is not text"):
        text_values(np.array(["a", 1], object), "/v")


def test_attributes_of_the_group():
    found, attributes = encoded_variables(xarray.Dataset(attrs={"title": "t"}), "")
    assert (found, attributes) == ({}, {"title": "t"})
