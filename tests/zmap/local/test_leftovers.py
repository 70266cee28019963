"""Files that a command left next to a store are named, and removed."""

from __future__ import annotations

import os

import pytest

from ncz.errors import ZmapError
from ncz.zmap.local.build_names import claimed_name
from ncz.zmap.local.content import FileContent
from ncz.zmap.local.creation import remove_local
from ncz.zmap.local.leftovers import clean_local


def test_removed_locations_are_returned(tmp_path):
    target = tmp_path / "x.zarr"
    left = tmp_path / claimed_name(str(target))
    (left / "v").mkdir(parents=True)
    (left / "v" / "0").write_bytes(b"12345")
    for dry_run in (True, False):
        (found,) = clean_local(str(target), dry_run)
        assert (found.action, found.objects, found.size) == ("remove", 1, 5)
        assert left.exists() == dry_run
    assert clean_local(str(target), False) == []


def test_one_byte_of_a_file(tmp_path):
    path = tmp_path / "chunk"
    path.write_bytes(bytes(range(200)) * 1000)
    with path.open("rb", buffering=0) as file:
        content = FileContent(file.fileno(), 200_000)
        assert (content[0], content[300], content[-1]) == (0, 100, 199)
        assert content.whole is None


@pytest.mark.parametrize("name", ["a.nc", "a.zarr"])
def test_files_that_cannot_be_removed_are_an_error(tmp_path, monkeypatch, name):
    path = tmp_path / name
    (path / "v").mkdir(parents=True) if name == "a.zarr" else path.write_bytes(b"CDF")

    def refuse(target, *others):
        raise PermissionError(13, "Permission denied", str(target))

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink" if path.is_file() else "rename", refuse)
        with pytest.raises(ZmapError, match=rf"{name}: cannot remove.*Permission denied"):
            remove_local(str(path))
    assert path.exists()
