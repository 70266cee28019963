"""Codecs of objects: chunks that declare other objects than the array has."""

from __future__ import annotations

import json
import struct

import numcodecs
import numpy as np
import pytest

from ncz.codec import chain
from ncz.errors import CodecError


def decode(configurations: list[dict], data: bytes, count: int, item_size: int = 1):
    return chain.decode(configurations, data, count=count, item_size=item_size, location="u: /v/0")


@pytest.mark.parametrize("codec", ["vlen-utf8", "vlen-bytes", "vlen-array"])
def test_a_count_of_objects_that_the_chunk_cannot_represent(codec):
    with pytest.raises(CodecError, match="too few for 1000000000 objects"):
        decode([{"id": codec, "dtype": "u1"}], struct.pack("<I", 10**9) + bytes(96), 10**9, 0)


def objects(codec: str, items: list) -> bytes:
    if codec == "json2":
        return json.dumps(items).encode()
    msgpack = pytest.importorskip("msgpack")
    return bytes(msgpack.packb(items))


@pytest.mark.parametrize("codec", ["json2", "msgpack2"])
@pytest.mark.parametrize(
    "items",
    [["a", "|O", [10**10]], ["a", "|O", [2, -1]], ["a", "|O", 1], ["a", "b"], [], "a", 7,
     ["a", "b", "c", "|O", [2]]],
    ids=str,
)  # fmt: skip
def test_objects_that_declare_another_shape(codec, items):
    with pytest.raises(CodecError, match="does not contain 2 objects"):
        decode([{"id": codec}], objects(codec, items), 2, 0)


@pytest.mark.parametrize("codec", ["json2", "msgpack2"])
def test_objects_of_a_dtype_that_fills_the_memory(codec):
    with pytest.raises(CodecError, match="more than"):
        decode([{"id": codec}], objects(codec, ["a", "b", "U200000000", [2]]), 2, 0)


@pytest.mark.parametrize("name", ["JSON", "MsgPack"])
@pytest.mark.parametrize("shape", [(1,), (3,), (2, 2)])
def test_objects_as_numcodecs_writes_them(name, shape):
    if name == "MsgPack":
        pytest.importorskip("msgpack", reason="msgpack is not installed")
    codec = getattr(numcodecs, name)()
    values = np.empty(shape, object)
    values[...] = "text"
    if shape == (3,):
        values[:] = ["a", {"b": [1, 2.5]}, None]
    decoded = decode([codec.get_config()], bytes(codec.encode(values)), values.size, 0)
    assert decoded.tolist() == values.tolist()


def test_json_of_more_values_than_objects():
    data = b"[" + b"[]," * 3_000_000 + b'"|O",[1]]'
    with pytest.raises(CodecError, match="more"):
        decode([{"id": "json2"}], data, 1, 0)


def test_json_of_many_objects_may_have_many_values():
    count = 1 << 17
    each = '{"a":{"b":{"c":{}}}}'
    stored = f'[{",".join([each] * count)},"|O",[{count}]]'.encode()
    assert len(decode([{"id": "json2"}], stored, count, 0)) == count
