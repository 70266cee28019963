"""Files and folders that a new store may replace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ncz.zmap.local import replaceable
from ncz.zmap.location import location_of


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}")


def reason(path: Path) -> str | None:
    fault = replaceable.replacement_fault(location_of(path), lambda _: False)
    return None if fault is None else fault.reason


@pytest.mark.parametrize(
    ("names", "path", "expected"),
    [
        (["s.zarr/.zgroup", "s.zarr/v/.zarray", "s.zarr/v/0"], "s.zarr", None),
        (["s.zarr/.zgroup", "s.zarr/g/.zgroup"], "s.zarr/g", "it is part of the store"),
        (["s.zarr/.zgroup", "s.zarr/mine.txt"], "s.zarr", "it holds /mine.txt"),
        (["folder/mine.txt"], "folder", "it is a directory, but not a store"),
        (["mine.txt"], "mine.txt", "it is a file of another kind"),
    ],
)
def test_folders_and_files(tmp_path, names, path, expected):
    put(tmp_path, *names)
    found = reason(tmp_path / path)
    assert found is expected if expected is None else str(found).startswith(expected)


def test_empty_places_and_dangling_links(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "nothing").touch()
    os.symlink(tmp_path / "absent", tmp_path / "link")
    assert [reason(tmp_path / name) for name in ("empty", "nothing", "link")] == [None] * 3


def test_files_that_are_never_replaced(tmp_path, monkeypatch):
    assert replaceable.protection_reason("/") == "it is the root of a file system"
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert replaceable.protection_reason(str(tmp_path / "a")) == (
        "it is, or contains, the current folder"
    )
    assert replaceable.protection_reason(str(tmp_path / "c")) is None


def test_the_outermost_store(tmp_path):
    put(tmp_path, "s.zarr/.zgroup", "s.zarr/g/.zgroup", "s.zarr/g/h/.zgroup")
    whole = str(tmp_path / "s.zarr")
    assert replaceable.outermost(f"{whole}/g/h") == whole
    assert replaceable.store_around(f"{whole}/g") == os.path.realpath(whole)
    assert replaceable.store_around(whole) is None
