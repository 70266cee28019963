"""`ncz.diff`: differences as objects."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.errors import NczError, StoreMissing

CDL = """netcdf d {{ dimensions: x = 3 ; variables: float v(x) ; v:units = "{}" ; int w ;
data: v = {} ; w = {} ; }}"""


def text(units: str = "K", values: str = "1, 2, 3", w: int = 4) -> io.BytesIO:
    return io.BytesIO(CDL.format(units, values, w).encode())


def test_equal_datasets_have_no_differences():
    assert ncz.diff(text(), text()) == []


def test_each_difference_has_its_kind_and_place():
    attribute, value, total = ncz.diff(text(), text("m", "1, 2.5, 3"))
    assert (attribute.kind, attribute.fqn, attribute.name) == ("attribute", "/v", "units")
    assert (value.kind, value.fqn, value.index) == ("value", "/v", (1,))
    assert (value.expected, value.found) == (2, 2.5)
    assert (total.kind, total.count, total.largest) == ("values", 1, 0.5)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 3),
        ({"data_only": True}, 2),
        ({"header_only": True}, 1),
        ({"variables": "w"}, 1),
        ({"vars": "w"}, 1),
        ({"drop_attributes": "units"}, 2),
        ({"tolerance": 0.5}, 2),
        ({"isel": {"x": 0}}, 2),
    ],
)
def test_the_compared_parts_can_be_chosen(options, count: int):
    found = ncz.diff(text(), text("m", "1, 2.5, 3", 5), **options)
    assert sum(each.kind != "values" for each in found) == count


def test_many_values_are_summed_up():
    found = ncz.diff(text(), text(values="2, 3, 5"), most=2)
    assert [each.kind for each in found] == ["value", "value", "values"]
    assert (found[2].count, found[2].size, found[2].largest) == (3, 3, 2)


def test_a_dataset_or_a_name_that_does_not_exist(tmp_path):
    with pytest.raises(StoreMissing):
        ncz.diff(text(), tmp_path / "missing.nc")
    with pytest.raises(NczError, match="nothing"):
        ncz.diff(text(), text(), variables="nothing")
