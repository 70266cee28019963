"""The filter shuffle divides elements of the size in the file, not the size of the type."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

h5py = pytest.importorskip("h5py")


def shuffled_file(path: Path, size: int) -> np.ndarray:
    """Write 100 numbers of four bytes, shuffled as elements of `size` bytes."""
    values = np.arange(100, dtype="<i4") * 1000
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset(
            "v", (100,), "<i4", chunks=(50,), shuffle=True, compression="gzip"
        )
        dataset.make_scale("v")
        for start in (0, 50):
            chunk = np.frombuffer(values[start : start + 50].tobytes(), "u1")
            whole = chunk[: len(chunk) // size * size].reshape(-1, size).T.tobytes()
            rest = chunk[len(whole) :].tobytes()
            dataset.id.write_direct_chunk((start,), zlib.compress(whole + rest))
    data = bytearray(path.read_bytes())
    at = data.index(b"shuffle\0") + 8
    assert data[at : at + 4] == struct.pack("<I", 4)
    data[at : at + 4] = struct.pack("<I", size)
    path.write_bytes(data)
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["v"][:], values)
    return values


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 3])
def test_the_size_of_the_file_is_used(tmp_path, size):
    values = shuffled_file(tmp_path / "a.nc", size)
    np.testing.assert_array_equal(ncz.open(tmp_path / "a.nc")["v"][:], values)
    for name in ("b.zarr", "b.zarr#mode=nczarr,v3", "b.nc", "b.json"):
        ncz.copy(
            tmp_path / "a.nc", tmp_path / name, verify=True, overwrite=True, notify=ignore_notice
        )
        found = ncz.open(tmp_path / name.partition("#")[0])["v"][:]
        np.testing.assert_array_equal(found, values, name)


def test_other_readers_read_the_copies(tmp_path):
    zarr = pytest.importorskip("zarr")
    values = shuffled_file(tmp_path / "a.nc", 8)
    ncz.copy(tmp_path / "a.nc", tmp_path / "b.zarr", notify=ignore_notice)
    np.testing.assert_array_equal(zarr.open_group(tmp_path / "b.zarr", mode="r")["v"][:], values)
    ncz.copy(tmp_path / "a.nc", tmp_path / "b.nc", notify=ignore_notice)
    with h5py.File(tmp_path / "b.nc") as file:
        np.testing.assert_array_equal(file["v"][:], values)
