"""Temporary names of stores that are built."""

from __future__ import annotations

import os

from ncz.zmap.local.build_names import (
    CLAIM,
    PARTIAL,
    claimed_name,
    name_start,
    partial_name,
    placement_journal,
    unclaimed_name,
)


def test_names_of_a_target_have_one_beginning():
    start = name_start(os.path.join("d", "x.zarr"))
    assert start == name_start("x.zarr") != name_start("y.zarr")
    names = [claimed_name("x.zarr"), unclaimed_name("x.zarr"), unclaimed_name("x.zarr", CLAIM)]
    assert all(name.startswith(start) for name in names)
    assert len(set(names)) == 3
    assert os.path.basename(placement_journal(os.path.join("d", "x.zarr"))) == f"{start}.pieces"


def test_names_of_objects_are_hidden_and_differ():
    names = [partial_name() for _ in range(3)]
    assert len(set(names)) == 3
    assert all(name.startswith(".ncz-") and name.endswith(PARTIAL) for name in names)
