"""Paths and URLs of stores, groups and open files."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.api.places import new_in_memory, place_of
from ncz.errors import ignore_notice


def test_a_group_is_below_its_dataset(tmp_path: Path):
    text = b"netcdf p { variables: int v ; data: v = 1 ; group: g { variables: int w ; } }"
    path = tmp_path / "p.zarr"
    ncz.gen(io.BytesIO(text), path, notify=ignore_notice)
    with ncz.open(path) as ds:
        assert place_of(ds) == str(path)
        assert place_of(ds["g"]) == f"{path}/g"


def test_a_path_and_a_store_of_zarr_python():
    assert place_of("a.zarr") == place_of(b"a.zarr") == place_of(Path("a.zarr")) == "a.zarr"
    zarr = pytest.importorskip("zarr", minversion="3")
    assert place_of(zarr.storage.LocalStore("a.zarr")) == "a.zarr"


@pytest.mark.parametrize("value", [5, None, io.BytesIO(b"x")])
def test_objects_without_a_place(value: object):
    assert place_of(value) is None


def test_names_in_memory_are_new():
    names = {new_in_memory("table") for _ in range(3)}
    assert len(names) == 3
    assert all(name.startswith("memory://table-") for name in names)
