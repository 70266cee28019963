"""Attributes of one node, and the notes about their types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.formats.edits import Edit
from ncz.formats.zarr.documents.hierarchy import ArrayNode
from ncz.formats.zarr.documents.versions import MetadataV2
from ncz.formats.zarr.edit.attribute_edits import NOTES, UNNOTED, edit_attribute
from ncz.formats.zarr.edit.draft import Node
from ncz.model.tree import Attribute
from ncz.model.types import Atomic
from ncz.zmap.memory import MemoryZmap

ARRAY = {
    "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "order": "C", "filters": None,
    "compressor": None, "fill_value": None,
}  # fmt: skip


def node(attributes: dict[str, Any]) -> Node:
    zmap = MemoryZmap()
    zmap.put(".zgroup", b'{"zarr_format": 2}')
    zmap.put("v/.zarray", json.dumps(ARRAY).encode())
    zmap.put("v/.zattrs", json.dumps(attributes).encode())
    metadata = MetadataV2(zmap, False, lambda _: None)
    (stored,) = metadata.load("", 0, lambda _: None).arrays
    assert isinstance(stored, ArrayNode)
    return Node(zmap, stored.key, stored.attributes, 2, ["/x"], None)


def attribute(name: str, nc_type: Atomic, *values: Any) -> Attribute:
    return Attribute(name=name, type=nc_type, values=values)


@pytest.mark.parametrize(
    ("edit", "types"),
    [
        (Edit(action="set", node="v", name="a", attribute=attribute("a", Atomic.BYTE, 7)),
         {"a": "<i1"}),
        (Edit(action="set", node="v", name="n", attribute=attribute("n", Atomic.DOUBLE, 0.5)),
         {"a": "<i2", "n": "<f8"}),
        (Edit(action="rename", node="v", name="a", new="b"), {"b": "<i2"}),
        (Edit(action="delete", node="v", name="a"), {}),
    ],
)  # fmt: skip
def test_types_of_nczarr_follow(edit, types):
    one = node({"a": 1, "_NCZARR_ATTR": {"types": {"a": "<i2"}}})
    edit_attribute(one, edit, NOTES[2])
    noted = next(v for k, v in one.attributes.items() if k.lower() == "_nczarr_attr")["types"]
    assert {name: kind for name, kind in noted.items() if not name.startswith("_")} == types


def test_pure_zarr_has_no_types():
    one = node({"a": 1})
    edit_attribute(
        one, Edit(action="set", node="v", name="n", attribute=attribute("n", Atomic.BYTE, 7)),
        UNNOTED,
    )  # fmt: skip
    assert one.attributes == {"a": 1, "n": 7}
    assert dict(one.changed_documents()) == {".zattrs": {"a": 1, "n": 7}}
