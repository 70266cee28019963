"""Stores are removed so that no part stays, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.removable import examine
from ncz.zmap.removal import remove

CDL = "netcdf a { dimensions: x = 9999 ; variables: int v(x) ; data: v = 1, 2 ; }"


def make(folder: Path, name: str) -> Path:
    (folder / "a.cdl").write_text(CDL)
    ncz.gen(folder / "a.cdl", folder / name, notify=ignore_notice)
    (folder / "a.cdl").unlink()
    return folder / name


def removed(path: Path) -> None:
    remove(examine(parse_location(str(path))))


@pytest.mark.parametrize("name", ["a.zarr", "a.zip#mode=zarr,zip", "a.nc"])
def test_nothing_of_a_store_stays(tmp_path: Path, name: str):
    path = make(tmp_path, name)
    removed(path)
    assert not list(tmp_path.iterdir())


def test_a_link_in_a_store_is_removed_and_its_target_stays(tmp_path: Path):
    path = make(tmp_path, "a.zarr")
    target = tmp_path / "chunk"
    os.rename(path / "v" / "0", target)
    os.symlink(target, path / "v" / "0")
    removed(path)
    assert list(tmp_path.iterdir()) == [target]


def test_the_rest_of_an_interrupted_removal_is_removed(tmp_path: Path, monkeypatch):
    path = make(tmp_path, "a.zarr")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("os.rmdir", stop)
        patch.setattr("os.unlink", stop)
        with pytest.raises(KeyboardInterrupt):
            removed(path)
    assert not path.exists()
    assert list(tmp_path.iterdir())
    removed(path)
    assert not list(tmp_path.iterdir())


def test_other_files_are_refused(tmp_path: Path):
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "a.jpg").write_bytes(b"x")
    with pytest.raises(ZmapError):
        removed(folder)
    assert (folder / "a.jpg").exists()


def test_the_folder_next_to_a_set_is_removed_with_it(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("ncz.zmap.reference.held_values.LARGEST_HELD", 4)
    make(tmp_path, "a.nc")
    ncz.copy(tmp_path / "a.nc", tmp_path / "set.json", chunks="x/5000", notify=ignore_notice)
    assert len(list(tmp_path.iterdir())) == 3
    removed(tmp_path / "set.json")
    assert [path.name for path in tmp_path.iterdir()] == ["a.nc"]
