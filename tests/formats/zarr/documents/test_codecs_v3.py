"""Codecs of V2 stand in V3 where zarr-python reads them, or are refused with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import FormatError, LossError, ignore_notice
from ncz.formats.zarr.documents.codecs_v3 import print_chain, read_chain
from ncz.model.chunks import ChunkLayout, Shard
from ncz.model.filters import Filter, make_filter

zarr = pytest.importorskip("zarr", minversion="3", reason="zarr-python 3 is not installed")

VALUES = np.array([0, 1.5, -2, 300], "<f4")

FILTERS: list[list[dict[str, Any]]] = [
    [{"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 1}],
    [{"id": "delta", "dtype": "<f4"}, {"id": "bz2", "level": 1}],
    [{"id": "fixedscaleoffset", "scale": 2, "offset": 0, "dtype": "<f4", "astype": "<i2"}],
    [{"id": "quantize", "digits": 3, "dtype": "<f4", "astype": "<f4"}],
    [{"id": "bitround", "keepbits": 10}, {"id": "lz4", "acceleration": 1}],
    [{"id": "astype", "encode_dtype": "<f8", "decode_dtype": "<f4"}],
    [{"id": "crc32c"}],
    [{"id": "gzip", "level": 1}, {"id": "fletcher32"}],
    [{"id": "pcodec", "level": 8}],
    [{"id": "pcodec", "level": 8}, {"id": "zstd", "level": 1}],
    [{"id": "zfpy", "mode": 4}],
]


def store_v2(
    folder: Path, codecs: list[dict[str, Any]], values: np.ndarray = VALUES, dtype: str = "<f4"
) -> Path:
    import numcodecs

    (folder / "v").mkdir(parents=True)
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    document = {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": dtype, "fill_value": None}
    document |= {"order": "C", "filters": codecs, "compressor": None}
    (folder / "v" / ".zarray").write_text(json.dumps(document))
    (folder / "v" / ".zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    data: Any = values
    for codec in codecs:
        data = numcodecs.get_codec(codec).encode(data)
    (folder / "v" / "0").write_bytes(bytes(data))
    return folder


@pytest.mark.filterwarnings("ignore")  # of codecs that Zarr V3 does not specify
@pytest.mark.parametrize("codecs", FILTERS, ids=lambda f: "+".join(c["id"] for c in f))
def test_zarr_python_reads_a_copy_to_v3(codecs, tmp_path):
    for codec in codecs:
        if codec["id"] in ("pcodec", "zfpy"):
            pytest.importorskip(codec["id"], reason="the codec is not installed")
    source, target = store_v2(tmp_path / "a.zarr", codecs), tmp_path / "b.zarr"
    ncz.copy(source, target, modes=["zarr", "v3"], allow_loss=True, notify=ignore_notice)
    expected = zarr.open_group(source, mode="r")["v"][:]
    np.testing.assert_array_equal(zarr.open_group(target, mode="r")["v"][:], expected)
    with ncz.open(target) as dataset:
        np.testing.assert_array_equal(ncz.read(dataset, "/v"), expected)


@pytest.mark.parametrize(
    ("codecs", "dtype", "reason"),
    [
        ([{"id": "base64"}], "<f4", "Zarr V3 has no codec for base64"),
        (
            [{"id": "quantize", "digits": 3, "dtype": "<f4", "astype": "<f2"}],
            "<f4",
            "Zarr V3 has no codec for quantize to another dtype, f2 and f4",
        ),
        (
            [{"id": "categorize", "labels": ["a"], "dtype": "<U1", "astype": "u1"}],
            "<U1",
            "Zarr V3 has no codec for categorize",
        ),
    ],
)
def test_a_codec_that_zarr_python_does_not_read_in_v3_is_refused(codecs, dtype, reason, tmp_path):
    values = np.array(["a"] * 4) if dtype == "<U1" else VALUES
    source = store_v2(tmp_path / "a.zarr", codecs, values, dtype)
    with pytest.raises(LossError, match=reason):
        ncz.copy(source, tmp_path / "b.zarr", modes=["zarr", "v3"], allow_loss=True)


def of(*codecs: Filter) -> Shard:
    return Shard(chunks=(4,), order=(0,), codecs=codecs)


def test_a_codec_of_elements_replaces_the_codec_bytes():
    pcodec, zstd = make_filter("pcodec", level=8), make_filter("zstd", level=1)
    printed = print_chain(of(pcodec, zstd), endian="<", item_size=4)
    assert [codec["name"] for codec in printed] == ["numcodecs.pcodec", "zstd"]
    assert [f.id for f in read_chain(printed, (4,), "v").filters] == ["pcodec", "zstd"]
    with pytest.raises(FormatError, match="must not follow another codec that makes bytes"):
        read_chain(["bytes", *printed], (4,), "v")
    with pytest.raises(FormatError, match="no byte order for the codec pcodec"):
        print_chain(of(pcodec), endian=">", item_size=4)
    with pytest.raises(FormatError, match="does not allow the codec pcodec after"):
        print_chain(of(zstd, pcodec), endian="<", item_size=4)


@pytest.mark.parametrize(("item_size", "shuffle"), [(1, "bitshuffle"), (2, "shuffle")])
def test_a_shuffle_that_blosc_chooses_is_named(item_size, shuffle):
    blosc = make_filter("blosc", cname="lz4", clevel=5, shuffle=-1, blocksize=0)
    layout = ChunkLayout(shape=(4,), chunks=(4,), order=(0,), codecs=(blosc,))
    chain = print_chain(layout, endian="<", item_size=item_size)
    assert chain[-1]["configuration"]["shuffle"] == shuffle
