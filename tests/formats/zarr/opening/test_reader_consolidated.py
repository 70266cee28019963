"""Stores with consolidated metadata."""

from __future__ import annotations

import json

import pytest

from tests.formats.zarr.opening.test_reader import NCZARR, Objects, objects_of, read


def consolidated(objects: Objects) -> Objects:
    """The store with `.zmetadata`, and without the objects that it means."""
    metadata = {k: json.loads(v) for k, v in objects.items() if "/." in f"/{k}"}
    chunks = {k: v for k, v in objects.items() if k not in metadata}
    document = {"metadata": metadata, "zarr_consolidated_format": 1}
    return chunks | {".zmetadata": json.dumps(document).encode()}


@pytest.mark.parametrize("store", [*NCZARR, "zarr-python"])
def test_consolidated_metadata_is_enough(store):
    objects = objects_of(store)
    expected, _ = read(objects)
    dataset, notices = read(consolidated(objects))
    assert notices == []
    assert dataset == expected


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"metadata": {}, "zarr_consolidated_format": 1}', "{}"]
)
def test_broken_consolidated_metadata_is_passed_over(text):
    objects = objects_of("nczarr-4.10.1")
    expected, _ = read(objects)
    dataset, notices = read(objects | {".zmetadata": text.encode()})
    assert dataset == expected
    assert len(notices) == 1
    assert ".zmetadata" in str(notices[0])
