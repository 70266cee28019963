"""The entries of archives as keys of a store."""

from __future__ import annotations

import pytest

from ncz.zmap.local.archive_entries import StoreEntries, entries_of


def entries(*names: str, inside: str = "") -> StoreEntries[int]:
    return entries_of(((name, number) for number, name in enumerate(names)), inside)


@pytest.mark.parametrize(
    ("names", "prefix", "keys"),
    [
        ((".zgroup", "v/0"), "", [".zgroup", "v/0"]),
        (("a.zarr/", "a.zarr/.zgroup", "a.zarr/v/0"), "a.zarr/", [".zgroup", "v/0"]),
        (("./a/zarr.json", "./a/v/c/0"), "a/", ["zarr.json", "v/c/0"]),
        (("x/y/z/.zgroup", "x/y/z/v/0"), "x/y/z/", [".zgroup", "v/0"]),
        (("__MACOSX/a", "a.zarr/.zgroup", ".DS_Store"), "a.zarr/", [".zgroup"]),
        (("a/1", "b/2"), "", ["a/1", "b/2"]),
        ((), "", []),
    ],
)
def test_the_root_is_the_folder_of_the_documents(names, prefix: str, keys: list[str]):
    found = entries(*names)
    assert found.prefix == prefix
    assert list(found.by_key) == keys


def test_the_last_entry_of_a_name_is_used():
    assert entries(".zgroup", "v/0", "v/0").by_key == {".zgroup": 0, "v/0": 2}


def test_a_group_of_the_store_and_a_folder_of_the_archive_can_be_the_root():
    names = ("a/.zgroup", "a/g/.zgroup", "a/g/v/0", "b/1")
    assert entries(*names[:3], inside="g").prefix == "a/g/"
    assert list(entries(*names[:3], inside="g").by_key) == [".zgroup", "v/0"]
    assert list(entries(*names, inside="b").by_key) == ["1"]


@pytest.mark.parametrize("name", ["../v/0", "/v/0", "v/../../0", "v\\..\\0", "a//0"])
def test_a_name_that_could_lead_out_of_the_store_is_no_key(name: str):
    found = entries(".zgroup", name)
    assert list(found.by_key) == [".zgroup"]
    assert found.ignored == (name,)


def test_files_next_to_the_folder_are_ignored():
    found = entries("a/.zgroup", "a/v/0", "b")
    assert found.prefix == ""
    found = entries("a/.zgroup", "a/v/0", "__MACOSX/x")
    assert found.ignored == ("__MACOSX/x",)
    assert found.misnamed == ()


@pytest.mark.parametrize("name", ["a//.zarray", "a\\.zarray", "v\\0.0"])
def test_documents_and_chunks_that_nobody_finds_are_named(name: str):
    assert entries(".zgroup", name).misnamed == (name,)
