"""Names of other libraries on an open variable."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"""netcdf s { dimensions: t = UNLIMITED ; x = 5 ; variables:
  int v(t, x) ; v:_ChunkSizes = 1, 2 ; v:_DeflateLevel = 3 ; v:_Shuffle = "true" ;
  v:_FillValue = -1 ; int w(x) ; w:_Storage = "contiguous" ;
data: v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 ; w = 1, 2, 3, 4, 5 ; }"""
VALUES = np.arange(10).reshape(2, 5)


@pytest.fixture
def dataset(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "s.nc", notify=ignore_notice)
    with ncz.open(tmp_path / "s.nc") as opened:
        yield opened


def test_names_of_netcdf4(dataset):
    v, w = dataset["v"], dataset["w"]
    assert (v.dimensions, v.chunking(), w.chunking()) == (("t", "x"), [1, 2], "contiguous")
    found = v.filters()
    assert {name for name, value in found.items() if value} == {"zlib", "shuffle", "complevel"}
    assert found["complevel"] == 3
    assert not any(w.filters().values())
    assert [(len(each), each.isunlimited()) for each in v.get_dims()] == [(2, True), (5, False)]
    assert v.group().path == "/"
    assert v.get_fill_value() == -1
    assert w.getValue().tolist() == [1, 2, 3, 4, 5]


def test_names_of_h5py(dataset):
    v, w = dataset["v"], dataset["w"]
    assert (v.compression, v.compression_opts) == ("gzip", 3)
    assert (w.compression, w.compression_opts) == (None, None)
    assert (v.shuffle, v.fletcher32, v.is_virtual) == (True, False, False)
    assert (v.maxshape, w.maxshape) == ((None, 5), (5,))
    assert len([*v.iter_chunks()]) == 6
    assert [*v.iter_chunks()][2] == (slice(0, 1, 1), slice(4, 5, 1))
    assert [*w.iter_chunks()] == [(slice(0, 5, 1),)]
    target = np.zeros((2, 2), "i4")
    v.read_direct(target, np.s_[0, 1:3], np.s_[1])
    assert target.tolist() == [[0, 0], [1, 2]]


def test_names_of_zarr_python(dataset):
    v = dataset["v"]
    assert (v.cdata_shape, v.nchunks, v.nchunks_initialized) == ((2, 3), 6, 6)
    assert v.nbytes_stored() > 0
    assert (v.metadata.shape, v.metadata.dimension_names) == ((2, 5), ("t", "x"))
    assert (v.compressor, v.compressors) == (v.codecs[-1], v.codecs)
    assert dataset["w"].compressor is None


@pytest.mark.parametrize(
    ("name", "argument", "expected"),
    [
        ("get_basic_selection", np.s_[1, 2:4], VALUES[1, 2:4]),
        ("get_orthogonal_selection", ([0, 1], [1, 3]), VALUES[:, [1, 3]]),
        ("get_coordinate_selection", ([0, 1], [1, 3]), VALUES[[0, 1], [1, 3]]),
        ("get_mask_selection", VALUES > 7, VALUES[VALUES > 7]),
        ("get_block_selection", (1, 1), VALUES[1:, 2:4]),
    ],
)
def test_selections_of_zarr_python(dataset, name: str, argument: Any, expected: Any):
    np.testing.assert_array_equal(getattr(dataset["v"], name)(argument), expected)


def test_assignments_of_zarr_python(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "s.zarr", notify=ignore_notice)
    with ncz.open(tmp_path / "s.zarr", "r+") as opened:
        v = opened["v"]
        v.set_basic_selection((0, 0), 50)
        v.set_coordinate_selection(([0, 1], [1, 3]), [51, 52])
        v.set_mask_selection(VALUES == 9, 53)
        opened["w"].assignValue([9, 8, 7, 6, 5])
    with ncz.open(tmp_path / "s.zarr") as opened:
        assert opened["v"][...].tolist() == [[50, 51, 2, 3, 4], [5, 6, 7, 52, 53]]
        assert opened["w"][...].tolist() == [9, 8, 7, 6, 5]
