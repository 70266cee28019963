"""Stores and files on a disk, which appear complete or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ncz.errors import StoreExists, ZmapError
from ncz.zmap.local.creation import create_file, create_output, remove_local
from ncz.zmap.location import parse_location


def test_a_file_appears_at_the_end(tmp_path: Path):
    location = parse_location(str(tmp_path / "a.nc"))
    with create_file(location, overwrite=False, replaces=None) as path:
        Path(path).write_bytes(b"new")
        assert not (tmp_path / "a.nc").exists()
    assert (tmp_path / "a.nc").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.nc"]


def test_an_error_leaves_the_old_file(tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(b"old")

    def fail() -> None:
        with create_output(str(tmp_path / "a.txt"), overwrite=True) as file:
            file.write(b"new")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_file_is_replaced_only_if_asked_for(tmp_path: Path):
    path = str(tmp_path / "a.txt")
    for content in (b"one", b"two"):
        with create_output(path, overwrite=content == b"two") as file:
            file.write(content)
    assert Path(path).read_bytes() == b"two"
    with pytest.raises(StoreExists), create_output(path, overwrite=False):
        pass


def test_a_folder_that_does_not_exist_is_not_made(tmp_path: Path):
    path = str(tmp_path / "no" / "a.txt")
    with pytest.raises(ZmapError, match="does not exist"), create_output(path, overwrite=False):
        pass
    assert os.listdir(tmp_path) == []


def test_a_store_is_removed_with_all_its_objects(tmp_path: Path):
    store = tmp_path / "a.zarr"
    (store / "v").mkdir(parents=True)
    (store / "v" / "0").write_bytes(b"x")
    (tmp_path / "b.nc").write_bytes(b"x")
    remove_local(str(store))
    remove_local(str(tmp_path / "b.nc"))
    assert os.listdir(tmp_path) == []
