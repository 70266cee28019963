"""Chunks that the HDF5 library decodes from a file in memory."""

from __future__ import annotations

import zlib

import h5py
import numpy as np
import pytest

from ncz.codec.hdf5_library import LibraryFilter, decode_by_hdf5

SHUFFLE, DEFLATE, SCALE_OFFSET = LibraryFilter(2, (4,)), LibraryFilter(1, (6,)), 6
VALUES = np.arange(24, dtype="<i4").reshape(4, 6)
DATATYPE = bytes(h5py.h5t.py_create(VALUES.dtype, logical=True).encode())[2:]


def decoded(data: bytes, *filters: LibraryFilter, mask: int = 0) -> bytes:
    return decode_by_hdf5(data, filters, mask=mask, datatype=DATATYPE, chunks=(4, 6), item_size=4)


def shuffled(data: bytes) -> bytes:
    return np.frombuffer(data, "u1").reshape(-1, 4).T.tobytes()


def test_filters_are_undone_in_order():
    data = VALUES.tobytes()
    assert decoded(zlib.compress(data), DEFLATE) == data
    assert decoded(zlib.compress(shuffled(data)), SHUFFLE, DEFLATE) == data


@pytest.mark.parametrize(
    ("mask", "stored"),
    [(1, lambda d: zlib.compress(d)), (2, shuffled), (3, bytes)],
    ids=["no shuffle", "no deflate", "none"],
)
def test_filters_that_were_skipped(mask, stored):
    data = VALUES.tobytes()
    assert decoded(stored(data), SHUFFLE, DEFLATE, mask=mask) == data


def test_parameters_of_the_library_itself(tmp_path):
    with h5py.File(tmp_path / "f.h5", "w") as file:
        dataset = file.create_dataset("v", data=VALUES, chunks=(4, 6), scaleoffset=0)
        number, _, parameters, _ = dataset.id.get_create_plist().get_filter(0)
        _, data = dataset.id.read_direct_chunk((0, 0))
    assert number == SCALE_OFFSET
    assert decoded(data, LibraryFilter(number, parameters)) == VALUES.tobytes()


def test_damage_is_an_error_of_the_library():
    with pytest.raises((OSError, RuntimeError, ValueError)):
        decoded(b"not compressed", DEFLATE)
    with pytest.raises((OSError, RuntimeError, ValueError)):
        decoded(VALUES.tobytes(), LibraryFilter(60000, ()))
