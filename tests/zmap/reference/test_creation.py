"""A reference set under construction, with many objects added together."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest

from ncz.errors import NczError, ZmapError
from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.reference.creation import ReferenceCreation
from ncz.zmap.reference.json_set import parse_json, read_json
from ncz.zmap.reference.json_writer import json_text


def read_text(data: bytes, location: str):
    """Read a reference set from its text."""
    return read_json(parse_json(data, location), location)


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


def test_consolidated_metadata_are_members_of_the_document_of_the_set(tmp_path):
    """Parts next to the documents, such as annotations, are there for all readers."""
    pytest.importorskip("pyarrow")
    inner = {".zgroup": {"zarr_format": 2}}
    whole = {"zarr_consolidated_format": 1, "metadata": inner, "other": {"a": 1}}
    with create_zmap(parse_location(f"{tmp_path}/set.parq#mode=reference")) as zmap:
        zmap.put(".zgroup", b'{"zarr_format": 2}')
        zmap.put(".zmetadata", json.dumps(whole).encode())
    written = json.loads((tmp_path / "set.parq" / ".zmetadata").read_bytes())
    assert written == {**whole, "record_size": 10_000}
    with contextlib.closing(open_zmap(parse_location(f"{tmp_path}/set.parq"))) as zmap:
        assert json.loads(zmap.get(".zmetadata") or b"") == whole
        assert zmap.search("") == [".zgroup", ".zmetadata"]


@pytest.mark.parametrize("suffix", [".json.zst", ".json.zstd", ".json.gz"])
def test_compressed_text(tmp_path, suffix):
    path = tmp_path / f"set{suffix}"

    def write(size, **options):
        with create_zmap(parse_location(f"{path}#mode=reference"), **options) as zmap:
            zmap.put(".zgroup", b"{}")
            zmap.put("a", b"a" * size)

    write(10_000)
    assert path.stat().st_size < 1000
    with contextlib.closing(open_zmap(parse_location(str(path)))) as zmap:
        assert zmap.get("a") == b"a" * 10_000
    write(20, overwrite=True)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(NczError, match=r"damaged|too early"):
        open_zmap(parse_location(str(path)))


@pytest.mark.parametrize("suffix", [".json.zst", ".json.gz"])
def test_compressed_text_is_limited_before_it_is_made(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr("ncz.zmap.reference.text_compression.LARGEST_SET", 1000)
    path = f"{tmp_path}/set{suffix}"
    with create_zmap(parse_location(f"{path}#mode=reference")) as zmap:
        zmap.put("a", b"a" * 2000)
    with pytest.raises(ZmapError, match="larger than the 1000 bytes"):
        open_zmap(parse_location(path))
