"""Codecs and filters as the options of a copy spell them."""

from __future__ import annotations

import pytest

from ncz.commands.option_error import OptionError
from tests.commands.copy.test_reshape import codecs, made


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("*,1,9", [{"id": "zlib", "level": 9}]),
        ("s,32015,4", [{"id": "zstd", "level": 4}]),
        ("/s|/t,2|1,3", [{"id": "shuffle", "elementsize": 2}, {"id": "zlib", "level": 3}]),
        ("none", []),
        ("s,none", []),
        ("t,1,9", [{"id": "zlib", "level": 5}]),
    ],
)
def test_filterspecs(spec, expected):
    assert codecs("/s", deflate=5, filters=(spec,)) == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("s", "is not a valid filterspec"),
        ("s,", "is not a valid filterspec"),
        ("s,x", "is not a valid filterspec"),
        ("s,4,141,4", r"ncz reads the HDF5 filter 4 \(szip\), but does not write it"),
        ("s,32000", r"no Zarr codec is known for the HDF5 filter 32000 \(lzf\)"),
        ("s,9999,1", "no Zarr codec is known for the HDF5 filter 9999"),
        ("absent,1,1", "no variable is named 'absent'"),
    ],
)
def test_wrong_filterspecs(spec, message):
    with pytest.raises(OptionError, match=message):
        made(filters=(spec,))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("zstd:5", [{"id": "zstd", "level": 5}]),
        ("zstd:-3", [{"id": "zstd", "level": -3}]),
        ("ZLIB", [{"id": "zlib", "level": 1}]),
        ("shuffle+lz4", [{"id": "shuffle", "elementsize": 2}, {"id": "lz4", "acceleration": 1}]),
        ("blosc:zstd:3", [{"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 1}]),
        ("blosc:7", [{"id": "blosc", "cname": "lz4", "clevel": 7, "shuffle": 1}]),
        ("none", []),
        ('{"id": "delta", "dtype": "<i2"}', [{"id": "delta", "dtype": "<i2"}]),
        ('[{"id": "bz2", "level": 1}]', [{"id": "bz2", "level": 1}]),
        ("s=bz2:3", [{"id": "bz2", "level": 3}]),
        ("t=bz2:3", []),
        ('s,t={"id": "zstd"}', [{"id": "zstd"}]),
    ],
)
def test_codecs(spec, expected):
    found = codecs("/s", codecs=("none", spec))
    assert [
        {**f, **({"elementsize": 2} if f["id"] == "shuffle" else {})} for f in found
    ] == expected


@pytest.mark.parametrize(
    "spec", ["zip", "zstd:fast", "zstd:1:2", "{", "[1]", '{"level": 1}', "u=zstd"]
)
def test_wrong_codecs(spec):
    with pytest.raises(OptionError) as caught:
        made(codecs=(spec,))
    assert caught.value.exit_code == (1 if spec == "u=zstd" else 2)
