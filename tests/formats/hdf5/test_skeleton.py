"""A netCDF-4 file whose chunks are beyond its end."""

from __future__ import annotations

import numpy as np
import pytest

import ncz
from tests.transfer.test_netcdf_face import array, h5py, written


@pytest.mark.parametrize(
    ("shape", "chunks"),
    [
        ((5,), (2,)),
        ((64,), (1,)),
        ((65,), (1,)),
        ((4097,), (1,)),
        ((65, 64), (1, 1)),
        ((7, 5, 9), (2, 2, 4)),
        ((3, 3, 3, 3), (1, 2, 2, 1)),
    ],
)
def test_indexes_of_one_and_more_levels(tmp_path, shape, chunks):
    store = array(tmp_path, shape, chunks, codecs="zlib")
    face = written(store, tmp_path / "x.nc")
    with h5py.File(face) as file:
        assert file["v"].chunks == chunks
        assert np.array_equal(file["v"][()], np.arange(np.prod(shape), dtype="f4").reshape(shape))
        counts = [-(-n // c) for n, c in zip(shape, chunks, strict=True)]
        assert file["v"].id.get_num_chunks() == np.prod(counts)
    assert ncz.diff(store, face) == []
