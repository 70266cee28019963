"""Elements of HDF5 datatypes as values."""

from __future__ import annotations

import h5py
import pytest

import ncz
from ncz.errors import CodecError
from ncz.formats.hdf5 import decode


def test_strings_that_would_fill_the_memory_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(decode, "_LARGEST", 5000)
    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w") as file:
        file.create_dataset("v", data=["a" * 3000] * 2, dtype=h5py.string_dtype())
    with pytest.raises(CodecError, match="the strings of a chunk have 6000 bytes, and may have 5"):
        ncz.dump(path)
