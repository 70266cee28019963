"""The HDF5 library, which few files need."""

from __future__ import annotations

import importlib.util
import sys

import h5py
import numpy as np
import pytest

import ncz


def test_reading_needs_no_h5py(tmp_path, run, monkeypatch):
    with h5py.File(tmp_path / "x.nc", "w") as file:
        file.create_dataset("v", data=[1, 2, 3], chunks=(2,), compression="gzip")
        file["text"] = ["a", "bc"]
    monkeypatch.setitem(sys.modules, "h5py", None)
    ran = run("dump", tmp_path / "x.nc")
    assert (ran.code, ran.stderr) == (0, "")
    assert " v = 1, 2, 3 ;" in ran.text
    assert ' text = "a", "bc" ;' in ran.text


def test_a_filter_that_needs_h5py_says_so(tmp_path, run, monkeypatch):
    with h5py.File(tmp_path / "x.nc", "w") as file:
        file.create_dataset("v", data=[1, 2, 3], chunks=(3,), compression="lzf", shuffle=True)
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "h5py" else find_spec(name)
    )
    ran = run("dump", tmp_path / "x.nc")
    assert ran.code == 1
    assert "needs h5py, which is not installed; pip install h5py" in ran.stderr


@pytest.mark.parametrize("driver", [None, "stdio", "core"])
def test_a_file_that_this_process_reads_with_h5py(tmp_path, driver):
    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w") as file:
        file["g/v"] = np.arange(5)
    expected = ncz.dump(path)
    with h5py.File(path, "r", driver=driver) as file:
        assert ncz.dump(path) == expected
        assert list(file["g/v"]) == [0, 1, 2, 3, 4]
        with ncz.open(path) as dataset:
            assert list(dataset["g/v"][1:3]) == [1, 2]
        ncz.copy(path, str(tmp_path / "a.zarr"))
    assert ncz.dump(path) == expected
