"""Stores with the names of zarr-python, as sources and as targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz

zarr = pytest.importorskip("zarr", minversion="3")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    root = zarr.open_group("s.zarr", mode="w")
    root.create_array("x", data=np.arange(3), dimension_names=("x",))
    root.create_array("g/y", data=np.arange(4))


def named(name: str) -> Any:
    return getattr(ncz, name)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("LocalStore", "t.zarr"), ("DirectoryStore", "t.zarr"), ("NestedDirectoryStore", "t.zarr"),
        ("ZipStore", "t.zip"), ("ZipStore", "t"), ("MemoryStore", None),
    ],
)  # fmt: skip
def test_a_store_is_a_target_and_a_source(name, path):
    store = named(name)(*([] if path is None else [path]))
    ncz.copy("s.zarr", store)
    assert ncz.diff("s.zarr", store) == []
    assert named("open_group")(store)["g/y"][:].tolist() == [0, 1, 2, 3]
    assert path is None or Path(path).exists()


def test_a_zip_file_is_begun_again():
    for values in ([1, 2, 3], [4, 5]):
        with named("ZipStore")("m.zip", mode="w") as store:
            named("group")(store=store).create_array("x", data=values)
        with zarr.storage.ZipStore("m.zip") as theirs:
            assert zarr.open_group(theirs, mode="r")["x"][:].tolist() == values


def test_a_store_of_fsspec():
    fsspec = pytest.importorskip("fsspec")
    store = named("FsspecStore")(fsspec.filesystem("memory"), path="/ncz-names.zarr")
    ncz.copy("s.zarr", store)
    assert ncz.diff("s.zarr", store) == []
    url = named("FsspecStore").from_url("s3://b/k", storage_options={"anon": True})
    assert url == named("FSStore")("s3://b/k", anon=True) == "s3://b/k#aws.anon=true"


def test_stores_are_copied():
    named("copy_store")(named("LocalStore")("s.zarr"), named("LocalStore")("a.zarr"))
    assert ncz.diff("s.zarr", "a.zarr") == []
    with pytest.raises(ncz.NczError, match="already exists"):
        named("copy_store")("s.zarr", "a.zarr")
    named("copy_store")("s.zarr", "a.zarr", source_path="g", if_exists="replace")
    assert [*ncz.open("a.zarr")] == ["y"]


def test_groups_are_copied_into_groups():
    open_group = named("open_group")
    root = open_group("b.zarr", mode="w")
    root.create_array("other", data=[1])
    named("copy_all")(open_group("s.zarr"), root)
    assert {*root} == {"other", "x", "g"}
    named("copy_all")(open_group("s.zarr", path="g"), root.require_group("below"))
    assert zarr.open_group("b.zarr")["below/y"][:].tolist() == [0, 1, 2, 3]
    named("copy_all")(zarr.open_group("s.zarr"), zarr.open_group("c.zarr", mode="w"))
    assert ncz.diff("s.zarr", "c.zarr") == []
