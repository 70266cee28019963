"""The codec conditional: codecs that each chunk has or not."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest

import ncz
from ncz.codec import ArraySpec, chain
from ncz.codec.conditional import Conditional
from ncz.errors import CodecError, ignore_notice

ZSTD, GZIP = {"id": "zstd", "level": 1}, {"id": "gzip", "level": 1}
NOISE = np.random.default_rng(3).integers(0, 256, 400).astype("u1")


def encoded(values: Any, *codecs: Any, **configuration: Any) -> bytes:
    chosen = [{"id": "conditional", "codecs": list(codecs), **configuration}]
    array = ArraySpec(values.shape, values.dtype.itemsize, values.dtype)
    data = chain.encode_array(chosen, values, array, location="v")
    assert data is not None
    assert chain.decode_array(chosen, data, array, location="v").tolist() == values.tolist()
    return data


def decoded(data: bytes, count: int, *codecs: Any, **configuration: Any) -> Any:
    chosen = [{"id": "conditional", "codecs": list(codecs), **configuration}]
    return chain.decode_array(chosen, data, ArraySpec((count,), 1, np.dtype("u1")), location="v")


def test_a_codec_is_used_if_it_makes_the_chunk_shorter():
    assert encoded(NOISE, ZSTD) == b"\0" + NOISE.tobytes()
    zeros = np.zeros(400, "u1")
    data = encoded(zeros, ZSTD, GZIP)
    assert data[0] == 1
    assert numcodecs.Zstd(1).decode(data[1:]) == zeros.tobytes()
    assert encoded(zeros) == zeros.tobytes()


def test_the_header_has_a_bit_for_each_codec():
    text = b"abc" * 30
    assert decoded(b"\0" + text, 90, ZSTD, GZIP).tobytes() == text
    once = numcodecs.GZip(1).encode(text)
    assert decoded(b"\2" + once, 90, ZSTD, GZIP).tobytes() == text
    twice = numcodecs.GZip(1).encode(numcodecs.Zstd(1).encode(text))
    assert decoded(b"\3" + twice, 90, ZSTD, GZIP).tobytes() == text
    assert decoded(b"\2\0\0" + once, 90, ZSTD, GZIP, header_bits=24).tobytes() == text
    nine = [*[ZSTD] * 8, {"id": "zlib", "level": 1}]
    assert decoded(b"\0\1" + zlib.compress(text), 90, *nine).tobytes() == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "shorter than the header"),
        (b"\4" + bytes(90), "names codecs that the array does not have"),
        (b"\1" + bytes(90), "decoded by conditional"),
        (b"\2" + numcodecs.GZip(1).encode(bytes(100_000)), "more than 90 bytes"),
        (b"\0" + bytes(91), "more than 90 bytes"),
        (b"\0" + bytes(89), "has 89 bytes, not 90"),
    ],
)
def test_damaged_chunks_are_errors(data, message):
    with pytest.raises(CodecError, match=message):
        decoded(data, 90, ZSTD, GZIP)


def store(path: Path, codecs: Any, chunks: list[bytes], **configuration: Any) -> Path:
    document = {
        "zarr_format": 3, "node_type": "array", "shape": [800], "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [400]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "attributes": {},
        "codecs": [{"name": "bytes"},
                   {"name": "conditional", "configuration": {"codecs": codecs, **configuration}}],
        "dimension_names": ["x"],
    }  # fmt: skip
    (path / "v/c").mkdir(parents=True)
    (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (path / "v/zarr.json").write_text(json.dumps(document))
    for number, chunk in enumerate(chunks):
        (path / f"v/c/{number}").write_bytes(chunk)
    return path


CODECS = [
    {"name": "zstd", "configuration": {"level": 1, "checksum": False}},
    {"name": "conditional", "configuration": {"codecs": [{"name": "crc32c"}], "header_bits": 8}},
]
EXPECTED = [*NOISE.tolist(), *range(200), *range(200)]


def source(path: Path) -> Path:
    counted = numcodecs.Zstd(1).encode(np.array(EXPECTED[400:], "u1"))
    return store(path, CODECS, [b"\0" + NOISE.tobytes(), b"\3\0" + counted], header_bits=8)


def test_stores_are_read_and_copied(tmp_path):
    a = source(tmp_path / "a.zarr")
    assert ncz.open(a)["v"][...].tolist() == EXPECTED
    for target, modes in [("b.zarr", ["zarr", "v3"]), ("c.zarr", ["zarr", "v2"]), ("d.nc", [])]:
        ncz.copy(a, tmp_path / target, modes=modes, notify=ignore_notice)
        assert ncz.open(tmp_path / target)["v"][...].tolist() == EXPECTED
    ours, theirs = (
        json.loads((tmp_path / name / "v/zarr.json").read_text()) for name in ("a.zarr", "b.zarr")
    )
    assert ours["codecs"] == theirs["codecs"]
    modes = ["zarr", "v3"]
    ncz.copy(a, tmp_path / "e.zarr", chunks=["x/100"], modes=modes, notify=ignore_notice)
    assert ncz.open(tmp_path / "e.zarr")["v"][...].tolist() == EXPECTED
    assert not [f for f in ncz.check(tmp_path / "e.zarr").findings if f.severity != "note"]


def test_check_finds_a_chunk_whose_header_is_wrong(tmp_path):
    a = source(tmp_path / "a.zarr")
    (tmp_path / "a.zarr/v/c/0").write_bytes(b"\x80" + NOISE.tobytes())
    assert any("names codecs" in found.message for found in ncz.check(a, data=True).findings)


@pytest.mark.parametrize(
    ("codecs", "configuration", "message"),
    [
        ({}, {}, "needs a list of codecs"),
        ([{"name": "bytes"}], {}, "bytes is in the wrong place"),
        ([{"name": "no.such"}], {}, "'no.such' is not available"),
        ([{"name": "crc32c"}], {"header_bits": 12}, "must be whole bytes"),
        ([{"name": "crc32c"}] * 9, {"header_bits": 8}, "with a bit for each codec"),
        ([], {"header_bits": 1 << 20}, "header_bits must be an integer"),
        ([], {"more": 1}, "no parameter 'more'"),
    ],
)
def test_other_configurations_are_refused(codecs, configuration, message, tmp_path):
    a = store(tmp_path / "a.zarr", codecs, [], **configuration)
    told: list[str] = []
    ncz.open(a, notify=lambda notice: told.append(notice.message)).close()
    assert message in told[0]


def test_a_list_that_is_in_too_many_others_is_refused(tmp_path):
    nested: Any = {"name": "crc32c"}
    for _ in range(20):
        nested = {"name": "conditional", "configuration": {"codecs": [nested]}}
    told: list[str] = []
    a = store(tmp_path / "a.zarr", [nested], [])
    ncz.open(a, notify=lambda notice: told.append(notice.message)).close()
    assert "is in too many others" in told[0]


@pytest.mark.parametrize("header_bits", [None, 8, 24])
def test_a_chunk_is_no_longer_than_is_said(header_bits):
    configuration: dict[str, Any] = {"id": "conditional", "codecs": [ZSTD]}
    if header_bits is not None:
        configuration["header_bits"] = header_bits
    array = ArraySpec(NOISE.shape, 1, NOISE.dtype)
    data = chain.encode_array([configuration], NOISE, array, location="v")
    assert data is not None
    most = Conditional().max_encoded_size(400, array, {**configuration, "codecs": []}, 9999)
    assert most == 400 + (0 if header_bits is None else header_bits // 8)
    assert len(data) <= Conditional().max_encoded_size(400, array, configuration, 9999)
