"""Change JSON documents: members, values and text."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.fuzz import binary

VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 64, 255, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63,
    2**64, -(2**63), 10**30, 0.0, -0.0, 0.5, 1e308, float("nan"), float("inf"), "", "0", "1", "a",
    ".", "/", "..", "../x", "C", "F", "NaN", "Infinity", "AAAAAAAA", "0x00", "0x7fc00000", "é",
    "\0",
    "\x9b31m", "\ud800", "\u202e", "x" * 300, [], [0], [1], [2], [-1], [1, 1, 1], [2**31, 2**31],
    [1] * 70, ["x"], [None], [[1]], {}, {"": 1}, {"id": "zlib"}, {"id": "nosuch"},
    {"name": "bytes"},
    {"name": "nosuch", "configuration": {}}, [["a", "<i4"]], [{"name": "bytes"}],
]  # fmt: skip

WORDS = [
    "|b1", "|i1", "<i2", ">i4", "<i8", "<u8", "<f2", ">f4", "<f8", "<c8", "<c16", "|S0", "|S1",
    "|S4",
    "<U1", "<U0", ">U3", "|V4", "|O", "<M8[ns]", "<m8[s]", "bool", "int8", "uint16", "int32",
    "int64",
    "float16", "float32", "float64", "complex64", "string", "r16", "bytes", "variable_length_bytes",
    "numpy.datetime64", "struct", "fixed_length_utf32", "zlib", "gzip", "bz2", "zstd", "lz4",
    "lzma",
    "blosc", "shuffle", "fletcher32", "crc32", "crc32c", "adler32", "jenkins_lookup3", "delta",
    "fixedscaleoffset", "quantize", "bitround", "astype", "packbits", "categorize", "vlen-utf8",
    "vlen-bytes", "vlen-array", "json2", "msgpack2", "pickle", "transpose", "sharding_indexed",
    "numcodecs.zlib", "numcodecs.delta", "regular", "rectangular", "rectilinear", "v2", "default",
    "array", "group", "char", "ubyte", "zfpy", "pcodec", "base64", "szip",
]  # fmt: skip

MEMBERS = [
    "zarr_format", "node_type", "shape", "chunks", "dtype", "compressor", "filters", "order",
    "fill_value", "dimension_separator", "attributes", "codecs", "chunk_grid", "chunk_key_encoding",
    "data_type", "dimension_names", "storage_transformers", "consolidated_metadata", "metadata",
    "zarr_consolidated_format", "configuration", "name", "id", "level", "_ARRAY_DIMENSIONS",
    "_FillValue", "_NCProperties", "_nczarr_group", "_nczarr_array", "_nczarr_superblock",
    "_nczarr_attr", "_nczarr_attrs", "_nczarr_dims", "arrays", "groups", "dimref", "dimrefs",
    "dims",
    "storage", "types", "_nczarr_default_maxstrlen", "_nczarr_maxstrlen", "must_understand",
    "scale_factor", "add_offset", "units", "calendar", "coordinates", "kind", "variables",
    "dimensions", "data", "type", "length", "unlimited", "size", "refs", "gen", "templates",
    "version",
]  # fmt: skip


def change(data: bytes, random: Random) -> bytes:
    """Return a changed document."""
    if random.random() < 0.15:
        return binary.change(data, random)
    try:
        return _changed(json.loads(data), random)
    except (ValueError, RecursionError):  # no JSON, or nested too often by changes before
        return binary.change(data, random)


def _changed(document: Any, random: Random) -> bytes:
    holder = [document]
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        places = list(_places(holder))
        if not places:
            break
        container, key = random.choice(places)
        random.choice(_CHANGES)(container, key, places, random)
    if not holder:
        return b""
    text = json.dumps(holder[0], ensure_ascii=random.random() < 0.5)
    if random.random() < 0.03:
        text = text.replace("{", '{"a": 1, "a": 2, ', 1)
    return text.encode("utf-8", "surrogatepass")


Place = tuple[Any, Any]


def _places(value: Any) -> list[Place]:
    """Return each container below `value` with each of its keys."""
    found: list[Place] = []
    waiting = [value]
    while waiting:
        container = waiting.pop()
        if isinstance(container, dict):
            found += [(container, key) for key in container]
            waiting += container.values()
        elif isinstance(container, list):
            found += [(container, index) for index in range(len(container))]
            waiting += container
    return found


def _replace(container: Any, key: Any, places: list[Place], random: Random) -> None:
    container[key] = random.choice(VALUES)


def _replace_word(container: Any, key: Any, places: list[Place], random: Random) -> None:
    words = [place for place in places if isinstance(place[0][place[1]], str)]
    if words:
        container, key = random.choice(words)
        container[key] = random.choice(WORDS)


def _replace_number(container: Any, key: Any, places: list[Place], random: Random) -> None:
    numbers = [place for place in places if isinstance(place[0][place[1]], int | float)]
    if numbers:
        container, key = random.choice(numbers)
        number = container[key]
        container[key] = random.choice([number + 1, number - 1, -number, number * 2, 2**31, 0])


def _remove(container: Any, key: Any, places: list[Place], random: Random) -> None:
    del container[key]


def _rename(container: Any, key: Any, places: list[Place], random: Random) -> None:
    if isinstance(container, dict):
        container[random.choice(MEMBERS)] = container.pop(key)
    else:
        container.insert(key, container[key])


def _add(container: Any, key: Any, places: list[Place], random: Random) -> None:
    if isinstance(container, dict):
        container[random.choice(MEMBERS)] = random.choice([*VALUES, *WORDS])
    else:
        container.append(random.choice([*VALUES, *WORDS]))


def _exchange(container: Any, key: Any, places: list[Place], random: Random) -> None:
    other, place = random.choice(places)
    container[key] = copy.deepcopy(other[place])


def _nest(container: Any, key: Any, places: list[Place], random: Random) -> None:
    value = container[key]
    for _ in range(random.choice((1, 2, 50, 150))):
        value = [value]
    container[key] = value


_CHANGES: list[Callable[[Any, Any, list[Place], Random], None]] = [
    _replace, _replace, _replace_word, _replace_word, _replace_number, _replace_number, _remove,
    _rename, _add, _exchange, _nest,
]  # fmt: skip
