"""The storage of a variable as xarray's encodings describe it."""

from __future__ import annotations

import io

import numpy as np
import pytest

import ncz
from ncz.api.xarray_encoding import encoding_of
from ncz.errors import ignore_notice

pytest.importorskip("xarray", reason="xarray is not installed")

CDL = b"""netcdf s { types: byte enum e { a = 1 } ; dimensions: x = 4 ; y = 6 ;
variables: short v(x, y) ; v:_ChunkSizes = 2, 3 ; v:_DeflateLevel = 4 ; v:_Shuffle = "true" ;
  v:_Fletcher32 = "true" ; float c(x) ; string s(x) ; e f(x) ; int scalar ; }"""


@pytest.fixture
def dataset(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "s.nc", notify=ignore_notice)
    with ncz.open(tmp_path / "s.nc") as opened:
        yield opened


def test_chunks_and_filters(dataset):
    found = encoding_of(dataset["v"])
    assert found["dtype"] == np.dtype("i2")
    assert found["chunksizes"] == (2, 3)
    assert "chunks" not in found  # which `to_zarr` would keep, for any chunks of Dask
    assert found["preferred_chunks"] == {"x": 2, "y": 3}
    names = ("zlib", "complevel", "shuffle", "fletcher32", "contiguous")
    assert [found[name] for name in names] == [True, 4, True, True, False]
    assert found["original_shape"] == (4, 6)
    assert found["source"].endswith("s.nc")


def test_other_variables(dataset):
    contiguous = encoding_of(dataset["c"])
    assert contiguous["contiguous"] is True
    assert (contiguous["zlib"], contiguous["complevel"]) == (False, 0)
    assert "chunks" not in contiguous
    assert encoding_of(dataset["s"])["dtype"] is str
    enum = encoding_of(dataset["f"])["dtype"]
    assert enum.metadata == {"enum": {"a": 1}, "enum_name": "e"}
    assert "contiguous" not in encoding_of(dataset["scalar"])


def test_stores(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "s.zarr", modes=["zarr", "v3"], notify=ignore_notice)
    ncz.copy(tmp_path / "s.zarr", tmp_path / "t.zarr", shards="x/4,y/6", notify=ignore_notice)
    with ncz.open(tmp_path / "t.zarr") as opened:
        found = encoding_of(opened["v"])
    assert (found["chunks"], found["shards"]) == ((2, 3), (4, 6))
    assert "bzip2" not in found
