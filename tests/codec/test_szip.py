"""szip, which HDF5 decodes: stores of netcdf-c, and chunks that are damaged."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.codec import chain
from ncz.errors import CodecError, CodecMissing, ignore_notice

SZIP = {"id": "szip", "mask": 141, "pixels-per-block": 8}
KINDS = {
    "i1": "i1", "i2": "<i2", "big2": ">i2", "i4": "<i4", "big4": ">i4", "f4": "<f4", "f8": "<f8",
    "big8": ">f8",
}  # fmt: skip


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    noise = np.random.default_rng(1).integers(0, 9, (7, 30))
    return (np.arange(210).reshape(7, 30) // 3 + noise) % 100


@pytest.fixture(scope="module")
def store(tmp_path_factory, values: np.ndarray) -> Path:
    """Write a store with netcdf-c; its rows are longer and shorter than a chunk or a block."""
    pytest.importorskip("h5py")  # before netCDF4, whose HDF5 it would use
    netcdf = pytest.importorskip("netCDF4")
    path: Path = tmp_path_factory.mktemp("szip") / "s.zarr"
    with netcdf.Dataset(f"{path.as_uri()}#mode=nczarr,file", "w") as dataset:
        for name, size in (("y", 7), ("x", 30), ("few", 3)):
            dataset.createDimension(name, size)
        layouts = itertools.product(
            KINDS.items(), (("nn", 4), ("nn", 32), ("ec", 4)), (("x", 10), ("x", 30), ("few", 3))
        )
        for (name, dtype), (coding, pixels), (row, columns) in layouts:
            if (name, coding) == ("i1", "ec"):
                continue  # netcdf-c fails, because the bytes become more
            variable = dataset.createVariable(
                f"{name}_{coding}_{pixels}_{row}_{columns}",
                dtype,
                ("y", row),
                endian="big" if dtype[0] == ">" else "little",
                chunksizes=(4 if row == "x" else 7, columns),
                compression="szip",
                szip_coding=coding,
                szip_pixels_per_block=pixels if row == "x" else 4,
            )
            variable[:] = values[:, : 30 if row == "x" else 3]
    return path


def test_stores_of_netcdf_c_are_read(store: Path, values: np.ndarray):
    with ncz.open(store) as dataset:
        names = list(dataset.variables)
        assert len(names) == 9 * len(KINDS) - 3
        for name in names:
            found = np.asarray(ncz.read(dataset, f"/{name}"))
            np.testing.assert_array_equal(found, values[:, : found.shape[1]], name)


def test_it_is_one_of_the_codecs_of_netcdf_c(store: Path):
    document = json.loads((store / "i4_nn_32_x_10" / ".zarray").read_text())
    assert document["compressor"]["id"] == "szip"
    assert not [f for f in ncz.check(store, audience="netcdf-c").findings if "szip" in f.message]


def chunk(store: Path) -> bytes:
    return (store / "i2_nn_4_x_10" / "0.0").read_bytes()


def decode(data: bytes, **changes: object) -> bytes:
    given = {"id": "szip", "mask": 32, "pixels-per-block": 4, **changes}
    return bytes(chain.decode([given], data, count=40, item_size=2, location="v/0", row=30))


def test_damaged_chunks_are_errors(store: Path):
    stored = chunk(store)
    assert len(decode(stored)) == 80
    for data in (b"", stored[:4], b"\x51" + stored[1:], b"\xff\xff\xff\xff" + stored[4:]):
        with pytest.raises(CodecError, match="cannot be decoded by szip"):
            decode(data)
    for pixels in (0, 3, 34, "4", None):
        with pytest.raises(CodecError, match="pixels-per-block"):
            decode(stored, **{"pixels-per-block": pixels})


def test_changed_bytes_give_an_error_or_a_whole_chunk(store: Path):
    stored, random = chunk(store), np.random.default_rng(7)
    for _ in range(300):
        data = bytearray(stored[: random.integers(5, len(stored) + 1)])
        for at in random.integers(4, len(data), 3):
            data[at] = random.integers(256)
        try:
            assert len(decode(bytes(data))) == 80
        except CodecError:
            continue


def test_without_h5py_the_error_says_what_to_install(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(CodecMissing, match=r"'szip' is not available.*pip install h5py"):
        decode(chunk(store))


def test_it_is_not_written(store: Path, tmp_path: Path):
    ncz.copy(store, tmp_path / "raw.zarr", modes=["zarr"], notify=ignore_notice)
    assert (tmp_path / "raw.zarr" / "i2_nn_4_x_10" / "0.0").read_bytes() == chunk(store)
    assert "szip" in str(chain.encoding_fault([SZIP], "<i4", 4))
