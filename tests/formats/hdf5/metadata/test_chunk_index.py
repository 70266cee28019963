"""The places of chunks, by each index of HDF5."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest

from tests.formats.hdf5.test_reader import made as made
from tests.formats.hdf5.test_reader import read as read


@pytest.mark.parametrize(
    "options",
    [
        {"chunks": (7, 9)},
        {"chunks": (7, 9), "maxshape": (None, 100)},
        {"chunks": (7, 9), "maxshape": (None, None)},
        {"chunks": (40, 100)},
        {"chunks": (7, 9), "compression": "gzip", "shuffle": True, "fletcher32": True},
    ],
)
@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_every_index_of_chunks(made, read, options, version):
    values = np.arange(4000).reshape(40, 100)
    with made(libver=version) as file:
        file.create_dataset("v", data=values, **options)
    assert read()[1]["/v"] == values.tolist()


def test_masks_of_single_chunks(made, read, run, tmp_path):
    with made() as file:
        dataset = file.create_dataset(
            "v", (4, 6), "i4", chunks=(2, 3), compression="gzip", shuffle=True
        )
        dataset[:] = np.arange(24).reshape(4, 6)
        plain = np.full((2, 3), 9, "i4").tobytes()
        dataset.id.write_direct_chunk((0, 0), plain, filter_mask=3)
        dataset.id.write_direct_chunk((2, 3), zlib.compress(plain), filter_mask=1)
    _, values, _ = read()
    assert values["/v"][0] == [9, 9, 9, 3, 4, 5]
    assert values["/v"][3] == [18, 19, 20, 9, 9, 9]
    ran = run("copy", "--verify", tmp_path / "x.h5", tmp_path / "x.zarr")
    assert ran.code == 0, ran.stderr
    refer = ("copy", "--verify", "--mode", "reference", "--inline", "0")
    ran = run(*refer, tmp_path / "x.h5", tmp_path / "refs.json")
    assert ran.code == 0, ran.stderr
    references = json.loads((tmp_path / "refs.json").read_text())["refs"]
    assert {k for k, v in references.items() if isinstance(v, list)} == {"v/0.1", "v/1.0"}
