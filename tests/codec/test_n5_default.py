"""The codec n5_default: blocks of N5."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.codec import ArraySpec, chain
from ncz.errors import CodecError, ignore_notice

GZIP = {"name": "gzip", "configuration": {"level": 5}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}


def order(*axes: int) -> dict[str, Any]:
    return {"name": "transpose", "configuration": {"order": list(axes)}}


def block(values: Any, compress: Any = bytes) -> bytes:
    """Return a block as N5 specifies it: a header, and the elements with the first axis fastest."""
    header = struct.pack(f">HH{values.ndim}I", 0, values.ndim, *values.shape)
    return header + bytes(compress(values.astype(values.dtype.newbyteorder(">")).tobytes("F")))


def store(path: Path, codecs: list[Any], compress: Any, *, is_padded: bool) -> Any:
    """Make a store of chunks of (4, 3); the last ones are padded or shorter."""
    values = np.arange(35, dtype="i2").reshape(7, 5)
    document = {
        "zarr_format": 3, "node_type": "array", "shape": [7, 5], "data_type": "int16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 3]}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}},
        "fill_value": 0, "attributes": {}, "dimension_names": ["x", "y"],
        "codecs": [{"name": "n5_default", "configuration": {"codecs": codecs}}],
    }  # fmt: skip
    (path / "v").mkdir(parents=True)
    (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (path / "v/zarr.json").write_text(json.dumps(document))
    for i in range(2):
        (path / "v" / str(i)).mkdir()
        for j in range(2):
            part = values[4 * i : 4 * i + 4, 3 * j : 3 * j + 3]
            if is_padded:
                part = np.pad(part, [(0, 4 - part.shape[0]), (0, 3 - part.shape[1])])
            (path / "v" / str(i) / str(j)).write_bytes(block(part, compress))
    return values


@pytest.mark.parametrize("is_padded", [True, False])
@pytest.mark.parametrize(("codecs", "compress"), [([], bytes), ([GZIP], gzip.compress)])
def test_blocks_are_read_and_copied(codecs, compress, is_padded, tmp_path):
    values = store(tmp_path / "a.zarr", [order(1, 0), BIG, *codecs], compress, is_padded=is_padded)
    np.testing.assert_array_equal(ncz.open(tmp_path / "a.zarr")["v"][...], values)
    np.testing.assert_array_equal(ncz.open(tmp_path / "a.zarr")["v"][5, 1:4], values[5, 1:4])
    for target, modes in [("b.zarr", ["zarr", "v3"]), ("c.zarr", ["zarr", "v2"]), ("d.nc", [])]:
        ncz.copy(tmp_path / "a.zarr", tmp_path / target, modes=modes, notify=ignore_notice)
        np.testing.assert_array_equal(ncz.open(tmp_path / target)["v"][...], values)
    documents = [
        json.loads((tmp_path / n / "v/zarr.json").read_text()) for n in ("a.zarr", "b.zarr")
    ]
    assert documents[0]["codecs"] == documents[1]["codecs"]
    ncz.copy(tmp_path / "a.zarr", tmp_path / "e.zarr", chunks=["x/2"], notify=ignore_notice,
             modes=["zarr", "v3"])  # fmt: skip
    np.testing.assert_array_equal(ncz.open(tmp_path / "e.zarr")["v"][...], values)
    assert not [f for f in ncz.check(tmp_path / "e.zarr").findings if f.severity != "note"]


def test_a_block_is_encoded_as_n5_specifies_it():
    values = np.arange(24, dtype="f4").reshape(2, 3, 4)
    array = ArraySpec(values.shape, 4, np.dtype("f4"))
    codec = [{"id": "n5_default", "codecs": []}]
    assert chain.encode_array(codec, values, array, location="v") == block(values)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "shorter than its header"),
        (block(np.zeros((2, 2), "i2"))[:11], "shorter than its header"),
        (b"\0\1" + block(np.zeros((2, 2), "i2"))[2:], "has the mode 1"),
        (block(np.zeros((2, 2, 1), "i2")), "has 3 axes, and its array 2"),
        (block(np.zeros((2, 2), "i2"))[:-1], "it has 7 bytes, not 8"),
        (struct.pack(">HHII", 0, 2, 2**32 - 1, 2**32 - 1), "declares 36893488130239234050 bytes"),
        (struct.pack(">HHII", 0, 2, 0, 2**31), None),
    ],
)
def test_a_damaged_block_is_an_error(data, message):
    array = ArraySpec((2, 2), 2, np.dtype("i2"))
    codec = [{"id": "n5_default", "codecs": []}]
    if message is None:  # a block without elements is padded
        assert not chain.decode_array(codec, data, array, location="v").any()
        return
    with pytest.raises(CodecError, match=message):
        chain.decode_array(codec, data, array, location="v")


def test_a_block_that_is_longer_than_its_chunk_is_cut():
    values = np.arange(12, dtype="i2").reshape(4, 3)
    array = ArraySpec((2, 3), 2, np.dtype("i2"))
    codec = [{"id": "n5_default", "codecs": []}]
    decoded = chain.decode_array(codec, block(values), array, location="v")
    assert decoded.tolist() == values[:2].tolist()


@pytest.mark.parametrize(
    ("codecs", "message"),
    [
        ([order(0, 1), BIG], "transpose must have"),
        ([BIG, order(1, 0)], "transpose must have"),
        ([order(1, 0)], "needs a list of codecs"),
        ([order(1, 0), {"name": "bytes", "configuration": {"endian": "little"}}], "bytes must"),
        ([order(1, 0), BIG, GZIP, GZIP], "at most one codec of bytes"),
        ([order(1, 0), BIG, BIG], "bytes is in the wrong place"),
        ([order(1, 0), BIG, {"name": "n5_varlen"}], "'n5_varlen' is not available"),
        ({}, "needs a list of codecs"),
    ],
)
def test_other_codecs_are_refused(codecs, message, tmp_path):
    store(tmp_path / "a.zarr", codecs, bytes, is_padded=True)
    told: list[str] = []
    ncz.open(tmp_path / "a.zarr", notify=lambda notice: told.append(notice.message)).close()
    assert message in told[0]


def test_types_that_n5_does_not_have_are_refused():
    values = np.zeros(2, "c8")
    with pytest.raises(CodecError, match="numbers of N5, not elements of complex64"):
        chain.encode_array([{"id": "n5_default", "codecs": []}], values,
                           ArraySpec((2,), 8, values.dtype), location="v")  # fmt: skip
