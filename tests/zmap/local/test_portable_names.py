"""Folders that a file system takes for one another."""

from __future__ import annotations

import pytest

from ncz.errors import ZmapError
from ncz.zmap.local import portable_names as portable
from ncz.zmap.local.portable_names import FolderNames, folds_case


def test_folders_that_would_be_one(monkeypatch):
    monkeypatch.setattr(portable, "IS_WINDOWS", False)
    names = FolderNames("u", folds=True)
    for folder in ("", "a", "a/b", "a", "con", "é"):
        names.add(folder)
    for other, known in (("A", "/a"), ("a/B", "/a/b"), ("e\u0301", "/é")):
        with pytest.raises(ZmapError, match=f"{known} and /{other} would be the same folder"):
            names.add(other)


def test_folders_of_a_file_system_that_distinguishes_case(monkeypatch):
    monkeypatch.setattr(portable, "IS_WINDOWS", False)
    names = FolderNames("u", folds=False)
    for folder in ("a", "A", "con", "a."):
        names.add(folder)
    monkeypatch.setattr(portable, "IS_WINDOWS", True)
    with pytest.raises(ZmapError, match=r"u: /x/con: Windows reserves the name.*; rename it, or"):
        names.add("x/con")


def test_case_is_looked_for_on_the_disk(tmp_path):
    (tmp_path / "x").touch()
    assert not folds_case(str(tmp_path / "x"))
    (tmp_path / "X").touch()
    assert folds_case(str(tmp_path / "x"))
