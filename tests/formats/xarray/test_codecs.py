"""Codecs of the encoding of a variable of xarray."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.errors import LossError
from ncz.formats.xarray.codecs import filters_of

numcodecs = pytest.importorskip("numcodecs")


def codecs(encoding: dict[str, Any]) -> list[dict[str, Any]] | None:
    found = filters_of(encoding, 4, "/v")
    return None if found is None else [codec.to_json() for codec in found]


@pytest.mark.parametrize(
    ("encoding", "ids"),
    [
        ({}, None),
        ({"zlib": False}, None),
        ({"zlib": True, "shuffle": True}, ["shuffle", "zlib"]),
        ({"shuffle": True}, None),
        ({"compression": "gzip", "fletcher32": True}, ["zlib", "fletcher32"]),
        ({"compression": "bzip2"}, ["bz2"]),
        ({"zstd": True, "complevel": 7}, ["zstd"]),
        ({"compression": "blosc_lz4"}, ["blosc"]),
        ({"blosc": {"compressor": "blosc_zstd"}}, ["blosc"]),
        ({"compressor": None}, []),
        ({"compressor": "auto"}, None),
        ({"filters": [numcodecs.Delta("i4")], "compressor": numcodecs.Zlib(3)}, ["delta", "zlib"]),
        ({"filters": [numcodecs.VLenUTF8()], "compressors": [numcodecs.Zlib(3)]}, ["zlib"]),
    ],
)
def test_keywords_of_netcdf4_and_codecs_of_zarr(encoding: dict[str, Any], ids: Any):
    found = codecs(encoding)
    assert (found if found is None else [codec["id"] for codec in found]) == ids


def test_levels():
    assert codecs({"zlib": True}) == [{"id": "zlib", "level": 4}]
    assert codecs({"zlib": True, "complevel": 0}) == [{"id": "zlib", "level": 0}]
    assert codecs({"compression": "bzip2"}) == [{"id": "bz2", "level": 9}]
    assert (codecs({"zstd": True, "complevel": 7}) or [{}])[0]["level"] == 7
    assert (codecs({"compression": "blosc_lz4", "complevel": 2}) or [{}])[0]["clevel"] == 2


def test_codecs_of_zarr_v3():
    zarr = pytest.importorskip("zarr", minversion="3")
    found = codecs({"compressors": [zarr.codecs.GzipCodec(level=5)]})
    assert found == [{"id": "gzip", "level": 5}]
    blosc = zarr.codecs.BloscCodec(cname="zstd", clevel=3, shuffle="shuffle", typesize=4)
    assert [codec["id"] for codec in codecs({"compressors": blosc}) or ()] == ["blosc"]


@pytest.mark.parametrize("encoding", [{"compressor": 5}, {"zlib": True, "complevel": "high"}])
def test_other_objects_are_refused_with_the_variable(encoding: dict[str, Any]):
    with pytest.raises(LossError, match="/v: its codecs are not known"):
        filters_of(encoding, 4, "/v")
