"""An existing store that changes: completely or not at all."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest

import ncz
from ncz.errors import ZmapError
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.commands.edit.test_edit import contents, header
from tests.formats.zarr.edit.test_structure import EDITS, quiet
from tests.formats.zarr.edit.test_structure import originals as originals
from tests.formats.zarr.edit.test_structure import store as store


def test_chunks_keep_their_files(store):
    before = {os.stat(p).st_ino: p for p in store.rglob("*") if p.is_file()}
    ncz.edit(store, rename=["lat=latitude"], notify=quiet)
    moved = [p for p in (store / "latitude").rglob("*") if p.stat().st_ino in before]
    assert any(p.name[-1].isdigit() for p in moved)
    assert all(p.stat().st_nlink == 1 for p in store.rglob("*") if p.is_file())


def test_a_failed_write_leaves_the_old_store(store, monkeypatch):
    before = contents(store)

    def full(zmap: WritableDirectoryZmap, key: str, value: bytes) -> None:
        raise ZmapError("no space left on the device", key)

    monkeypatch.setattr(WritableDirectoryZmap, "put", full)
    with pytest.raises(ZmapError, match="no space left"):
        ncz.edit(store, **EDITS, notify=quiet)
    assert contents(store) == before
    assert [p.name for p in store.parent.iterdir()] == [store.name]


def test_files_that_cannot_be_linked_are_copied(store, monkeypatch):
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("links are not supported")

    monkeypatch.setattr(os, "link", refuse)
    before = ncz.dump(store, notify=quiet)
    ncz.edit(store, rename=["time=tide"], notify=quiet)
    changed = re.sub(
        r'"[^"]*"', lambda m: m[0].replace("tide", "time"), before.replace("time", "tide")
    )
    assert ncz.dump(store, notify=quiet) == changed


def test_a_symbolic_link_to_the_store_stays(store, tmp_path):
    link = tmp_path / "link.zarr"
    link.symlink_to(store)
    ncz.edit(link, rename=["lat=latitude"], notify=quiet)
    assert link.is_symlink()
    assert "float latitude(x)" in header(store)
