"""Notices of attributes that some readers of a store see otherwise."""

from __future__ import annotations

import math

import pytest

from ncz.errors import Notice
from ncz.formats.zarr.readers.attribute_notices import attribute_notices
from ncz.model.tree import Attribute, Dataset, Group, Variable
from ncz.model.types import Atomic


def notices(
    attribute: Attribute, *, pure: bool = False, annotated: bool = False, zarr_format: int = 2
) -> list[Notice]:
    variable = Variable(name="v", type=Atomic.INT, attributes=(attribute,))
    dataset = Dataset(name="d", root=Group(groups=(Group(name="g", variables=(variable,)),)))
    return list(attribute_notices(dataset, pure=pure, annotated=annotated, zarr_format=zarr_format))


def codes(attribute: Attribute, **how: bool) -> list[str]:
    return [notice.code for notice in notices(attribute, **how)]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_does_not_have(value: float):
    attribute = Attribute(name="a", type=Atomic.DOUBLE, values=(1.0, value))
    (notice,) = notices(attribute, zarr_format=3)
    assert notice.code == "attribute-not-finite"
    assert "g/v:a" in notice.message
    assert notice.hint == "use mode=zarr for numbers"
    assert notices(attribute, pure=True, zarr_format=3) == []
    assert notices(attribute, zarr_format=2) == []
    finite = Attribute(name="a", type=Atomic.DOUBLE, values=(1.0,))
    assert notices(finite, zarr_format=3) == []


def test_a_string_that_is_nil_is_lost_only_in_pure_zarr():
    attribute = Attribute(name="a", type=Atomic.STRING, values=("x", None))
    assert codes(attribute, pure=True) == ["attribute-nil"]
    assert codes(attribute, pure=True, annotated=True) == []
    assert codes(attribute) == []


def test_text_that_is_not_utf_8():
    attribute = Attribute(name="a", type=Atomic.CHAR, values=("\udcff",))
    assert codes(attribute, pure=True) == ["attribute-recoded"]


def test_an_empty_list_becomes_an_empty_text_in_nczarr():
    attribute = Attribute(name="a", type=Atomic.CHAR, values=(), original=([],))
    assert codes(attribute) == ["attribute-empty"]
    assert codes(attribute, pure=True) == []
