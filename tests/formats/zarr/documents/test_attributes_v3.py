"""Attributes in V3: strict JSON with types in NCZarr, and JSON for other readers in pure Zarr."""

from __future__ import annotations

import json
import math

import pytest

from ncz.errors import ignore_notice
from ncz.formats.zarr.readers.forms import Flavour
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.formats.zarr.writing.writer import write_dataset
from ncz.model.tree import Attribute, Dataset, Group, Variable
from ncz.model.types import Atomic
from ncz.zmap.memory import MemoryZmap


@pytest.mark.parametrize(
    ("flavour", "nan", "fill"),
    [("nczarr", "'NaN'", 120), ("zarr", "nan", "x")],
)
def test_values_that_need_a_type_to_be_read(flavour: Flavour, nan, fill):
    attributes = (
        Attribute(name="nan", type=Atomic.DOUBLE, values=(math.nan,)),
        Attribute(name="nothing", type=Atomic.INT, values=()),
    )
    mask = Attribute(name="_FillValue", type=Atomic.CHAR, values=("x",))
    variable = Variable(name="v", type=Atomic.CHAR, attributes=(mask,))
    dataset = Dataset(name="d", root=Group(variables=(variable,), attributes=attributes))
    objects: dict[str, bytes] = {}
    options = WriteOptions(flavour=flavour, zarr_format=3)
    write_dataset(dataset, MemoryZmap(objects), options, ignore_notice)

    def members(key: str):
        return json.loads(objects[key])["attributes"]

    assert repr(members("zarr.json")["nan"]) == nan
    assert members("zarr.json")["nothing"] == []
    assert members("v/zarr.json")["_FillValue"] == fill
