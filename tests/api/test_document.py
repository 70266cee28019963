"""The examples in docs/python.md."""

from __future__ import annotations

import doctest

from tests.conftest import ROOT


def test_the_examples_give_what_the_page_shows(tmp_path, monkeypatch):
    (tmp_path / "cdl_examples").symlink_to(ROOT / "cdl_examples")
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert done.attempted > 15
    assert done.failed == 0
