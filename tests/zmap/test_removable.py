"""Locations that may be removed, and locations that are never removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.location import location_of, parse_location
from ncz.zmap.removable import Removable, examine


def put(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"mine" if "mine" in name else b"{}")
    return folder


def look(path: Path) -> Removable:
    return examine(location_of(path))


def test_a_store(tmp_path):
    put(tmp_path / "s.zarr", ".zgroup", "v/.zarray", "v/0")
    found = look(tmp_path / "s.zarr")
    assert (found.kind, found.objects, found.size) == ("store", 3, 6)
    assert found.modified == pytest.approx(os.stat(tmp_path / "s.zarr/v/0").st_mtime, abs=60)


def test_a_file(tmp_path):
    (tmp_path / "f.nc").write_bytes(b"CDF\x01" + bytes(40))
    assert look(tmp_path / "f.nc").kind == "netCDF file"


@pytest.mark.parametrize(
    ("names", "path", "reason"),
    [
        (["s.zarr/.zgroup", "s.zarr/mine.txt"], "s.zarr", "which is not part of a store"),
        (["s.zarr/.zgroup", "s.zarr/g/.zgroup"], "s.zarr/g", "it is part of the store"),
        (["folder/mine.txt"], "folder", "not part of a store"),
        (["mine.json"], "mine.json", "it is a file of another kind"),
        (["a/s.zarr/.zgroup"], "a", "no document of a store; ncz rm --recursive removes"),
    ],
)
def test_other_things(tmp_path, names, path, reason):
    put(tmp_path, *names)
    with pytest.raises(ZmapError, match="will not be removed: .*" + reason):
        look(tmp_path / path)


def test_links_memory_and_nothing(tmp_path):
    os.symlink(tmp_path, tmp_path / "link")
    with pytest.raises(ZmapError, match="it is a symbolic link"):
        look(tmp_path / "link")
    with pytest.raises(ZmapError, match="it is in memory"):
        examine(parse_location("memory://x"))
    with pytest.raises(StoreMissing, match="no file or store exists at this path"):
        look(tmp_path / "absent")
    with pytest.raises(ZmapError, match="the current folder"):
        look(Path.cwd())
