"""Objects of fsspec and zarr-python in place of a path or a URL."""

from __future__ import annotations

from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.foreign_stores import url_of_store, with_storage_options
from tests.conftest import ROOT

QUIET: Any = {"notify": ignore_notice}
ENDPOINT = "http://localhost:9000"
URL = f"s3://b/x.zarr#aws.anon=true&aws.endpoint_url={ENDPOINT}"


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ncz.gen(ROOT / "cdl_examples/weather.cdl", "w.nc", **QUIET)
    ncz.copy("w.nc", "w.zarr", **QUIET)
    ncz.copy("w.nc", "w.zip", **QUIET)
    return "w.zarr"


def test_stores_of_fsspec(store):
    fsspec = pytest.importorskip("fsspec")
    assert "lat" in ncz.open(fsspec.get_mapper(store))
    assert "lat" in ncz.open(fsspec.open("w.nc"))
    with fsspec.open("w.nc") as file:
        assert "lat" in ncz.open(file)
    with open("w.nc", "rb") as stream:
        opened: Any = stream
        assert "lat" in ncz.open(opened)


def test_stores_of_zarr(store):
    zarr = pytest.importorskip("zarr", minversion="3")
    for given in (zarr.storage.LocalStore(store), zarr.open_group(store, mode="r")):
        assert ncz.diff(given, "w.nc") == []
        assert "lat" in ncz.open(given)
    assert "lat" in ncz.open(zarr.storage.ZipStore("w.zip", mode="r"))


def test_a_target_can_be_one(store):
    fsspec = pytest.importorskip("fsspec")
    ncz.copy(store, fsspec.get_mapper("mapped.zarr"), **QUIET)
    assert ncz.diff(store, "mapped.zarr") == []
    target = fsspec.get_mapper("memory://ncz-tests/w.zarr")
    ncz.copy(store, target, **QUIET)
    assert {".zgroup", "lat/.zarray"} <= set(target)
    assert ncz.diff(store, target) == []


def test_options_of_file_systems_are_kept():
    pytest.importorskip("s3fs")
    fsspec = pytest.importorskip("fsspec")
    options: Any = {"anon": True, "client_kwargs": {"endpoint_url": ENDPOINT}}
    assert with_storage_options("s3://b/x.zarr", options) == URL
    assert url_of_store(fsspec.get_mapper("s3://b/x.zarr", **options)) == URL
    assert with_storage_options("s3://b/x.zarr#mode=zarr", {"anon": True}).count("#") == 1


@pytest.mark.parametrize("value", [1, object(), {}, [], None])
def test_other_objects_are_not_stores(value):
    assert url_of_store(value) is None
    with pytest.raises(TypeError, match="a path or a URL is expected"):
        ncz.open(value)
