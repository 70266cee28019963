"""Datasets and attributes of HDF5 whose elements are arrays."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.formats.hdf5.test_reader import made as made
from tests.formats.hdf5.test_reader import read as read

VALUES = {
    "integers": np.arange(30, dtype="<i4").reshape(5, 2, 3),
    "big": np.arange(15, dtype=">f8").reshape(5, 3),
    "texts": np.array([[b"a", b"bc"]] * 5, "S2"),
    "half": np.arange(10, dtype="<f2").reshape(5, 2),
}

LAYOUTS: dict[str, dict[str, Any]] = {
    "whole": {},
    "chunked": {"chunks": (2,)},
    "deflated": {"chunks": (2,), "compression": 1, "shuffle": True, "fletcher32": True},
    "extensible": {"chunks": (2,), "maxshape": (None,)},
    "lzf": {"chunks": (2,), "compression": "lzf"},
}


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_elements_that_are_arrays_add_axes(made, read, tmp_path, version):
    with made(libver=version) as file:
        for name, values in VALUES.items():
            dtype = np.dtype((values.dtype, values.shape[1:]))
            for layout, options in LAYOUTS.items():
                dataset = file.create_dataset(f"{name}-{layout}", (5,), dtype, **options)
                dataset[...] = values
            file.create_dataset(f"{name}-never", (5,), dtype, chunks=(2,))
        two = file.create_dataset(
            "two", (3, 4), np.dtype(("i2", (2,))), chunks=(2, 3), maxshape=(None, None)
        )
        two[...] = np.arange(24).reshape(3, 4, 2)
        file.attrs.create("pair", np.array([7, 8]), dtype=np.dtype(("i4", (2,))))
    root, found, notices = read()
    assert notices == []
    for name, values in VALUES.items():
        expected = np.vectorize(bytes.decode)(values) if name == "texts" else values
        for layout in LAYOUTS:
            assert found[f"/{name}-{layout}"] == expected.tolist()
        assert np.shape(found[f"/{name}-never"]) == values.shape
    assert found["/two"] == np.arange(24).reshape(3, 4, 2).tolist()
    assert root.attributes[0].values == (7, 8)
    path = tmp_path / "x.h5"
    assert ncz.open(path)["two"][1:, 2:, 1].tolist() == [[13, 15], [21, 23]]
    ncz.copy(path, tmp_path / "x.zarr", notify=ignore_notice)
    assert ncz.diff(path, tmp_path / "x.zarr") == []


def test_scales_belong_to_the_axes_of_the_dataset(made, read):
    with made() as file:
        file["x"] = np.arange(5)
        file["x"].make_scale()
        file.create_dataset("v", (5,), np.dtype(("i4", (3,))))
        file["v"].dims[0].attach_scale(file["x"])
    root, _, _ = read()
    assert {v.name: v.dimensions for v in root.variables}["v"] == ("/x", "/phony_dim_1")


def test_a_filter_that_knows_the_datatype(made, read):
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((2,))
    properties.set_szip(h5py.h5z.SZIP_NN_OPTION_MASK, 2)
    with made() as file:
        kind = h5py.h5t.array_create(h5py.h5t.STD_I32LE, (4,))
        space = h5py.h5s.create_simple((5,))
        dataset = h5py.h5d.create(file.id, b"v", kind, space, properties)
        h5py.Dataset(dataset)[...] = np.arange(20).reshape(5, 4)
    _, found, _ = read()
    assert found["/v"] == np.arange(20).reshape(5, 4).tolist()


def test_a_fill_value_of_several_numbers_is_not_read(made, read, tmp_path):
    """h5py cannot set such a fill value, but that of a compound of the same bytes."""
    record = np.dtype("i4, i4")
    pair = h5py.h5t.array_create(h5py.h5t.STD_I32LE, (2,)).encode()[2:]
    with made() as file:
        for name, fill in {"same": (3, 3), "several": (3, 4)}.items():
            file.create_dataset(name, (2,), record, fillvalue=np.array(fill, record), chunks=(2,))
        encoded = file["same"].id.get_type().encode()[2:]
    data = (tmp_path / "x.h5").read_bytes()
    assert data.count(encoded) == 2
    (tmp_path / "x.h5").write_bytes(data.replace(encoded, pair.ljust(len(encoded), b"\0")))
    _, found, notices = read()
    assert found == {"/same": [[3, 3], [3, 3]]}
    assert [n.location.rpartition("/")[2] for n in notices] == ["several"]
