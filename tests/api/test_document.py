"""The examples in docs/reference/python.md."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from tests.conftest import ROOT


@pytest.mark.skipif(np.__version__ < "2", reason="the page shows numbers as numpy 2 does")
def test_the_examples_have_the_results_of_the_page(tmp_path, monkeypatch):
    (tmp_path / "cdl_examples").symlink_to(ROOT / "cdl_examples")
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(ROOT / "docs" / "reference" / "python.md"), module_relative=False)
    assert done.attempted > 15
    assert done.failed == 0
