"""Damaged HDF5 files: damaged objects are left out and named, and hide nothing else."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import ncz
from ncz.errors import FormatError, Notice


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.h5"


def addresses(path):
    """Return the addresses of the objects of the root group by name."""
    found = {}
    with h5py.File(path) as file:
        for name in file:
            found[name] = _address(file[name])
    return found


def _address(obj):
    return int(h5py.h5o.get_info(obj.id).addr)


def dump(path):
    notices: list[Notice] = []
    return ncz.dump(path, notify=notices.append), notices


def test_one_object_with_a_wrong_checksum(path):
    with h5py.File(path, "w", libver="latest") as file:
        for name in ("a", "b", "g/c"):
            file[name] = np.arange(3)
    at = addresses(path)["b"]
    data = bytearray(path.read_bytes())
    data[at + 40] ^= 1
    path.write_bytes(data)
    text, notices = dump(path)
    assert " a = 0, 1, 2 ;" in text
    assert " c = 0, 1, 2 ;" in text
    assert " b" not in text
    (notice,) = notices
    assert notice.lost
    assert notice.location.endswith("x.h5: /b")
    assert "left out: the checksum of an object header is wrong" in notice.message


def test_one_object_that_cannot_be_parsed(path, run, tmp_path):
    with h5py.File(path, "w") as file:
        for name in ("a", "b"):
            file[name] = np.arange(3)
    at = addresses(path)["b"]
    data = bytearray(path.read_bytes())
    data[at : at + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(data)
    text, notices = dump(path)
    assert " a = 0, 1, 2 ;" in text
    assert [notice.code for notice in notices] == ["object-left-out"]
    refused = run("copy", path, tmp_path / "x.zarr")
    assert refused.code == 1
    assert not (tmp_path / "x.zarr").exists()
    assert run("copy", "--allow-loss", path, tmp_path / "x.zarr").code == 0


def test_compact_data_that_are_too_short(path):
    with h5py.File(path, "w") as file:
        file["v"] = np.arange(3)
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((5,), (5,))
        h5py.h5d.create(file.id, b"w", h5py.h5t.STD_I32LE, space, properties)
    data = bytearray(path.read_bytes())
    at = data.index((5).to_bytes(8, "little") * 2)
    data[at] = 6
    path.write_bytes(data)
    text, (notice,) = dump(path)
    assert " v = 0, 1, 2 ;" in text
    assert "it is damaged (its data are shorter than its shape needs)" in notice.message


def test_scales_that_cannot_be_read(path):
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(3)
        file["x"].make_scale("x")
        file["v"] = np.ones(3)
        file["v"].dims[0].attach_scale(file["x"])
    data = path.read_bytes()
    assert data.count(b"GCOL") == 1
    path.write_bytes(data.replace(b"GCOL", b"LOCG"))
    text, notices = dump(path)
    assert " x = 0, 1, 2 ;" in text
    assert [notice.code for notice in notices] == ["dimension-names-lost"]


def test_headers_that_lead_in_a_circle(path):
    with h5py.File(path, "w") as file:
        file["v"] = np.arange(3)
        for n in range(6):
            file["v"].attrs[f"a{n}"] = np.arange(20)
    at = addresses(path)["v"]
    data = bytearray(path.read_bytes())
    # the first continuation of the header leads to the header itself
    first = data.index(b"\x10\x00\x10\x00", at)
    data[first + 8 : first + 16] = at.to_bytes(8, "little")
    path.write_bytes(data)
    _, (notice,) = dump(path)
    assert notice.code == "object-left-out"
    assert "an object header continues in a circle" in notice.message


def test_a_tree_whose_nodes_share_their_children(path):
    with h5py.File(path, "w") as file:
        for n in range(400):
            file.create_group(f"g{n:03}")
    data = bytearray(path.read_bytes())
    at = [n for n in range(len(data)) if data.startswith(b"TREE\0\1", n)]
    assert at
    count = int.from_bytes(data[at[0] + 6 : at[0] + 8], "little")
    first = data[at[0] + 32 : at[0] + 40]
    for child in range(count):  # a key of 8 bytes before each address
        start = at[0] + 24 + 16 * child + 8
        data[start : start + 8] = first
    path.write_bytes(data)
    with pytest.raises(FormatError, match="a B-tree leads in a circle"):
        ncz.dump(path)
