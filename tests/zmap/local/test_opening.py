"""Stores on a disk: the folder of a store, and stores that can only be read."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from ncz.errors import ZmapError
from ncz.zmap.local.opening import store_folder
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap


def make(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    return folder


def test_the_only_store_in_a_folder_is_found(tmp_path: Path):
    store = make(tmp_path / "unpacked" / "a.zarr")
    (tmp_path / "unpacked" / ".DS_Store").touch()
    assert store_folder(str(store)) == str(store)
    assert store_folder(str(tmp_path / "unpacked")) == str(store)


def test_not_one_of_several_nor_behind_a_link(tmp_path: Path):
    store = make(tmp_path / "a" / "a.zarr")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "a.zarr").symlink_to(store)
    assert store_folder(str(tmp_path / "link")) == str(tmp_path / "link")
    make(tmp_path / "a" / "b.zarr")
    assert store_folder(str(tmp_path / "a")) == str(tmp_path / "a")
    assert store_folder(str(tmp_path / "none")) == str(tmp_path / "none")


def test_an_unfinished_store_is_itself_the_store(tmp_path: Path):
    make(tmp_path / "a.zarr.partial" / "g")
    path = str(tmp_path / "a.zarr.partial")
    assert store_folder(path) == path


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.zip", "a zip file cannot be changed in place"), ("a.tar", "can only be read")],
)
def test_archives_are_not_changed(tmp_path: Path, name: str, message: str):
    store, path = make(tmp_path / "a.zarr"), tmp_path / name
    if name == "a.zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(store / ".zgroup", ".zgroup")
    else:
        with tarfile.open(path, "w") as tar:
            tar.add(store / ".zgroup", ".zgroup")
    location = parse_location(str(path))
    with pytest.raises(ZmapError, match=message):
        open_zmap(location, write=True)
    zmap = open_zmap(location)
    assert zmap.get(".zgroup") == b'{"zarr_format": 2}'
    zmap.close()
