"""Documents that no reader finds, and groups without a document."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from ncz.formats.zarr.check.contents import StoreContents
from ncz.formats.zarr.check.unreached_documents import no_group, unreached_documents


def found(
    documents: str,
    *,
    groups: str = "",
    arrays: str = "",
    version: int = 2,
    superblock: int = 0,
    reported: str = "",
) -> list[tuple[str, str]]:
    """Return the findings of a store with some documents, groups and arrays."""
    contents = SimpleNamespace(
        groups=dict.fromkeys(["", *groups.split()]),
        arrays=dict.fromkeys(arrays.split()),
        zarr_format=version,
        dataset=SimpleNamespace(provenance=SimpleNamespace(superblock=superblock)),
    )
    read = cast("StoreContents", contents)
    findings = unreached_documents(read, documents.split(), {*reported.split()})
    return [(finding.code, finding.key) for finding in findings]


def test_documents_of_known_nodes_are_found():
    documents = ".zgroup v/.zarray v/.zattrs g/.zgroup"
    assert found(documents, groups="g", arrays="v") == []
    assert found("zarr.json v/zarr.json", arrays="v", version=3) == []


def test_a_group_without_a_document():
    assert found(".zgroup g/v/.zarray", groups="g", arrays="g/v") == [("group-missing", "g")]
    assert found(".zgroup a/b/v/.zarray") == [("group-missing", "a/b")]
    assert found(".zgroup a/v/.zarray a/w/.zarray") == [("group-missing", "a")]


def test_attributes_without_a_node():
    assert found(".zgroup x/.zattrs") == [("attributes-orphaned", "x/.zattrs")]
    assert found(".zgroup x/.zattrs", reported="x") == []


@pytest.mark.parametrize(
    ("documents", "version", "key"),
    [(".zgroup v/.zarray v/zarr.json", 2, "v/zarr.json"),
     (".zgroup x/zarr.json", 2, "x/zarr.json")],
)  # fmt: skip
def test_a_document_of_another_version(documents: str, version: int, key: str):
    assert found(documents, arrays="v", version=version) == [("stray-document", key)]


def test_a_whole_store_of_v2_next_to_v3_is_reported_elsewhere():
    documents = "zarr.json v/zarr.json .zgroup v/.zarray"
    assert found(documents, arrays="v", version=3) == []


def test_a_node_that_its_group_does_not_list():
    documents = ".zgroup v/.zarray"
    assert found(documents, superblock=2) == [("object-unlisted", "v")]
    assert found(documents) == []  # the reader has reported its content
    assert found(documents, superblock=2, reported="v/.zarray") == []


def test_the_finding_names_the_document():
    finding = no_group("g", "zarr.json")
    assert (finding.code, finding.key) == ("group-missing", "g")
    assert "/g/zarr.json" in finding.message
