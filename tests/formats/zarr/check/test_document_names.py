"""Names of metadata documents."""

from __future__ import annotations

import pytest

from ncz.formats.zarr.check.document_names import (
    CONSOLIDATED_V2,
    DOCUMENTS,
    DOCUMENTS_V2,
    NODES,
    document_keys,
    is_document,
)
from ncz.zmap.memory import MemoryZmap


@pytest.mark.parametrize("key", [".zgroup", "g/v/.zarray", ".zmetadata", "v/zarr.json", ".nczarr"])
def test_documents_are_known_by_their_names(key: str):
    assert is_document(key)


@pytest.mark.parametrize("key", ["v/0.0", "zarr.json/0", ".zarray2", "", "v/c/0"])
def test_other_objects_are_not_documents(key: str):
    assert not is_document(key)


def test_keys_of_documents_are_found_at_any_depth():
    objects = dict.fromkeys(["v/0", "g/.zgroup", "v/.zarray", "g/h/zarr.json"], b"")
    assert document_keys(MemoryZmap(objects)) == ["g/.zgroup", "g/h/zarr.json", "v/.zarray"]


def test_every_version_has_its_documents():
    assert {"zarr.json"} == DOCUMENTS - DOCUMENTS_V2
    assert {*CONSOLIDATED_V2} < DOCUMENTS_V2
    assert NODES < DOCUMENTS
