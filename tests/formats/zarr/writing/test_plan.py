"""The plan of a new Zarr store."""

from __future__ import annotations

import json

import pytest

from ncz.cdl.reader import read_cdl
from ncz.formats.zarr.writing.plan import plan_dataset
from ncz.formats.zarr.writing.writer import write_plan
from ncz.model.tree import Attribute, each_variable
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.zmap.memory import MemoryZmap
from tests.formats.zarr.writing.test_visibility import OPTIONS


@pytest.mark.parametrize("text", ["", "abc"])
def test_a_mask_of_several_chars_is_written_as_text(text):
    cdl = "netcdf x { dimensions: n = 2 ; variables: char v(n) ; }"
    dataset = read_cdl(cdl.encode(), source="x")
    mask = Attribute(name="_FillValue", type=Atomic.CHAR, values=(text,))
    dataset = each_variable(dataset, lambda _, v: replace(v, attributes=(mask,)))
    zmap = MemoryZmap(url="m")
    write_plan(plan_dataset(dataset, OPTIONS["nczarr-v3"]), zmap)
    document = json.loads(zmap.get("v/zarr.json") or b"")
    assert document["attributes"]["_FillValue"] == text


def test_missing_chunks_that_contain_the_mask_stay_missing():
    cdl = b"netcdf x { dimensions: n = 2 ; variables: int v(n) ; v:_FillValue = 7 ; }"
    placement = plan_dataset(read_cdl(cdl, source="x"), OPTIONS["pure-v2"]).placements["/v"]
    assert (placement.case.fill, placement.fill, placement.missing) == ("mask", 7, "stay")
