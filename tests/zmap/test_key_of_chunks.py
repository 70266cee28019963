"""The keys of chunks, and the indices that they stand for."""

from __future__ import annotations

import pytest

from ncz.zmap.key import ChunkKeys

KEYS = [ChunkKeys(), ChunkKeys("/"), ChunkKeys("/", marked=True), ChunkKeys(".", marked=True)]


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("index", [(), (0,), (12, 0, 3)])
def test_a_key_stands_for_its_index(keys, index):
    key = keys.key("v", index)
    assert keys.index(key.removeprefix("v/"), len(index)) == index
    assert keys.keys("v", [index, index]) == [key, key]


@pytest.mark.parametrize("name", ["0", "0.1.2", "0.x", "0.01", "0.", "0/1", "-1.0", "", "c", "٣.0"])
def test_other_names_are_no_keys_of_two_axes(name):
    assert [keys.index(name, 2) for keys in (ChunkKeys(), ChunkKeys("/", marked=True))] == [
        None, None
    ]  # fmt: skip
