"""Digests that stores keep while they become longer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from tests.commands.copy.test_digests import copied, kept, text
from tests.commands.copy.test_digests import damaged as damaged
from tests.commands.copy.test_digests import store as store
from tests.sampled import share_of


def test_commits_of_icechunk_keep_digests(tmp_path):
    pytest.importorskip("icechunk", reason="icechunk is not installed")
    repository = tmp_path / "s.icechunk"
    copied(text(tmp_path, 0, 3), repository)
    assert len(kept(repository)) == 4
    ncz.copy(text(tmp_path, 3, 4, "new"), repository, append="t", notify=ignore_notice)
    copied(text(tmp_path, 0, 7, "whole"), tmp_path / "whole.zarr", modes="zarr,consolidated")
    assert kept(repository) == kept(tmp_path / "whole.zarr")


def test_appending_updates_digests_without_reading_the_store(store, tmp_path, run):
    ncz.copy(text(tmp_path, 3, 4, "new"), store, append="t", verify=True, notify=ignore_notice)
    found = kept(store)
    whole = text(tmp_path, 0, 7, "whole")
    copied(whole, tmp_path / "whole.zarr", modes="zarr,consolidated")
    assert found == kept(tmp_path / "whole.zarr")
    assert run("check", "--data", store).code == 0


def test_values_that_are_replaced(store, tmp_path):
    ncz.copy(text(tmp_path, 2, 4, "new"), store, append="t", overlap="last", notify=ignore_notice)
    found = kept(store)
    copied(text(tmp_path, 0, 6, "whole"), tmp_path / "whole.zarr", modes="zarr,consolidated")
    assert found == kept(tmp_path / "whole.zarr")


def test_appending_to_a_damaged_store_does_not_hide_the_damage(damaged, tmp_path, run):
    ncz.copy(text(tmp_path, 3, 4, "new"), damaged, append="t", notify=ignore_notice)
    assert "digest-mismatch: /w:" in run("check", "--data", damaged).text


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.sampled_from(["t", "x"]), st.data())
@settings(max_examples=share_of(40), deadline=None)
def test_appending_in_parts_equals_the_whole(
    tmp_path_factory: pytest.TempPathFactory, parts: list[int], along: str, data: st.DataObject
) -> None:
    xarray = pytest.importorskip("xarray")
    folder = tmp_path_factory.mktemp("parts")
    axis = ("t", "x").index(along)
    shape = [3, 3]
    shape[axis] = sum(parts)
    values = np.arange(shape[0] * shape[1], dtype="i2").reshape(shape)
    whole = xarray.Dataset({"v": (("t", "x"), values)})
    chunks = {along: data.draw(st.integers(1, 3))}
    store, start = folder / "s.zarr", 0
    for count in parts:
        part = whole.isel({along: slice(start, start + count)})
        start += count
        if count == start:
            copied(part, store, modes="zarr,consolidated", chunks=chunks)
        else:
            ncz.copy(part, store, append=along, notify=ignore_notice)
    copied(whole, folder / "w.zarr", modes="zarr,consolidated")
    assert kept(store) == kept(folder / "w.zarr") != {}
