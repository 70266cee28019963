"""The nodes of a store while they are edited."""

from __future__ import annotations

import json

import pytest

from ncz.formats.zarr.documents.versions import find_root
from ncz.formats.zarr.edit.draft import Draft
from ncz.zmap.memory import MemoryZmap


def draft() -> Draft:
    zmap = MemoryZmap()
    group = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    array = {
        "zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {"a": 1}, "dimension_names": ["x"],
    }  # fmt: skip
    for key in ("", "g/", "g/h/"):
        zmap.put(f"{key}zarr.json", json.dumps(group).encode())
    for key in ("v", "g/w", "g/h/u"):
        zmap.put(f"{key}/zarr.json", json.dumps(array).encode())
    root = find_root(zmap, (), False, lambda _: None)
    assert root is not None
    tree = root.metadata.load("", 0, lambda _: None)
    return Draft(zmap, tree, root, {"/v": ("/x",), "/g/w": ("/x",), "/g/h/u": ("/x",)})


def test_nothing_changes_until_something_does():
    found = draft()
    assert set(found.nodes) == {"", "v", "g", "g/w", "g/h", "g/h/u"}
    assert found.changed_documents() == {}
    assert found.places() == {}
    assert found.annotations() is None
    assert found.nodes["v"].visible_attributes == {"a": 1}


def test_nodes_below_a_group_move_with_it():
    found = draft()
    found.rename("g", "k")
    assert {node.key for node in found.below("k")} == {"k", "k/h", "k/h/u", "k/w"}
    assert found.places() == {"g": "k"}
    found.remove("k/h")
    assert found.places() == {"g": "k", "g/h": None}


@pytest.mark.parametrize(("old", "names"), [("x", ["lon"]), ("y", ["x"])])
def test_names_of_axes(old, names):
    found = draft()
    found.nodes["v"].rename_axis(0, old, "lon")
    document = found.nodes["v"].documents["zarr.json"]
    assert document["dimension_names"] == names
    assert set(found.changed_documents()) == ({"v/zarr.json"} if old == "x" else set())
