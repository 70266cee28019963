"""Digests that stores keep while some of their values are replaced."""

from __future__ import annotations

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.commands.copy.test_digests import kept
from tests.commands.copy.test_digests import store as store


@pytest.mark.parametrize("into", [{"t": slice(1, 3)}, {"t": slice(1, 3), "x": slice(2, 5)}])
def test_values_of_a_region(store, tmp_path, run, into):
    xarray = pytest.importorskip("xarray")
    shape = (2, 3 if "x" in into else 5)
    part = xarray.Dataset({"v": (("t", "x"), np.full(shape, 99, "f4"))})
    before = kept(store)
    ncz.copy(part, store, into=into, notify=ignore_notice)
    after = kept(store)  # which compares them with the values
    assert [name for name in before if before[name] != after[name]] == ["/v"]
    assert run("check", "--data", store).code == 0
