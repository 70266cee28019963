"""The keys of chunks, and the indices that they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.zmap.key import ChunkKeys, is_chunk_path, named_keys

KEYS = [ChunkKeys(), ChunkKeys("/"), ChunkKeys("/", marked=True), ChunkKeys(".", marked=True)]


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("index", [(), (0,), (12, 0, 3)])
def test_a_key_means_its_index(keys, index):
    key = keys.key("v", index)
    assert keys.index(key.removeprefix("v/"), len(index)) == index
    assert keys.keys("v", [index, index]) == [key, key]


@pytest.mark.parametrize("name", ["0", "0.1.2", "0.x", "0.01", "0.", "0/1", "-1.0", "", "c", "٣.0"])
def test_other_names_are_no_keys_of_two_axes(name):
    assert [keys.index(name, 2) for keys in (ChunkKeys(), ChunkKeys("/", marked=True))] == [
        None, None
    ]  # fmt: skip


@given(
    st.sampled_from(KEYS),
    st.lists(st.lists(st.integers(0, 2**70), min_size=2, max_size=2).map(tuple), max_size=3),
    st.lists(st.sampled_from(["0.1", "c/0/1", "01.1", "1", "-1.0", "", "c", "x.y", "٣.0"])),
)
def test_many_names_mean_the_indices_of_each(keys, indices, others):
    names = [*(keys.key("", index) for index in indices), *others]
    found = keys.indices(names, 2)
    expected = [keys.index(name, 2) for name in names]
    if None in expected or any(n >= 2**63 for index in expected for n in index):
        assert found is None
    else:
        assert [tuple(index) for index in found.tolist()] == expected


@pytest.mark.parametrize("keys", KEYS)
def test_each_key_may_belong_to_a_chunk(keys):
    assert all(is_chunk_path(keys.key("", index)) for index in ((), (0,), (12, 0, 3)))
    assert not any(map(is_chunk_path, ("c/c", "0/c", "c.x", "x", "", "٣", "0.", "-1")))


def test_the_usual_separator_follows_from_the_encoding():
    assert [named_keys(name, None).separator for name in ("default", "v2")] == ["/", "."]
    assert named_keys("default", ".") == ChunkKeys(".", marked=True)
