"""Files that are left if a store cannot be written: on a full disk, or next to others."""

from __future__ import annotations

import errno
import os

import pytest

from ncz.errors import StoreExists, ZmapError
from ncz.zmap.local import placement
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap
from tests.zmap.opening.test_opening import OBJECTS, contents, create, read


def test_a_target_that_comes_while_we_write_is_left_alone(here):
    def race(target):
        with create_zmap(parse_location(target)) as zmap:
            zmap.put(".zgroup", b"ours")
            create(target, {".zgroup": b"theirs"})

    for target in ("x.zarr", "x.zip"):
        with pytest.raises(StoreExists):
            race(target)
        assert read(target) == {".zgroup": b"theirs"}
    assert contents(here) == ["x.zarr", "x.zip"]


def test_the_old_store_is_put_back_if_the_new_cannot_take_its_place(here, monkeypatch):
    create("x.zarr")
    rename = os.rename

    def fail_for_the_new(source, target):
        if target.endswith("x.zarr") and contents(source) != contents_before:
            raise OSError(errno.EIO, "Input/output error")
        rename(source, target)

    contents_before = contents("x.zarr")
    monkeypatch.setattr(placement, "_exchange", lambda *_: False)  # as on most systems
    monkeypatch.setattr(os, "rename", fail_for_the_new)
    with pytest.raises(ZmapError, match=r"x\.zarr: cannot write: Input/output error"):
        create("x.zarr", {".zattrs": b"new"}, overwrite=True)
    assert contents(here) == ["x.zarr"]
    assert read("x.zarr") == OBJECTS


def test_an_old_store_that_cannot_be_removed_is_reported(here, monkeypatch):
    create("x.zarr")

    def refuse(path):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("shutil.rmtree", refuse)
    with pytest.raises(ZmapError, match="the new store is in place, but the old one could not"):
        create("x.zarr", {".zgroup": b"new"}, overwrite=True)
    assert read("x.zarr") == {".zgroup": b"new"}
