"""Compounds whose chunks were never written: copies have their fill, in every format and chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

h5py = pytest.importorskip("h5py")
zarr = pytest.importorskip("zarr", reason="zarr is not installed")

DTYPES = {
    "numbers": np.dtype([("a", "<i4"), ("b", "<f8")]),
    "an array": np.dtype([("a", "<i2", (3,)), ("b", "S4")]),
    "nested": np.dtype([("a", [("x", "<f4"), ("y", "<i8")]), ("b", "u1")]),
}


@pytest.fixture(params=DTYPES)
def dtype(request) -> np.dtype:
    return DTYPES[request.param]


@pytest.mark.parametrize("target", ["b.nc", "b.zarr#mode=nczarr", "b.zarr#mode=zarr,v3"])
@pytest.mark.parametrize("chunks", [None, "x/3"])
@pytest.mark.parametrize("written", [0, 4])
def test_files_of_hdf5(tmp_path: Path, dtype, target, chunks, written):
    expected = np.zeros(10, dtype)
    with h5py.File(tmp_path / "a.nc", "w") as file:
        values = file.create_dataset("v", (10,), dtype, chunks=(4,))
        values.make_scale("v")
        if written:
            one = np.frombuffer(bytes(range(1, dtype.itemsize + 1)), dtype)[0]
            expected[:written] = values[:written] = one
    specs = [] if chunks is None else [chunks.replace("x", "v")]
    ncz.copy(tmp_path / "a.nc", tmp_path / target, notify=ignore_notice, verify=True, chunks=specs)
    path = tmp_path / target.partition("#")[0]
    assert ncz.diff(tmp_path / "a.nc", path) == []
    found = ncz.open(path)["v"][:]
    for name in dtype.names:
        values, theirs = found[name], expected[name]
        if values.dtype.char == "S" and values.ndim > 1:  # chars are text to h5py
            values = values.view(f"S{values.shape[1]}").reshape(-1)
        assert repr(values.tolist()) == repr(theirs.tolist())


@pytest.mark.parametrize("target", ["b.nc", "b.zarr#mode=nczarr", "b.zarr#mode=zarr,v2"])
@pytest.mark.parametrize("chunks", [None, "x/3"])
@pytest.mark.parametrize("fill", [False, True])
def test_stores_of_zarr_python(tmp_path: Path, target, chunks, fill):
    dtype = DTYPES["numbers"]
    value = np.array((7, 1.5), dtype)[()] if fill else np.zeros((), dtype)[()]
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
    array = group.create_array("v", shape=(10,), chunks=(4,), dtype=dtype, fill_value=value)
    array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    array[8:] = np.array([(1, 2), (3, 4)], dtype)
    expected = [*[value.tolist()] * 8, (1, 2.0), (3, 4.0)]
    specs = [] if chunks is None else [chunks]
    ncz.copy(
        tmp_path / "a.zarr", tmp_path / target, notify=ignore_notice, verify=True, chunks=specs
    )
    assert ncz.open(tmp_path / target.partition("#")[0])["v"][:].tolist() == expected
