"""Stores of a few bytes that would fill the memory: "bombs", by name."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numcodecs

from tests.codec.test_zstd import REPEATED, SKIPPED, zstd
from tests.servers.bodies import MIB, Answer, endless, serving_bodies

SIZE = 1 << 28
"""The smallest decoded size of most bombs."""

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
STRINGS = {"name": "vlen-utf8"}
GZIP = {"name": "gzip", "configuration": {"level": 5}}


def array(dtype: str, shape: list[int], filters: list | None, compressor: dict | None) -> dict:
    """Return the document of an array of one chunk in Zarr V2."""
    return {
        "zarr_format": 2, "shape": shape, "chunks": shape, "dtype": dtype, "order": "C",
        "fill_value": None, "filters": filters, "compressor": compressor,
    }  # fmt: skip


def store(root: Path, document: dict, chunk: bytes) -> Path:
    """Write a store of Zarr V2 with one chunk."""
    (root / "v").mkdir(parents=True)
    (root / ".zgroup").write_text('{"zarr_format": 2}')
    (root / "v" / ".zarray").write_text(json.dumps(document))
    (root / "v" / ".zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    (root / "v" / "0").write_bytes(chunk)
    return root


def sharded(root: Path, codecs: list, shape: int, chunk: bytes, dtype: str) -> Path:
    """Write a store of Zarr V3 with one chunk."""
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
    """Return a codec of shards whose index has no codecs."""
    return {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [inner], "codecs": codecs,
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        },
    }  # fmt: skip


@cache
def one_string() -> bytes:
    """Return bytes that contain a single string."""
    return struct.pack("<II", 1, SIZE - 8) + bytes(SIZE - 8)


@cache
def packed_string() -> bytes:
    """Return the same, compressed by gzip."""
    return gzip.compress(one_string(), 1)


@cache
def packed_zeros() -> bytes:
    """Return zeros, compressed by gzip."""
    return gzip.compress(bytes(SIZE), 1)


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, 1),
    "zlib": lambda data: zlib.compress(data, 1),
    "bz2": bz2.compress,
    "lzma": lambda data: lzma.compress(data, preset=1),
    "zstd": zstd,
    "blosc": lambda data: bytes(numcodecs.Blosc("zstd", 9).encode(data)),
    "lz4": lambda data: bytes(numcodecs.LZ4().encode(data)),
}

Make = Callable[[Path], Path]
"""Writes a bomb into a folder, and returns the path of the store."""


def _string(compressor: str) -> Make:
    document = array("|O", [1], [{"id": "vlen-utf8"}], {"id": compressor})
    return lambda folder: store(folder / "s", document, COMPRESSORS[compressor](one_string()))


def _object(codec: str) -> Make:
    document = array("|O", [1], [{"id": codec, "dtype": "|u1"}], {"id": "gzip"})
    return lambda folder: store(folder / "s", document, packed_string())


def _chunk(filters: list | None, compressor: dict | None, chunk: bytes, dtype: str = "|u1") -> Make:
    return lambda folder: store(folder / "s", array(dtype, [4], filters, compressor), chunk)


def _after_shards(dtype: str, inner: dict) -> Make:
    codecs = [sharding(4, [inner]), GZIP]
    return lambda folder: sharded(folder / "s", codecs, 8, packed_zeros(), dtype)


def _between_shards(folder: Path) -> Path:
    codecs = [sharding(4, [sharding(2, [BYTES]), GZIP])]
    chunk = packed_zeros()
    chunk += struct.pack("<QQQQ", 0, len(chunk), 2**64 - 1, 2**64 - 1)
    return sharded(folder / "s", codecs, 8, chunk, "uint8")


def _one_chunk_often(folder: Path) -> Path:
    text = gzip.compress(struct.pack("<II", 1, 60 * MIB) + bytes(60 * MIB))
    chunk = text + struct.pack("<QQ", 0, len(text)) * 1024
    return sharded(folder / "s", [sharding(1, [STRINGS, GZIP])], 1024, chunk, "string")


def _zipped(name: str) -> Make:
    def make(folder: Path) -> Path:
        target = folder / "s.zip"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            if name == ".zattrs":
                archive.writestr(".zgroup", '{"zarr_format": 2}')
            with archive.open(name, "w", force_zip64=True) as file:
                for _ in range(2):
                    file.write(bytes(SIZE))
        return target

    return make


BOMBS: dict[str, Make] = {
    **{f"a string, {name}": _string(name) for name in COMPRESSORS},
    **{f"an object, {c}": _object(c) for c in ("vlen-bytes", "vlen-array", "json2", "msgpack2")},
    "zstd without a size": _chunk(None, {"id": "zstd"}, REPEATED),
    "zstd after a frame": _chunk(None, {"id": "zstd"}, zstd(b"abcd") + REPEATED),
    "zstd after a skipped frame": _chunk(None, {"id": "zstd"}, SKIPPED + REPEATED),
    "zstd of strings": _chunk([{"id": "vlen-utf8"}], {"id": "zstd"}, REPEATED, "|O"),
    "packbits": _chunk([{"id": "packbits"}], None, bytes(4 * MIB)),
    "blosc beyond its chunk": _chunk(
        None, {"id": "blosc"}, bytes([2, 1, 2, 1]) + struct.pack("<III", 4, 4, 20) + b"AB"
    ),
    "gzip after shards": _after_shards("uint8", BYTES),
    "gzip after shards of strings": _after_shards("string", STRINGS),
    "gzip between nested shards": _between_shards,
    "1,024 entries of one chunk": _one_chunk_often,
    **{f"{n} in a zip file": _zipped(n) for n in (".zgroup", ".zattrs", ".zmetadata", "zarr.json")},
}
"""Bombs on a disk."""


def zipped(source: Path, target: Path) -> Path:
    """Write a directory store as a compressed zip file."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in source.rglob("*"):
            if path.is_file():
                archive.write(path, path.relative_to(source).as_posix())
    return target


def _zipped_body() -> Answer:
    body = packed_zeros()
    return Answer({"Content-Encoding": "gzip", "Content-Length": str(len(body))}, [body])


def _long_body() -> Answer:
    return Answer({"Content-Length": str(3 << 30)}, (bytes(MIB) for _ in range(3 << 10)))


SERVED: Mapping[str, tuple[Callable[[], Answer], str]] = {
    "Content-Encoding: gzip, HTTP": (_zipped_body, ""),
    "a body without an end, HTTP": (lambda: Answer({}, endless()), ""),
    "a body of 3 GiB, HTTP": (_long_body, ""),
    "a body without an end, S3": (lambda: Answer({}, endless()), "#mode=s3"),
    "a body of 3 GiB, S3": (_long_body, "#mode=s3"),
}
"""Bombs that servers send for a chunk of 64 bytes, and the fragment of their URL."""


@contextmanager
def served_bomb(name: str) -> Iterator[str]:
    """Serve a bomb; yield its URL."""
    make, fragment = SERVED[name]
    with serve_store(make(), fragment) as url:
        yield url


@contextmanager
def serve_store(chunk: Answer, fragment: str) -> Iterator[str]:
    """Serve a store whose only chunk, of 64 bytes, is what `chunk` sends; yield its URL."""
    document = array("|u1", [64], None, None)
    known: dict[str, Any] = {
        ".zgroup": {"zarr_format": 2},
        "v/.zarray": document,
        "v/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]},
    }
    whole = {"zarr_consolidated_format": 1, "metadata": known}
    written = {**known, ".zmetadata": whole}
    objects = {f"b/s/{key}": json.dumps(value).encode() for key, value in written.items()}
    with serving_bodies(chunk, objects) as url:
        yield f"{url}/b/s{fragment}"
