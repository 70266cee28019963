"""The stores in a folder."""

from __future__ import annotations

import os
from pathlib import Path

from ncz.zmap.location import location_of
from ncz.zmap.stores_below import stores_below


def found(folder: Path) -> tuple[list[str], list[str]]:
    left: list[str] = []
    stores = [each.path for each in stores_below(location_of(folder), left.append)]
    return [os.path.relpath(each, folder) for each in stores], [
        os.path.relpath(each, folder) for each in left
    ]


def put(folder: Path, *names: str, data: bytes = b"{}") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def test_stores_and_other_files(tmp_path):
    put(tmp_path, "a.zarr/.zgroup", "a.zarr/g/.zgroup", "b/c.zarr/zarr.json", "b/note.txt")
    put(tmp_path, "d.nc", data=b"CDF\x01" + bytes(40))
    put(tmp_path, "e.zip", data=b"PK\3\4" + bytes(40))
    stores, left = found(tmp_path)
    assert sorted(stores) == ["a.zarr", "b/c.zarr", "d.nc", "e.zip"]
    assert left == ["b/note.txt"]


def test_links_are_not_followed(tmp_path):
    put(tmp_path, "real/a.zarr/.zgroup")
    os.symlink(tmp_path / "real", tmp_path / "link")
    os.symlink(tmp_path / "real" / "a.zarr" / ".zgroup", tmp_path / "file")
    stores, left = found(tmp_path)
    assert stores == ["real/a.zarr"]
    assert sorted(left) == ["file", "link"]


def test_leftovers_of_ncz_are_hidden(tmp_path):
    put(tmp_path, ".ncz-x/.zgroup", ".ncz-claim", "a.zarr/.zgroup")
    assert found(tmp_path) == (["a.zarr"], [])


def test_a_file_is_itself(tmp_path):
    put(tmp_path, "x.nc")
    location = location_of(tmp_path / "x.nc")
    assert list(stores_below(location)) == [location]
