"""Fill values of early writers: lists of one, null, or none at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.errors import Notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.data import read_all
from ncz.zmap.memory import MemoryZmap

V2: dict[str, Any] = {
    "zarr_format": 2, "shape": [3], "chunks": [2], "dtype": "<i4", "order": "C", "filters": None,
    "compressor": None,
}  # fmt: skip
V3: dict[str, Any] = {
    "zarr_format": 3, "node_type": "array", "shape": [3], "data_type": "int32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": "default", "codecs": ["bytes"], "attributes": {},
}  # fmt: skip
CHUNK = (1).to_bytes(4, "little") + (2).to_bytes(4, "little")


def values(objects: dict[str, Any]) -> list[int]:
    notices: list[Notice] = []
    encoded = {k: v if isinstance(v, bytes) else json.dumps(v).encode() for k, v in objects.items()}
    dataset = open_dataset(MemoryZmap(encoded), name="t", notify=notices.append)
    assert notices == []
    (variable,) = dataset.root.variables
    assert variable.data is not None
    found: list[int] = read_all(variable.data).tolist()
    return found


@pytest.mark.parametrize(
    ("fill", "expected"),
    [({"fill_value": [-7]}, -7), ({"fill_value": -7}, -7), ({"fill_value": None}, 0), ({}, -7)],
)
@pytest.mark.parametrize("mask", [-7, [-7]])
@pytest.mark.parametrize("generation", ["objects", "members", "pure"])
def test_fill_values_of_zarr_v2(generation: str, mask: Any, fill: dict[str, Any], expected: int):
    group = {"dims": {"x": 3}, "vars": ["v"], "groups": []}
    array = {"dimrefs": ["/x"], "storage": "chunked"}
    types = {"types": {"_FillValue": "<i4"}}
    objects: dict[str, Any] = {
        ".zgroup": {"zarr_format": 2}, "v/.zarray": {**V2, **fill}, "v/0": CHUNK,
        "v/.zattrs": {"_FillValue": mask},
    }  # fmt: skip
    if generation == "objects":
        objects |= {
            ".nczarr": {"nczarr_version": "1.0.0"}, ".nczgroup": group, "v/.nczarray": array,
            ".nczattr": {"types": {}}, "v/.nczattr": types,
        }  # fmt: skip
    elif generation == "members":
        superblock = {"_NCZARR_SUPERBLOCK": {"version": "2.0.0"}, "_NCZARR_GROUP": group}
        objects[".zgroup"] |= superblock
        objects[".zattrs"] = {"_NCZARR_ATTR": {"types": {}}}
        objects["v/.zarray"] |= {"_NCZARR_ARRAY": array}
        objects["v/.zattrs"] |= {"_NCZARR_ATTR": types}
    assert values(objects) == [1, 2, expected]


@pytest.mark.parametrize("fill", [{}, {"fill_value": None}])
def test_fill_values_of_zarr_v3(fill: dict[str, Any]):
    root = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    array = {"zarr.json": root, "v/zarr.json": {**V3, **fill}, "v/c/0": CHUNK}
    assert values(array) == [1, 2, 0]
