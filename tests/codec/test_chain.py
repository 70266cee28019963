"""Chains of codecs: round trips, bytes by other libraries, and chunks that are damaged."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from typing import Any

import numcodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.codec import chain
from ncz.codec.catalogue import decoding_configuration
from ncz.errors import CodecError

VALUES = np.arange(-500, 500, dtype="<i4")

COMPRESSORS = [
    {"id": "zlib", "level": 5},
    {"id": "gzip", "level": 5},
    {"id": "bz2", "level": 9},
    {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None},
    {"id": "lzma", "format": 3, "check": 0, "preset": None, "filters": [{"id": 0x21, "preset": 1}]},
    {"id": "lz4", "acceleration": 1},
    {"id": "zstd", "level": 3},
    {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    {"id": "blosc", "cname": "zstd", "clevel": 1, "shuffle": 2, "blocksize": 0},
]
FILTERS = [
    {"id": "shuffle", "elementsize": 4},
    {"id": "shuffle", "elementsize": 0},
    {"id": "delta", "dtype": "<i4", "astype": "<i4"},
    {"id": "delta", "dtype": "<i4", "astype": "<i8"},
    {"id": "fixedscaleoffset", "scale": 1, "offset": -500, "dtype": "<i4", "astype": "<i2"},
    {"id": "astype", "encode_dtype": "<i8", "decode_dtype": "<i4"},
    {"id": "crc32"},
    {"id": "crc32c"},
    {"id": "adler32"},
    {"id": "fletcher32"},
    {"id": "base64"},
]


def there(configuration: dict) -> None:
    """Skip, with the reason, a codec whose library is not installed."""
    try:
        numcodecs.get_codec(configuration)
    except ValueError as reason:
        pytest.skip(f"numcodecs here has no {configuration['id']}: {reason}")


def round_trip(configurations: list[dict], values: np.ndarray = VALUES) -> bytes:
    item = values.dtype.itemsize
    stored = chain.encode(configurations, values, item_size=item, location="v/0")
    decoded = chain.decode(
        configurations, stored, count=values.size, item_size=item, location="v/0"
    )
    assert decoded == values.tobytes()
    return stored


@pytest.mark.parametrize("configuration", COMPRESSORS + FILTERS, ids=lambda c: c["id"])
def test_each_codec_returns_its_input(configuration):
    there(configuration)
    round_trip([configuration])


@pytest.mark.parametrize("compressor", COMPRESSORS, ids=lambda c: c["id"])
@pytest.mark.parametrize("codec", FILTERS, ids=lambda c: c["id"])
def test_each_filter_before_each_compressor(codec, compressor):
    there(codec)
    round_trip([codec, compressor])


@pytest.mark.parametrize("configuration", COMPRESSORS, ids=lambda c: c["id"])
def test_numcodecs_and_ncz_read_each_other(configuration):
    stored = round_trip([configuration])
    codec = numcodecs.get_codec(dict(configuration))
    assert bytes(codec.decode(stored)) == VALUES.tobytes()
    theirs = bytes(codec.encode(VALUES))
    decoded = chain.decode([configuration], theirs, count=1000, item_size=4, location="v/0")
    assert decoded == VALUES.tobytes()


def test_packbits_of_booleans():
    data = np.array([1, 0, 1, 1, 0, 0, 0, 1, 1], "?")
    round_trip([{"id": "packbits"}], data)


@pytest.mark.parametrize("size", [1, 20])
@pytest.mark.parametrize("configuration", COMPRESSORS, ids=lambda c: c["id"])
def test_chunks_that_cannot_be_compressed(configuration, size):
    noise = np.frombuffer(np.random.default_rng(1).bytes(size), "u1")
    round_trip([configuration], noise)


def test_the_same_chunk_gives_the_same_bytes():
    for configuration in COMPRESSORS:
        assert round_trip([configuration]) == round_trip([configuration])


def test_the_prefix_of_zarr_python_3_is_accepted():
    stored = round_trip([{"id": "zlib", "level": 1}])
    prefixed = [{"id": "numcodecs.zlib", "level": 1}]
    assert (
        chain.decode(prefixed, stored, count=1000, item_size=4, location="v/0") == VALUES.tobytes()
    )


@pytest.mark.parametrize(
    ("configuration", "compress"),
    [
        ({"id": "zlib"}, zlib.compress),
        ({"id": "gzip"}, gzip.compress),
        ({"id": "bz2"}, bz2.compress),
        ({"id": "lzma"}, lzma.compress),
        ({"id": "lz4"}, lambda _: (2**31 - 1).to_bytes(4, "little") + bytes(40)),
        ({"id": "zstd"}, lambda data: bytes(numcodecs.Zstd().encode(data))),
        ({"id": "blosc"}, lambda data: bytes(numcodecs.Blosc().encode(data))),
    ],
    ids=lambda c: c["id"] if isinstance(c, dict) else "",
)
def test_a_bomb_is_refused_before_it_bursts(configuration, compress, monkeypatch):
    bomb = compress(bytes(50_000_000))
    # The codec libraries that must not be run on it are not even asked.
    monkeypatch.setattr("numcodecs.get_codec", lambda *_: pytest.fail("it was decoded"))
    with pytest.raises(CodecError, match="more than 16 bytes"):
        chain.decode([configuration], bomb, count=4, item_size=4, location="u: /v/0")


def test_gzip_of_several_members():
    data = gzip.compress(b"abcd") + gzip.compress(b"efgh")
    assert chain.decode([{"id": "gzip"}], data, count=8, item_size=1, location="") == b"abcdefgh"


@pytest.mark.parametrize("configurations", [[], [{"id": "zlib", "level": 1}]])
@pytest.mark.parametrize("stored", [12, 20])
def test_a_short_or_long_chunk_is_an_error_that_says_so(configurations, stored):
    data = chain.encode(configurations, np.zeros(stored, "u1"), item_size=1, location="")
    with pytest.raises(CodecError, match="16") as caught:
        chain.decode(configurations, data, count=4, item_size=4, location="u: /v/0.1")
    assert "u: /v/0.1" in str(caught.value)


@pytest.mark.parametrize("configuration", COMPRESSORS, ids=lambda c: c["id"])
def test_a_truncated_chunk_is_an_error(configuration):
    stored = round_trip([configuration])
    for length in (0, 3, len(stored) // 2):
        with pytest.raises(CodecError, match=r"^v/0: .* it is damaged; restore it from a copy$"):
            chain.decode([configuration], stored[:length], count=1000, item_size=4, location="v/0")


@given(st.binary(max_size=60), st.sampled_from(COMPRESSORS + FILTERS))
def test_arbitrary_bytes_give_a_codec_error_or_a_whole_chunk(data, configuration):
    try:
        value = chain.decode([configuration], data, count=2, item_size=4, location="v/0")
    except CodecError:
        return
    assert len(value) == 8


@pytest.mark.parametrize("checksum", ["crc32", "adler32", "fletcher32"])
def test_a_checksum_notices_a_flipped_bit(checksum):
    stored = bytearray(round_trip([{"id": checksum}]))
    stored[100] ^= 1
    with pytest.raises(CodecError, match=f"v/0: .* cannot be decoded by {checksum}: .*checksum"):
        chain.decode([{"id": checksum}], bytes(stored), count=1000, item_size=4, location="v/0")


def test_an_unknown_codec_is_named_with_a_hint():
    with pytest.raises(CodecError, match=r"codec 'snappy' is not available.*implements"):
        chain.decode([{"id": "snappy"}], b"1234", count=1, item_size=4, location="v/0")


def test_a_codec_with_parameters_it_does_not_know_is_an_error():
    stored = chain.encode([{"id": "lz4"}], np.zeros(4, "<i4"), item_size=4, location="")
    with pytest.raises(CodecError, match=r"v/0: .* by lz4: .* argument 'x'"):
        chain.decode([{"id": "lz4", "x": 1}], stored, count=4, item_size=4, location="v/0")


def test_a_pickle_is_never_loaded():
    with pytest.raises(CodecError, match="run code"):
        chain.decode([{"id": "pickle"}], b"\x80", count=1, item_size=0, location="v/0")


def test_objects_are_counted_before_they_are_made(monkeypatch):
    monkeypatch.setattr("numcodecs.get_codec", lambda *_: pytest.fail("it was decoded"))
    with pytest.raises(CodecError, match="2 objects"):
        chain.decode([{"id": "vlen-utf8"}], b"\0\0\0\x0a", count=2, item_size=0, location="v/0")


EFFORTS = [
    [{"id": "zlib", "level": level} for level in (0, 1, 9)],
    [{"id": "gzip", "level": level} for level in (1, 9)],
    [{"id": "bz2", "level": level} for level in (1, 9)],
    [{"id": "lz4", "acceleration": n} for n in (1, 1000)],
    [{"id": "zstd", "level": -5}, {"id": "zstd", "level": 19, "checksum": True}],
    [
        {"id": "blosc", "cname": cname, "clevel": level, "shuffle": shuffle, "blocksize": 0}
        for cname, level, shuffle in (("lz4", 5, 1), ("zstd", 1, 2), ("blosclz", 9, 0))
    ],
    [{"id": "bitround", "keepbits": n} for n in (2, 52)],
]


@pytest.mark.parametrize("configurations", EFFORTS, ids=lambda one: one[0]["id"])
def test_chunks_are_decoded_for_any_effort(configurations):
    values = np.arange(1000, dtype="<f8" if configurations[0]["id"] == "bitround" else "<i4")
    item_size = values.dtype.itemsize
    assert (
        len({repr(sorted(decoding_configuration(c, item_size).items())) for c in configurations})
        == 1
    )
    for one in configurations:
        there(one)
        data = chain.encode([one], values, item_size=item_size, location="")
        results = [
            bytes(chain.decode([c], data, count=1000, item_size=item_size, location=""))
            for c in configurations
        ]
        assert len(set(results)) == 1


def test_other_parameters_do_not_decode_alike():
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"id": "shuffle", "elementsize": 4}, {"id": "shuffle", "elementsize": 8}),
        ({"id": "zlib", "level": 1}, {"id": "gzip", "level": 1}),
        ({"id": "delta", "dtype": "<i4"}, {"id": "delta", "dtype": "<i8"}),
    ]
    for one, other in pairs:
        assert decoding_configuration(one, 4) != decoding_configuration(other, 4)
    assert decoding_configuration({"id": "shuffle"}, 4) == decoding_configuration(
        {"id": "shuffle", "elementsize": 4}, 4
    )
