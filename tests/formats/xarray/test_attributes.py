"""Attributes of objects of xarray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.errors import LossError
from ncz.formats.xarray.attributes import attributes_of
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, Enumeration, NcType


def attribute(value: Any, name: str = "a", nc_type: NcType | None = None) -> Attribute:
    (found,) = attributes_of({name: value}, "d: /v", nc_type)
    return found


@pytest.mark.parametrize(
    ("value", "nc_type", "values"),
    [
        ("text", Atomic.CHAR, ("text",)),
        ("", Atomic.CHAR, ()),
        (b"bytes", Atomic.CHAR, ("bytes",)),
        (np.int16(5), Atomic.SHORT, (5,)),
        (np.array([1.5, 2], "f4"), Atomic.FLOAT, (1.5, 2.0)),
        (np.float16(0.5), Atomic.FLOAT, (0.5,)),
        (np.bool_(True), None, None),
        ([np.int8(1), np.int8(2)], Atomic.BYTE, (1, 2)),
        (5, Atomic.INT, (5,)),
        ([1.5, 2.5], Atomic.DOUBLE, (1.5, 2.5)),
        (["a", "b"], Atomic.STRING, ("a", "b")),
    ],
)
def test_types_of_values(value: Any, nc_type: Atomic | None, values: Any):
    found = attribute(value)
    if nc_type is not None:
        assert (found.type, found.values) == (nc_type, values)
    else:
        assert found.original == (True,)


def test_objects_are_kept_as_json():
    found = attribute({"a": np.array([1, 2]), "b": [True, None]})
    assert found.original == ({"a": [1, 2], "b": [True, None]},)


@pytest.mark.parametrize(
    ("nc_type", "value", "values"),
    [
        (Atomic.SHORT, -9.0, (-9,)),
        (Atomic.FLOAT, np.float64(0.5), (0.5,)),
        (Atomic.CHAR, b"x", ("x",)),
        (Atomic.CHAR, "", ("\0",)),
        (Atomic.STRING, "x", ("x",)),
    ],
)
def test_a_mask_has_the_type_of_the_variable(nc_type: Atomic, value: Any, values: Any):
    found = attribute(value, "_FillValue", nc_type)
    assert (found.type, found.values) == (nc_type, values)


def test_a_mask_of_an_enumeration_has_its_type():
    flag = Enumeration(name="/flag", base=Atomic.BYTE, members=(("a", 1),))
    found = attribute(1, "_FillValue", flag)
    assert (found.type, found.values) == (flag, (1,))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({5: "x"}, "must be a text that is not empty, not 5"),
        ({"": "x"}, "must be a text that is not empty"),
        ({"a": object()}, "the value of the attribute a cannot be stored: it is of type object"),
        ({"a": {1, 2}}, "it is of type set"),
        ({"_FillValue": 1.5}, "_FillValue 1.5 is not a value of its type short"),
    ],
)
def test_values_that_cannot_be_stored_are_refused(values: dict[Any, Any], message: str):
    with pytest.raises(LossError, match=message):
        attributes_of(values, "d: /v", Atomic.SHORT)
