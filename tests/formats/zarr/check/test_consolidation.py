"""Consolidated metadata compared with the documents of a store."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.formats.zarr.check.consolidation import check_consolidated, has_own_documents

GROUP: dict[str, Any] = {"zarr_format": 2}
ARRAY: dict[str, Any] = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4"}
NODE: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}


def v2(copies: object, **own: Any) -> dict[str, Any]:
    documents = {".zgroup": GROUP, "v/.zarray": ARRAY, **own}
    return {**documents, ".zmetadata": {"zarr_consolidated_format": 1, "metadata": copies}}


def v3(consolidated: object) -> dict[str, Any]:
    root = {**NODE, "consolidated_metadata": consolidated}
    return {"zarr.json": root, "g/zarr.json": NODE}


@pytest.mark.parametrize(
    ("documents", "zarr_format", "found"),
    [
        (v2({".zgroup": GROUP, "v/.zarray": ARRAY}), 2, []),
        (v2({".zgroup": GROUP}), 2, [("consolidated-stale", "v/.zarray")]),
        (
            v2({".zgroup": GROUP, "v/.zarray": {**ARRAY, "shape": [3]}}),
            2,
            [("consolidated-stale", "v/.zarray")],
        ),
        (
            v2({".zgroup": GROUP, "v/.zarray": ARRAY, "w/.zarray": ARRAY}),
            2,
            [("consolidated-stale", "w/.zarray")],
        ),
        (v2([]), 2, [("consolidated-damaged", ".zmetadata")]),
        (v3({"kind": "inline", "metadata": {"g": NODE}}), 3, []),
        (v3({"kind": "inline", "metadata": {}}), 3, [("consolidated-stale", "g/zarr.json")]),
        (v3({"kind": "elsewhere"}), 3, [("consolidated-damaged", "zarr.json")]),
        (v3("text"), 3, [("consolidated-damaged", "zarr.json")]),
        ({"zarr.json": NODE}, 3, []),
        ({".zgroup": GROUP}, 2, []),
    ],
)
def test_differences_are_found(documents, zarr_format, found):
    findings = check_consolidated(documents, zarr_format, set())
    assert [(each.code, each.key) for each in findings] == found


def test_a_damaged_document_is_not_compared():
    documents = v2({".zgroup": GROUP, "v/.zarray": ARRAY})
    del documents["v/.zarray"]
    assert list(check_consolidated(documents, 2, {"v/.zarray"})) == []
    found = list(check_consolidated({".zgroup": GROUP}, 2, {".zmetadata"}))
    assert [(each.code, each.key) for each in found] == [("consolidated-damaged", ".zmetadata")]


@pytest.mark.parametrize(
    ("documents", "own"),
    [
        (v2({}), True),
        ({".zmetadata": {"metadata": {}}}, False),
        (v3({"metadata": {"g": NODE}}), True),
        ({"zarr.json": {**NODE, "consolidated_metadata": {"metadata": {"g": NODE}}}}, False),
        ({"zarr.json": NODE}, True),
    ],
)
def test_whether_a_store_has_documents_besides_consolidated_ones(documents, own):
    assert has_own_documents(documents) is own
