"""Documents of Zarr V3."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap

CDL = b"""netcdf s { dimensions: x = 4 ; variables: short v(x) ; v:_FillValue = -1s ;
  v:_ChunkSizes = 2 ; v:_DeflateLevel = 3 ; v:valid = 1.5f, 2.5f ; float f(x) ;
  f:_FillValue = NaNf ; int scalar ; group: g { :a = "t" ; } }"""


def document(key: str, mode: str = "zarr,v3") -> dict[str, Any]:
    url = f"memory://writer-v3-{mode}"
    ncz.gen(io.BytesIO(CDL), f"{url}#mode={mode}", overwrite=True, notify=ignore_notice)
    data = open_zmap(parse_location(url)).get(key)
    assert data is not None
    found: dict[str, Any] = json.loads(data)
    return found


def test_an_array():
    found = document("v/zarr.json")
    assert (found["zarr_format"], found["node_type"], found["shape"]) == (3, "array", [4])
    assert (found["data_type"], found["fill_value"]) == ("int16", -1)
    assert found["chunk_grid"]["configuration"] == {"chunk_shape": [2]}
    assert found["codecs"][0]["name"] == "bytes"
    assert found["dimension_names"] == ["x"]
    assert found["attributes"]["valid"] == [1.5, 2.5]


@pytest.mark.parametrize("mode", ["zarr,v3", "nczarr,v3"])
def test_masks_are_attributes(mode):
    attributes = document("v/zarr.json", mode)["attributes"]
    assert attributes["_FillValue"] in (-1, [-1])
    assert document("f/zarr.json", mode)["fill_value"] == "NaN"


def test_groups_and_scalars():
    assert document("g/zarr.json") == {
        "zarr_format": 3, "node_type": "group", "attributes": {"a": "t"},
    }  # fmt: skip
    scalar = document("scalar/zarr.json")
    assert (scalar["shape"], scalar.get("dimension_names", [])) == ([], [])


def test_consolidated_metadata():
    found = document("zarr.json", "zarr,v3,consolidated")["consolidated_metadata"]
    assert {"v", "f", "g", "scalar"} <= set(found["metadata"])
    assert found["metadata"]["v"] == document("v/zarr.json", "zarr,v3,consolidated")
