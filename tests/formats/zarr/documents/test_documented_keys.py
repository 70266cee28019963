"""Keys of documents, from consolidated metadata."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.formats.zarr.documents.documented_keys import documented_keys
from ncz.zmap.memory import MemoryZmap

GROUP, ARRAY = {"zarr_format": 2}, {"zarr_format": 2, "shape": []}


def keys(**documents: Any) -> list[str] | None:
    objects: dict[str, bytes] = {
        {"v2": ".zmetadata", "v3": "zarr.json"}[name]: json.dumps(document).encode()
        for name, document in documents.items()
    }
    return documented_keys(MemoryZmap(objects))


def test_keys_of_v2_come_from_the_copies():
    metadata = {".zgroup": GROUP, "g/.zgroup": GROUP, "g/v/.zarray": ARRAY}
    found = keys(v2={"metadata": metadata, "zarr_consolidated_format": 1})
    assert found == [".zmetadata", *metadata]


def test_keys_of_v3_come_from_the_nodes():
    document: Any = {"consolidated_metadata": {"metadata": {"g": {}, "g/v": {}}}}
    assert keys(v3=document) == ["zarr.json", "g/zarr.json", "g/v/zarr.json"]


@pytest.mark.parametrize(
    "document",
    [{}, {"consolidated_metadata": None}, {"consolidated_metadata": 5},
     {"consolidated_metadata": {"metadata": []}}, []],
)  # fmt: skip
def test_a_store_of_v3_without_copies(document: Any):
    assert keys(v3=document) is None


def test_a_store_without_documents_or_with_damaged_ones():
    assert documented_keys(MemoryZmap()) is None
    assert documented_keys(MemoryZmap({"zarr.json": b"{"})) is None
