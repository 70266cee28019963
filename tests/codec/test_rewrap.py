"""zlib to gzip and back without compressing again."""

from __future__ import annotations

import gzip
import io
import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.codec import chain, rewrap
from ncz.codec.deflate_streams import deflate
from ncz.errors import ignore_notice

ZLIB, GZIP = {"id": "zlib", "level": 4}, {"id": "gzip", "level": 4}
DELTA = {"id": "delta", "dtype": "<i4", "astype": "<i8"}
SHUFFLE, FLETCHER = {"id": "shuffle", "elementsize": 4}, {"id": "fletcher32"}


@given(
    st.lists(st.integers(-9, 9), min_size=1),
    st.booleans(),
    st.sampled_from([[], [SHUFFLE], [FLETCHER], [DELTA]]),
)
def test_the_other_codec_decodes_rewrapped_data(numbers, to_gzip, before):
    values = np.array(numbers, "<i4")
    ours, theirs = ([*before, c] for c in ((ZLIB, GZIP) if to_gzip else (GZIP, ZLIB)))
    assert rewrap.can_rewrap(ours, theirs, 4)
    encoded = chain.encode(ours, values, item_size=4, location="v")
    rewrapped = rewrap.rewrap(ours, encoded, count=len(values), item_size=4)
    assert rewrapped == chain.encode(theirs, values, item_size=4, location="v")
    decoded = chain.decode(theirs, rewrapped, count=len(values), item_size=4, location="v")
    assert bytes(decoded) == values.tobytes()
    assert rewrap.rewrap(theirs, rewrapped, count=len(values), item_size=4) == encoded


@pytest.mark.parametrize(
    ("ours", "theirs", "item_size"),
    [
        ([ZLIB], [ZLIB], 4),
        ([ZLIB], [{"id": "gzip", "level": 5}], 4),
        ([ZLIB], [GZIP], 0),  # objects
        ([SHUFFLE, ZLIB], [GZIP], 4),
        ([DELTA, ZLIB], [{**DELTA, "astype": "<i2"}, GZIP], 4),
        ([ZLIB, FLETCHER], [GZIP, FLETCHER], 4),
        ([ZLIB], [{"id": "zstd"}], 4),
        ([], [], 4),
    ],
)
def test_other_chains_are_encoded_again(ours, theirs, item_size):
    assert not rewrap.can_rewrap(ours, theirs, item_size)


def named_gzip(data: bytes) -> bytes:
    file = io.BytesIO()
    with gzip.GzipFile("name", "wb", fileobj=file) as member:
        member.write(data)
    return file.getvalue()


@pytest.mark.parametrize(
    ("codec", "data"),
    [
        (GZIP, named_gzip(b"1234")),
        (GZIP, gzip.compress(b"12") + gzip.compress(b"34")),
        (GZIP, gzip.compress(b"123")),
        (GZIP, gzip.compress(b"1234")[:-1]),
        (GZIP, b""),
        (ZLIB, b""),
        (ZLIB, b"x"),
        (ZLIB, gzip.compress(b"1234")),
        (ZLIB, zlib.compress(b"12345")),
        (ZLIB, zlib.compress(b"1234")[:-1] + b"?"),
        (ZLIB, zlib.compress(b"1234")[:2] + bytes(20)),
    ],
    ids=range(11),
)
def test_other_streams_are_left_to_the_codecs(codec, data):
    assert rewrap.rewrap([codec], data, count=1, item_size=4) is None


@pytest.mark.parametrize("level", [1, 9])
def test_a_copy_to_v3_and_back_keeps_the_compressed_bytes(level, tmp_path):
    source, v3, back = (tmp_path / f"{name}.zarr" for name in ("a", "b", "c"))
    cdl = (
        "netcdf a { dimensions: x = 400 ; variables: int v(x) ; v:_ChunkSizes = 400 ;"
        f" v:_DeflateLevel = {level} ; data: v = {', '.join(map(str, range(400)))} ; }}"
    )
    ncz.gen(io.BytesIO(cdl.encode()), source)
    ncz.copy(source, v3, modes=["v3"], notify=ignore_notice)
    ncz.copy(v3, back, modes=["nczarr", "v2"], notify=ignore_notice)
    document = json.loads((v3 / "v" / "zarr.json").read_text())
    assert document["codecs"][-1] == {"name": "gzip", "configuration": {"level": level}}
    stored = (source / "v" / "0").read_bytes()
    assert stored == deflate(np.arange(400, dtype="<i4").tobytes(), level, 15)
    assert gzip.decompress((v3 / "v" / "c" / "0").read_bytes()) == zlib.decompress(stored)
    assert (back / "v" / "0").read_bytes() == stored
    assert json.loads((back / "v" / ".zarray").read_text())["compressor"]["id"] == "zlib"
