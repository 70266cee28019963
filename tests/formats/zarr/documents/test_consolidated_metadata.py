"""Consolidated metadata: their documents, the order of these, and kept members."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.errors import FormatError
from ncz.formats.zarr.documents.consolidated_metadata import (
    consolidate_documents,
    consolidate_store,
    inline,
    kept_annotations,
)
from ncz.formats.zarr.documents.notes import ANNOTATIONS
from ncz.zmap.memory import MemoryZmap

GROUP: dict[str, Any] = {"zarr_format": 2}
NODES: dict[str, Any] = {"nodes": {"": {"a": 1}, "v": {"b": 2}, "gone": {"c": 3}}, "more": 1}
ROOT: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}


def stored(documents: dict[str, Any]) -> MemoryZmap:
    return MemoryZmap({key: json.dumps(each).encode() for key, each in documents.items()})


def test_documents_of_the_root_are_first():
    keys = ["v/.zarray", "a/.zgroup", ".zattrs", ".zgroup"]
    found = consolidate_documents(dict.fromkeys(keys, GROUP))
    assert list(found["metadata"]) == [".zgroup", ".zattrs", "a/.zgroup", "v/.zarray"]
    assert found["zarr_consolidated_format"] == 1
    assert ANNOTATIONS not in found
    assert consolidate_documents({}, NODES)[ANNOTATIONS] == NODES


def test_a_v3_root_has_the_other_nodes():
    found = inline({"": ROOT, "v": 1, "a": 2}, NODES)
    assert found == {
        "kind": "inline", "must_understand": False, "metadata": {"a": 2, "v": 1},
        ANNOTATIONS: NODES,
    }  # fmt: skip
    assert list(found["metadata"]) == ["a", "v"]
    assert ANNOTATIONS not in inline({})


@pytest.mark.parametrize("annotations", [None, 5, [], {}, {"nodes": 5}])
def test_metadata_without_nodes_are_not_kept(annotations: Any):
    assert kept_annotations(annotations, ["v"]) is None


def test_annotations_of_nodes_that_exist_are_kept():
    assert kept_annotations(NODES, ["v", "other"]) == {"nodes": {"v": {"b": 2}}, "more": 1}


def test_a_v2_store_is_consolidated_again():
    zmap = stored(
        {".zgroup": GROUP, "v/.zarray": {"shape": []}, ".zmetadata": {ANNOTATIONS: NODES}}
    )
    count, key, document = consolidate_store(zmap)
    assert (count, key) == (2, ".zmetadata")
    assert list(document["metadata"]) == [".zgroup", "v/.zarray"]
    assert document[ANNOTATIONS]["nodes"] == {"": {"a": 1}, "v": {"b": 2}}


def test_a_broken_consolidated_document_is_replaced():
    zmap = stored({".zgroup": GROUP})
    zmap.put(".zmetadata", b"{")
    assert consolidate_store(zmap)[2] == consolidate_documents({".zgroup": GROUP})


def test_a_v3_store_is_consolidated_again():
    before = {ANNOTATIONS: NODES, "metadata": {"old": 1}}
    zmap = stored(
        {
            "zarr.json": {**ROOT, "consolidated_metadata": before},
            "v/zarr.json": {"node_type": "array"},
        }
    )
    count, key, document = consolidate_store(zmap)
    assert (count, key) == (2, "zarr.json")
    whole = document["consolidated_metadata"]
    assert whole["metadata"] == {"v": {"node_type": "array"}}
    assert whole[ANNOTATIONS]["nodes"] == {"": {"a": 1}, "v": {"b": 2}}


@pytest.mark.parametrize(
    "zmap",
    [
        MemoryZmap({}),
        MemoryZmap({"zarr.json": b'{"node_type": "array"}'}),
        MemoryZmap({"v/zarr.json": b'{"node_type": "group"}'}),
    ],
)
def test_the_root_must_be_a_group(zmap: MemoryZmap):
    with pytest.raises(FormatError, match="no Zarr group"):
        consolidate_store(zmap)
