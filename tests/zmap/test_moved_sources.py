"""Files that a store refers to, in another place."""

from __future__ import annotations

import os

import pytest

from ncz.zmap.moved_sources import Move


@pytest.mark.parametrize(
    ("old", "new", "name", "renamed"),
    [
        ("/a", "/b/", "/a/x.nc", "/b/x.nc"),
        ("/a", "/b", "/a", "/b"),
        ("/a", "/b", "/ab/x.nc", None),
        ("file:///a", "s3://bucket/", "/a/x.nc", "s3://bucket/x.nc"),
        ("s3://one/", "https://example.org/two", "s3://one/x", "https://example.org/two/x"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="paths have drives")
def test_names_below_a_prefix_are_renamed(old, new, name, renamed):
    assert Move.of(old, new).new_name(name) == renamed


def test_paths_are_from_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = os.getcwd().replace(os.sep, "/")
    assert Move.of("a", "b").new_name(f"{folder}/a/x") == f"{folder}/b/x"
