"""Stores of zarr-python without a path, which are read and written through their own functions."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import ncz
from ncz.zmap.zarr_objects import ZarrObjects, objects_of, register_store

zarr = pytest.importorskip("zarr", minversion="3")


@pytest.fixture
def store():
    store = zarr.storage.MemoryStore()
    root = zarr.open_group(store, mode="w")
    root.create_array("x", data=np.arange(3))  # without names of dimensions
    root.create_array("g/y", data=np.arange(4), dimension_names=("y",))
    return store


def test_a_mapping():
    objects = ZarrObjects(zarr.storage.MemoryStore())
    assert not objects
    objects["a/b"] = b"one"
    objects["c"] = b"two"
    assert {**objects} == {"a/b": b"one", "c": b"two"}
    del objects["c"]
    assert "c" not in objects
    with pytest.raises(KeyError):
        del objects["c"]
    with pytest.raises(KeyError):
        objects["c"]


def test_names_do_not_keep_stores():
    store = zarr.storage.MemoryStore()
    name = register_store(store)
    assert objects_of(name) is not None
    del store
    gc.collect()
    assert objects_of(name) is None


def test_a_source(store, tmp_path):
    with ncz.open(store) as ds:
        assert ds["x"][:].tolist() == [0, 1, 2]
        assert ds["g/y"].dims == ("y",)
    ncz.copy(zarr.open_group(store), tmp_path / "o.zarr")
    assert ncz.diff(store, tmp_path / "o.zarr") == []


def test_a_part_of_a_store(store, tmp_path):
    group = zarr.open_group(store, path="g")
    ncz.copy(group, tmp_path / "g.zarr")
    assert ncz.open(tmp_path / "g.zarr")["y"][:].tolist() == [0, 1, 2, 3]
    with ncz.open(group, "r+") as ds:
        ds["y"][0] = 9
    assert group["y"][:].tolist() == [9, 1, 2, 3]
    assert ncz.open(group["y"])["y"][0] == 9


@pytest.mark.parametrize("kind", ["MemoryStore", "LoggingStore"])
def test_a_target(store, kind):
    target = zarr.storage.MemoryStore()
    given = target if kind == "MemoryStore" else zarr.storage.LoggingStore(target, log_level=60)
    ncz.copy(store, given, verify=True)
    assert zarr.open_group(target, mode="r")["g/y"][:].tolist() == [0, 1, 2, 3]
    with pytest.raises(ncz.NczError, match="already exists"):
        ncz.copy(store, given)
    ncz.copy(store, given, overwrite=True, variables="x")
    assert [*zarr.open_group(target, mode="r").array_keys()] == ["x"]


def test_changes(store):
    with ncz.open(store, "r+") as ds:
        ds["x"][0] = 9
        ds.attrs["title"] = "new"
    theirs = zarr.open_group(store, mode="r")
    assert (theirs["x"][:].tolist(), theirs.attrs["title"]) == ([9, 1, 2], "new")
