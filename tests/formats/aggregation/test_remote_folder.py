"""The folder of new pieces on a server."""

from __future__ import annotations

import pytest

from ncz.errors import StoreExists
from ncz.formats.aggregation.remote_folder import new_remote_folder
from ncz.zmap.location import Location, parse_location

pytest.importorskip("s3fs", reason="s3fs is not installed")

PIECE = "all.v.0.nc"


@pytest.fixture
def master(web, monkeypatch, tmp_path) -> Location:
    """The location of a master on a server whose objects can be looked at."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    return parse_location(f"{web.endpoint}/b/all.nca#mode=s3")


def write(master: Location, web, *, overwrite: bool = False) -> str:
    """Write a piece and a master; return the name of the folder."""
    names: list[str] = []
    with new_remote_folder(master, overwrite) as (folder, publish):
        web.objects[f"b/{folder.path.rpartition('/')[2]}/{PIECE}"] = b"new"

        def write_master(name: str) -> None:
            names.append(name)
            web.objects["b/all.nca"] = b"\x89HDF\r\n\x1a\n"

        publish(write_master)
    return names[0]


def test_a_new_master_has_a_folder_of_its_name(master: Location, web):
    assert write(master, web) == "all"
    assert {*web.objects} == {f"b/all/{PIECE}", "b/all.nca"}


def test_existing_pieces_and_masters_are_replaced_on_request(master: Location, web):
    write(master, web)
    with pytest.raises(StoreExists):
        write(master, web)
    assert write(master, web, overwrite=True) == "all-2"
    assert {*web.objects} == {f"b/all-2/{PIECE}", "b/all.nca"}


def test_pieces_without_a_master_are_not_replaced_either(master: Location, web):
    web.objects[f"b/all/{PIECE}"] = b"old"
    with pytest.raises(StoreExists):
        write(master, web)


@pytest.mark.parametrize("key", ["b/all.nca", "b/all/mine.txt"])
def test_other_objects_stay(master: Location, web, key: str):
    web.objects[key] = b"mine"
    with pytest.raises(StoreExists):
        write(master, web, overwrite=True)
    assert web.objects == {key: b"mine"}


def test_an_error_leaves_nothing(master: Location, web):
    def fail() -> None:
        with new_remote_folder(master, False):
            web.objects[f"b/all/{PIECE}"] = b"new"
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert web.objects == {}
