"""Objects of fractal heaps, in files of the HDF5 library."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from ncz.formats.hdf5.metadata import objects as module
from ncz.formats.hdf5.metadata.faults import DamageError
from ncz.formats.hdf5.metadata.file import open_metadata
from ncz.formats.hdf5.metadata.fractal_heap import FractalHeap
from ncz.zmap.file import LocalFile


@pytest.mark.parametrize("count", [20, 3000])
def test_links_of_large_groups(tmp_path, count):
    names = [f"name_{number:05}" for number in range(count)]
    with h5py.File(tmp_path / "f.h5", "w", libver="latest", track_order=True) as file:
        for name in names:
            file[name] = h5py.SoftLink("/nowhere")
    found = open_metadata(LocalFile(str(tmp_path / "f.h5"))).objects().root.links
    assert [link.name.decode() for link in found] == names


@pytest.mark.parametrize("size", [10, 1000, 100_000])
def test_dense_attributes_of_any_size(tmp_path, size, monkeypatch):
    heaps = []

    class Noted(FractalHeap):
        def find(self, identifier: bytes) -> bytes:
            heaps.append(self)
            return super().find(identifier)

    monkeypatch.setattr(module, "FractalHeap", Noted)
    with h5py.File(tmp_path / "f.h5", "w", libver="latest") as file:
        for number in range(10):
            file.attrs[f"a{number}"] = np.bytes_(bytes([65 + number]) * size)
    root = open_metadata(LocalFile(str(tmp_path / "f.h5"))).objects().root
    assert len(root.attributes) == 10
    for number in range(10):
        attribute = root.attributes[f"a{number}".encode()]
        data = attribute.data[attribute.at : attribute.at + size]
        assert data == bytes([65 + number]) * size
    heap = heaps[0]
    with pytest.raises(DamageError, match="of no known kind"):
        FractalHeap.find(heap, b"\x30" + bytes(7))
    with pytest.raises(DamageError):
        FractalHeap.find(heap, b"\0" + b"\xff" * 7)
