"""Stores of a few bytes that would fill the memory: each is refused, or read in little memory.

The limit is the size of a chunk and 64 MiB, for each codec and each place of a document. ``make
test`` takes two of the compressors of a string, and one document.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import struct
import zipfile
import zlib
from pathlib import Path

import numcodecs
import pytest

from tests.bombs import MIB, is_refused, run
from tests.codec.test_gates import REPEATED, zstd
from tests.sampled import sampled

GIGABYTE = bytes(1 << 28)


def array(dtype: str, shape: list[int], filters: list | None, compressor: dict | None) -> dict:
    return {
        "zarr_format": 2, "shape": shape, "chunks": shape, "dtype": dtype, "order": "C",
        "fill_value": None, "filters": filters, "compressor": compressor,
    }  # fmt: skip


def store(root: Path, document: dict, chunk: bytes) -> Path:
    (root / "v").mkdir(parents=True)
    (root / ".zgroup").write_text('{"zarr_format": 2}')
    (root / "v" / ".zarray").write_text(json.dumps(document))
    (root / "v" / ".zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    (root / "v" / "0").write_bytes(chunk)
    return root


@pytest.fixture(scope="module")
def one_string() -> bytes:
    """A gigabyte that holds a single string."""
    return struct.pack("<II", 1, (1 << 28) - 8) + GIGABYTE[8:]


@pytest.fixture(scope="module")
def packed_string(one_string) -> bytes:
    """The same, compressed by gzip."""
    return gzip.compress(one_string, 1)


@pytest.fixture(scope="module")
def packed_zeros() -> bytes:
    """A gigabyte of zeros, compressed by gzip."""
    return gzip.compress(GIGABYTE, 1)


COMPRESSORS = {
    "gzip": lambda data: gzip.compress(data, 1),
    "zlib": lambda data: zlib.compress(data, 1),
    "bz2": bz2.compress,
    "lzma": lambda data: lzma.compress(data, preset=1),
    "zstd": zstd,
    "blosc": lambda data: bytes(numcodecs.Blosc("zstd", 9).encode(data)),
    "lz4": lambda data: bytes(numcodecs.LZ4().encode(data)),
}


@pytest.mark.parametrize("compressor", sampled(COMPRESSORS, 4))
@pytest.mark.parametrize("codec", ["vlen-utf8"])
def test_a_string_of_a_gigabyte(codec, compressor, one_string, tmp_path):
    chunk = COMPRESSORS[compressor](one_string)
    document = array("|O", [1], [{"id": codec}], {"id": compressor})
    assert is_refused(run("dump", store(tmp_path / "s", document, chunk)))


@pytest.mark.parametrize("codec", ["vlen-bytes", "vlen-array", "json2", "msgpack2"])
def test_other_objects_of_a_gigabyte(codec, packed_string, tmp_path):
    document = array("|O", [1], [{"id": codec, "dtype": "|u1"}], {"id": "gzip"})
    assert is_refused(run("dump", store(tmp_path / "s", document, packed_string)))


@pytest.mark.parametrize(
    ("filters", "compressor", "chunk"),
    [
        (None, {"id": "zstd"}, REPEATED),
        (None, {"id": "zstd"}, zstd(b"abcd") + REPEATED),
        ([{"id": "vlen-utf8"}], {"id": "zstd"}, REPEATED),
        ([{"id": "packbits"}], None, bytes(4 << 20)),
        (None, {"id": "blosc"}, bytes([2, 1, 2, 1]) + struct.pack("<III", 4, 4, 20) + b"AB"),
    ],
    ids=["zstd", "zstd after a frame", "zstd of strings", "packbits", "blosc"],
)
def test_headers_that_lie(filters, compressor, chunk, tmp_path):
    strings = bool(filters) and filters[0]["id"] == "vlen-utf8"
    document = array("|O" if strings else "|u1", [4], filters, compressor)
    assert is_refused(run("dump", store(tmp_path / "s", document, chunk)))


# --- shards ---------------------------------------------------------------------------------------


def sharded(root: Path, codecs: list, shape: int, inner: int, chunk: bytes, dtype: str) -> Path:
    (root / "v" / "c").mkdir(parents=True)
    (root / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    document = {
        "zarr_format": 3, "node_type": "array", "shape": [shape], "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [shape]}},
        "chunk_key_encoding": {"name": "default"}, "codecs": codecs,
        "fill_value": "" if dtype == "string" else 0, "dimension_names": ["x"],
    }  # fmt: skip
    (root / "v" / "zarr.json").write_text(json.dumps(document))
    (root / "v" / "c" / "0").write_bytes(chunk)
    return root


def sharding(inner: int, codecs: list) -> dict:
    return {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [inner], "codecs": codecs,
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        },
    }  # fmt: skip


BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
GZIP = {"name": "gzip", "configuration": {"level": 5}}


@pytest.mark.parametrize("dtype", ["uint8", "string"])
def test_a_codec_after_the_shards(dtype, packed_zeros, tmp_path):
    inner = BYTES if dtype == "uint8" else {"name": "vlen-utf8"}
    codecs = [sharding(4, [inner]), GZIP]
    target = sharded(tmp_path / "s", codecs, 8, 4, packed_zeros, dtype)
    assert is_refused(run("dump", target))


def test_a_codec_between_nested_shards(packed_zeros, tmp_path):
    bomb = packed_zeros
    codecs = [sharding(4, [sharding(2, [BYTES]), GZIP])]
    chunk = bomb + struct.pack("<QQQQ", 0, len(bomb), 2**64 - 1, 2**64 - 1)
    assert is_refused(run("dump", sharded(tmp_path / "s", codecs, 8, 4, chunk, "uint8")))


def test_many_entries_of_one_chunk(tmp_path):
    text = gzip.compress(struct.pack("<II", 1, 60 * MIB) + bytes(60 * MIB))
    codecs = [sharding(1, [{"name": "vlen-utf8"}, GZIP])]
    chunk = text + struct.pack("<QQ", 0, len(text)) * 1024
    done = run("dump", sharded(tmp_path / "s", codecs, 1024, 1, chunk, "string"))
    assert is_refused(done)
    assert "share bytes" in done.error


# --- documents ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sampled([".zmetadata", ".zgroup", ".zattrs", "zarr.json"], 4))
def test_a_document_of_two_gigabytes_in_a_small_zip_file(name, tmp_path):
    target = tmp_path / "s.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        if name == ".zattrs":
            archive.writestr(".zgroup", '{"zarr_format": 2}')
        with archive.open(name, "w", force_zip64=True) as file:
            for _ in range(2):
                file.write(GIGABYTE)
    assert is_refused(run("dump", "-h", target))


@pytest.mark.parametrize("name", [".zgroup", "v/.zarray", "v/.zattrs"])
def test_a_document_of_two_gigabytes_in_a_directory(name, tmp_path):
    document = array("|u1", [4], None, None)
    target = store(tmp_path / "s", document, b"abcd")
    with (target / name).open("r+b") as file:
        file.truncate(2 << 30)
    assert is_refused(run("dump", "-h", target))


@pytest.mark.parametrize("kind", ["directory", "zip"])
def test_a_chunk_that_is_larger_than_its_codecs_allow(kind, tmp_path):
    target = store(tmp_path / "s", array("|u1", [4], None, None), b"abcd")
    with (target / "v" / "0").open("r+b") as file:
        file.truncate(1 << 28)
    if kind == "zip":
        bomb = zipfile.ZipFile(tmp_path / "s.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        with bomb as archive:
            for path in target.rglob("*"):
                if path.is_file():
                    archive.write(path, path.relative_to(target).as_posix())
        target = tmp_path / "s.zip"
    assert is_refused(run("dump", target))
