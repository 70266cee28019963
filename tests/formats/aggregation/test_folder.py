"""The folder of new pieces next to their master."""

from __future__ import annotations

import os

import pytest

from ncz.errors import StoreExists
from ncz.formats.aggregation.folder import beside, generations, is_made, join_path, new_folder
from ncz.zmap.location import location_of, parse_location


def test_free_names_and_old_folders(tmp_path):
    own, master = str(tmp_path / "all"), str(tmp_path / "all.nca")
    assert generations(own, master, False) == [own]
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "all.v.0.nc").touch()
    with pytest.raises(StoreExists):
        generations(own, master, False)
    assert generations(own, master, True) == [f"{own}-2", own]
    (tmp_path / "all" / "mine.txt").touch()
    with pytest.raises(StoreExists, match="it contains files that are not pieces"):
        generations(own, master, True)


def test_a_master_that_exists(tmp_path):
    (tmp_path / "all.nca").touch()
    with pytest.raises(StoreExists):
        generations(str(tmp_path / "all"), str(tmp_path / "all.nca"), False)


@pytest.mark.parametrize(
    ("master", "path"),
    [
        ("/d/all.nca", "/d/all"),
        ("http://h/d/all.nca", "http://h/d/all"),
        ("memory://all.nca", None),
    ],
)
def test_paths_next_to_a_master(master, path):
    found = beside(parse_location(master), "all")
    assert found.endswith("all")
    assert path is None or found == path


def test_objects_of_a_folder():
    assert join_path(parse_location("/d/all"), "a b.nc") == "/d/all/a b.nc"
    assert join_path(parse_location("http://h/all"), "a#b.nc") == "http://h/all/a%23b.nc"


def test_a_folder_appears_with_its_master(tmp_path):
    location = location_of(tmp_path / "all.nca")
    written: list[str] = []

    def write_master(name: str) -> None:
        written.append(name)
        (tmp_path / "all.nca").touch()

    with new_folder(location, False) as (folder, publish):
        assert os.path.basename(folder.path).startswith(".ncz-")
        with open(os.path.join(folder.path, "all.v.0.nc"), "w"):
            pass
        publish(write_master)
    assert written == ["all"]
    assert sorted(os.listdir(tmp_path)) == ["all", "all.nca"]
    assert not is_made(str(tmp_path / "all"))
    assert is_made(str(tmp_path / "other"))


def test_an_error_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), new_folder(location_of(tmp_path / "all.nca"), False):
        raise ZeroDivisionError
    assert os.listdir(tmp_path) == []
