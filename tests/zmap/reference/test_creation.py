"""A reference set under construction, to which many objects were added at once."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ncz.errors import LossError, ZmapError
from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.location import parse_location
from ncz.zmap.reference.creation import ReferenceCreation
from ncz.zmap.reference.json_text import json_text
from ncz.zmap.reference.parquet.writer import parquet_files

DOCUMENT = b'{"zarr_format": 2, "shape": [3], "chunks": [1]}'


def keys(indices):
    return [f"v/{n}" for (n,) in indices.tolist()]


@pytest.fixture
def creation(tmp_path):
    found = ReferenceCreation(parse_location(str(tmp_path / "set.json")))
    indices, columns = np.array([[2], [0], [1]]), np.array([10, 20, 30])
    found.put("v/.zarray", DOCUMENT)
    found.refer_all(ByteRanges("/data/a.nc", indices, columns, columns * 2, keys))
    found.put("v/.zattrs", b"{}")
    return found


def place(offset):
    return ByteRange("file:///data/a.nc", offset, 2 * offset)


def test_each_is_found(creation):
    assert creation.size("v/0") == 40
    assert creation.references["v/2"] == place(10)
    assert list(creation.walk()) == ["v/.zarray", "v/.zattrs", "v/0", "v/1", "v/2"]
    with pytest.raises(ZmapError, match="cannot be read before the set exists"):
        creation.get("v/1")


@pytest.mark.parametrize("key", ["v/2", "v/0"])
def test_one_is_replaced_or_deleted(creation, key):
    """The first of them, and another."""
    creation.put(key, b"x")
    assert creation.get(key) == b"x"
    assert len(creation.references) == 5
    assert creation.references["v/1"] == place(30)
    assert creation.delete(key)
    assert creation.size(key) is None


def test_the_text_is_the_same_as_if_each_was_added_alone(creation):
    text = json_text(creation.entries)
    assert json_text(creation.references) == text
    assert list(json.loads(text)["refs"]) == ["v/.zarray", "v/2", "v/0", "v/1", "v/.zattrs"]


def test_the_tables_are_the_same_as_if_each_was_added_alone(creation):
    pytest.importorskip("pyarrow")
    files = list(parquet_files(creation.entries, "set"))
    assert [key for key, _ in files] == ["v/refs.0.parq", ".zmetadata"]
    assert list(parquet_files(creation.references, "set")) == files


@pytest.mark.parametrize("indices", [[[0], [3]], [[0, 0], [0, 1]]], ids=["outside", "rank"])
def test_keys_that_are_no_chunks_are_refused(creation, indices):
    pytest.importorskip("pyarrow")

    def joined(rows):
        return [f"v/{'.'.join(map(str, row))}" for row in rows.tolist()]

    columns = np.array([1, 2])
    creation.refer_all(ByteRanges("/b.nc", np.array(indices), columns, columns, joined))
    with pytest.raises(LossError, match="cannot hold this key"):
        list(parquet_files(creation.entries, "set"))
