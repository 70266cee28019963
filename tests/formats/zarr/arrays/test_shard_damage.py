"""Flipped bits in shards with CRC32C: in the index, in a chunk, and in their checksums."""

from __future__ import annotations

import json
import struct

import pytest

import ncz
from ncz.errors import CodecError, ignore_notice

google_crc32c = pytest.importorskip("google_crc32c", reason="google-crc32c is not installed")

CHUNKS, ITEMS = 4, 25


def checked(data):
    return data + struct.pack("<I", google_crc32c.value(data))


def shard_of(chunks, *, location="end"):
    """Return a shard of encoded chunks and its index, which ends with a checksum."""
    size = 16 * len(chunks) + 4
    at = size if location == "start" else 0
    entries = []
    for chunk in chunks:
        entries += [at, len(chunk)]
        at += len(chunk)
    index = checked(struct.pack(f"<{len(entries)}Q", *entries))
    return index + b"".join(chunks) if location == "start" else b"".join(chunks) + index


def codecs(count, inner):
    endian = {"name": "bytes", "configuration": {"endian": "little"}}
    return [
        {
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": [count], "codecs": inner, "index_location": "end",
                "index_codecs": [endian, {"name": "crc32c"}],
            },
        }
    ]  # fmt: skip


@pytest.fixture(params=["plain", "nested"])
def store(request, tmp_path):
    """A store with one shard, whose chunks have checksums; and the length of its parts."""
    values = list(range(CHUNKS * ITEMS))
    parts = [
        checked(struct.pack(f"<{ITEMS}i", *values[n * ITEMS :][:ITEMS])) for n in range(CHUNKS)
    ]
    endian = {"name": "bytes", "configuration": {"endian": "little"}}
    inner = codecs(ITEMS, [endian, {"name": "crc32c"}])
    data = shard_of(parts)
    if request.param == "nested":
        inner = codecs(2 * ITEMS, inner)
        data = shard_of([shard_of(parts[:2]), shard_of(parts[2:])])
    document = {
        "zarr_format": 3, "node_type": "array", "shape": [len(values)], "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [len(values)]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": inner,
        "attributes": {}, "dimension_names": ["x"],
    }  # fmt: skip
    root = tmp_path / "s.zarr"
    (root / "v/c").mkdir(parents=True)
    (root / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
    (root / "v/zarr.json").write_text(json.dumps(document))
    (root / "v/c/0").write_bytes(data)
    return root


def test_an_undamaged_shard_is_copied(store, tmp_path):
    ncz.copy(store, tmp_path / "t.zarr", notify=ignore_notice)
    assert (tmp_path / "t.zarr/v/c/0").read_bytes() == (store / "v/c/0").read_bytes()
    with ncz.open(store, notify=ignore_notice) as opened:
        assert list(opened["v"][:]) == list(range(CHUNKS * ITEMS))


def test_every_flipped_bit_is_noticed(store, tmp_path):
    """Bytes throughout the shard, and another bit of each."""
    shard = store / "v/c/0"
    data = shard.read_bytes()
    for at in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        shard.write_bytes(damaged)
        with pytest.raises(CodecError, match="/v/c/0"):
            ncz.copy(store, tmp_path / "t.zarr", notify=ignore_notice)
        assert not (tmp_path / "t.zarr").exists()
    with pytest.raises(CodecError, match="/v/c/0"), ncz.open(store, notify=ignore_notice) as opened:
        opened["v"][:]


def test_an_error_names_the_index(store, tmp_path):
    path = store / "v/c/0"
    data = bytearray(path.read_bytes())
    data[-8] ^= 1
    path.write_bytes(data)
    said = "the index of the shard cannot be decoded by crc32c: its checksum is wrong"
    with ncz.open(store, notify=ignore_notice) as opened:
        with pytest.raises(CodecError, match=said):
            opened["v"][:]
        with pytest.raises(CodecError, match=said):
            opened["v"][:1]
    with pytest.raises(CodecError, match=said):
        ncz.copy(store, tmp_path / "t.zarr", modes="zarr,v2", notify=ignore_notice)
