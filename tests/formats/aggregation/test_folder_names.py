"""Names of the folders of pieces."""

from __future__ import annotations

import pytest

from ncz.formats.aggregation.folder_names import are_pieces, folder_name, is_own
from ncz.zmap.location import parse_location


@pytest.mark.parametrize(
    ("master", "folder"), [("x.nca", "x"), ("d/x.nc", "x"), ("d/x", "x-pieces")]
)
def test_the_folder_has_the_name_of_the_master(master, folder, tmp_path):
    assert folder_name(parse_location(str(tmp_path / master))) == folder


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("x/x.t.0.nc", True),
        ("x-2/x.t.0.nc", True),
        ("x-10/x.t.0.nc", False),
        ("x/y.t.0.nc", False),
        ("x.t.0.nc", False),
    ],
)
def test_pieces_of_a_master_are_in_its_folders(name, own, tmp_path):
    assert is_own(name, parse_location(str(tmp_path / "x.nca"))) == own
    assert are_pieces([name.rpartition("/")[2]], "x") == name.rpartition("/")[2].startswith("x.")
