"""Capabilities of stores: callers check these, and not a class."""

from __future__ import annotations

import pytest

from ncz.formats.keys import DatasetKeys
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.writable import WritableDirectoryZmap
from ncz.zmap.local.zip import ZipZmap
from ncz.zmap.local.zip_writer import ZipWriter
from ncz.zmap.location import parse_location
from ncz.zmap.memory import MemoryZmap
from ncz.zmap.reference.creation import ReferenceCreation
from ncz.zmap.reference.reader import ReferenceZmap
from ncz.zmap.remote.creation import RemoteCreation
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap

CAPABILITIES = {
    DirectoryZmap: {"holds_files", "survives_fork", "names", "is_folder", "place"},
    WritableDirectoryZmap: {
        "holds_files", "survives_fork", "names", "is_folder", "place",
        "put_new", "put_sized", "put_from", "put_many_from", "keep", "location_for_others", "adopt",
    },
    ZipZmap: {"misnamed_objects", "place"},
    ZipWriter: {"keep"},
    MemoryZmap: set(),
    RemoteZmap: {"is_distant", "expect", "misnamed_objects", "place"},
    WritableRemoteZmap: {
        "is_distant", "expect", "misnamed_objects", "place", "put_new", "copy_many", "delete_many",
    },
    RemoteCreation: {
        "is_distant", "expect", "misnamed_objects", "place", "put_new", "copy_many", "delete_many",
        "keep", "location_for_others", "adopt",
    },
    ReferenceZmap: {"is_distant", "expect", "place"},
    ReferenceCreation: set(),
}  # fmt: skip
OPTIONAL = {
    "is_distant", "joins_neighbours", "can_list", "survives_fork", "holds_files",
    "misnamed_objects", "names", "is_folder", "expect", "place", "copy_many", "delete_many",
    "put_new", "put_sized", "put_from", "put_many_from", "keep", "location_for_others", "adopt",
}  # fmt: skip


@pytest.mark.parametrize("store", CAPABILITIES, ids=lambda store: store.__name__)
def test_capabilities(store):
    base = WritableZmap if issubclass(store, WritableZmap) else Zmap
    found = {n for n in OPTIONAL if hasattr(base, n) and getattr(store, n) != getattr(base, n)}
    assert found == CAPABILITIES[store]


@pytest.mark.parametrize("store", [*CAPABILITIES, DatasetKeys], ids=lambda store: store.__name__)
def test_every_store_inherits_the_defaults(store):
    assert issubclass(store, Zmap)
    assert not store.__abstractmethods__


def test_the_defaults_of_a_store():
    zmap = MemoryZmap({"g/.zgroup": b"{}", "g/v/0": b"data"})
    assert isinstance(zmap, WritableZmap)
    assert zmap.can_list
    flags = zmap.is_distant, zmap.joins_neighbours, zmap.survives_fork, zmap.holds_files
    assert not any(flags)
    assert zmap.names("") == ["g"]
    assert not zmap.is_folder("g")
    assert zmap.place("g/v/0") is None
    assert zmap.misnamed_objects == ()
    assert not zmap.keep("g/v/0")
    assert zmap.location_for_others(parse_location("x.zarr")) is None


def test_default_values():
    zmap = MemoryZmap({"a": b"one", "b": b"two"})
    assert not zmap.put_new("a", b"other")
    assert zmap.put_new("c", b"three")
    zmap.copy_many({"a": "d", "missing": "e"})
    zmap.put_sized("f", b"six")
    zmap.delete_many(["b", "missing"])
    copy = MemoryZmap()
    assert copy.put_from("x", zmap, "a") == 3
    assert copy.put_from("y", zmap, "missing") is None
    assert list(copy.put_many_from(["z"], zmap, ["a"], lambda content: True)) == [None]
    assert {key: zmap.get(key) for key in zmap.walk()} == {
        "a": b"one", "c": b"three", "d": b"one", "f": b"six",
    }  # fmt: skip
    assert list(copy.walk()) == ["x"]


def test_a_directory_names_its_empty_folders_too(tmp_path):
    (tmp_path / "empty").mkdir()
    zmap = DirectoryZmap(str(tmp_path))
    assert zmap.search("") == []
    assert zmap.names("") == ["empty"]
    assert zmap.survives_fork


def test_workers_find_a_directory_under_its_temporary_name(tmp_path):
    zmap = WritableDirectoryZmap(str(tmp_path / ".ncz-1.partial"), "x.zarr")
    location = zmap.location_for_others(parse_location("x.zarr#mode=zarr"))
    assert (location.kind, location.path) == ("directory", str(tmp_path / ".ncz-1.partial"))
    assert location.pure
