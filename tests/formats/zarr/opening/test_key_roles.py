"""The kinds of keys in a store."""

from __future__ import annotations

import pytest

from ncz.formats.zarr.opening.key_roles import StoreRoles
from ncz.zmap.memory import MemoryZmap

ARRAY = b'{"zarr_format": 3, "node_type": "array", "attributes": {"node_type": "group"}}'
OBJECTS = {
    ".zgroup": b"{}",
    "v/.zarray": b"{}",
    "v/.zattrs": b"{}",
    "v/0.0": b"x",
    "v/readme": b"x",
    "n/.nczarray": b"{}",
    "three/zarr.json": b'{"node_type": "group"}',
    "three/a/zarr.json": ARRAY,
    "three/a/c/0/1": b"x",
    "three/broken/zarr.json": b'{"node_type": "array", "x": {"node_type": "group"}',
    "three/none/zarr.json": b"{}",
    "0/1": b"x",
}


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        (".zgroup", "group"),
        ("v/.zarray", "array"),
        ("v/.zattrs", "attributes"),
        ("v/0.0", "chunk"),
        ("v/readme", "other"),
        ("three/zarr.json", "group"),
        ("three/a/zarr.json", "array"),
        ("three/a/c/0/1", "chunk"),
        ("three/broken/zarr.json", "other"),
        ("three/none/zarr.json", "other"),
        ("0/1", "other"),
    ],
)
def test_the_kind_of_an_object(key, kind):
    assert StoreRoles(MemoryZmap(dict(OBJECTS))).kind(key, is_object=True) == kind


@pytest.mark.parametrize(
    ("prefix", "kind"),
    [
        ("", "group"),
        ("v", "array"),
        ("n", "array"),
        ("three", "group"),
        ("three/a", "array"),
        ("three/a/c", "chunk"),
        ("three/a/c/0", "chunk"),
        ("three/b", "other"),
    ],
)
def test_the_kind_of_a_prefix(prefix, kind):
    assert StoreRoles(MemoryZmap(dict(OBJECTS))).kind(prefix, is_object=False) == kind


@pytest.mark.parametrize(
    ("key", "document"), [("v/.zarray", True), ("g/zarr.json", True), ("v/0.0", False)]
)
def test_documents_are_known_by_their_names(key, document):
    assert StoreRoles(MemoryZmap()).is_document(key) is document
