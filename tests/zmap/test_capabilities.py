"""Which stores have which capabilities: callers ask for these, and not for a class."""

from __future__ import annotations

import pytest

from ncz.zmap import (
    DistantZmap,
    FileZmap,
    FolderZmap,
    ResumableZmap,
    SharedZmap,
    WritableFileZmap,
    WritableZmap,
    can_list,
    child_names,
    survives_fork,
)
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.writable import WritableDirectoryZmap
from ncz.zmap.local.zip import ZipWriter, ZipZmap
from ncz.zmap.location import parse_location
from ncz.zmap.memory import MemoryZmap
from ncz.zmap.remote.creation import RemoteCreation
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap

CAPABILITIES = {
    DirectoryZmap: {FileZmap, FolderZmap},
    WritableDirectoryZmap: {
        FileZmap, FolderZmap, WritableFileZmap, ResumableZmap, SharedZmap,
    },
    ZipZmap: set(),
    ZipWriter: {ResumableZmap},
    MemoryZmap: set(),
    RemoteZmap: set(),
    WritableRemoteZmap: set(),
    RemoteCreation: {ResumableZmap, SharedZmap},
}  # fmt: skip
METHODS_ONLY = (FileZmap, FolderZmap, WritableFileZmap, ResumableZmap, SharedZmap)


@pytest.mark.parametrize("store", CAPABILITIES, ids=lambda store: store.__name__)
def test_capabilities(store):
    found = {protocol for protocol in METHODS_ONLY if issubclass(store, protocol)}
    assert found == CAPABILITIES[store]


def test_what_is_true_of_a_store_without_the_protocol():
    zmap = MemoryZmap({"g/.zgroup": b"{}"})
    assert not isinstance(zmap, DistantZmap)
    assert isinstance(zmap, WritableZmap)
    assert can_list(zmap)
    assert not survives_fork(zmap)
    assert child_names(zmap, "") == ["g"]


def test_a_directory_names_its_empty_folders_too(tmp_path):
    (tmp_path / "empty").mkdir()
    zmap = DirectoryZmap(str(tmp_path))
    assert zmap.search("") == []
    assert child_names(zmap, "") == ["empty"]
    assert survives_fork(zmap)


def test_workers_find_a_directory_under_its_temporary_name(tmp_path):
    zmap = WritableDirectoryZmap(str(tmp_path / ".ncz-1.partial"), "x.zarr")
    location = zmap.location_for_others(parse_location("x.zarr#mode=zarr"))
    assert (location.kind, location.path) == ("directory", str(tmp_path / ".ncz-1.partial"))
    assert location.pure
