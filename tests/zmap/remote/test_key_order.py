"""The order of keys while a listing arrives, and the number of delayed ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.zmap.key import order
from ncz.zmap.remote.key_order import HELD, Entry, InKeyOrder

_NAMES = st.text("a.-b0", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
_KEYS = st.sets(st.lists(_NAMES, min_size=1, max_size=3).map("/".join), max_size=14)


def _walk(keys: list[str], most: int) -> InKeyOrder:
    def below(prefix: str) -> Iterator[Entry]:
        return ((key, 1) for key in keys if key.startswith(f"{prefix}/"))

    return InKeyOrder([(key, 1) for key in keys], below, most=most)


@given(_KEYS, st.sampled_from([0, 1, 2, 20]), st.sampled_from([str.encode, order]))
def test_keys_of_a_server_that_sorts(keys, most, sort_key):
    walk = _walk(sorted(keys, key=sort_key), most)
    assert [key for key, _ in walk] == sorted(keys, key=order)
    assert walk.held == 0


@given(_KEYS, st.sampled_from([0, 1, 20]), st.integers(0, 99))
def test_keys_of_a_server_that_does_not_sort(keys, most, seed):
    listed = sorted(keys)
    random.Random(seed).shuffle(listed)
    walk = _walk(listed, most)
    got = [key for key, _ in walk]
    assert sorted(got) == sorted(keys)
    assert not walk.is_sorted or got == sorted(keys, key=order)


SHAPES = {
    "a square grid": (lambda n: f"v/{n // 1000:03}.{n % 1000:03}", 1000, 0),
    "one long row": (lambda n: f"v/0.{n:06}", HELD + 1, 1),
    "a group next to another": (lambda n: f"temp-2020/v/{n:06}", HELD + 1, 1),
    "both": (lambda n: f"temp-2020/v/0.0.{n:06}", HELD + 1, 3),
    "one dimension": (lambda n: f"v/{n:06}", 0, 0),
}


@pytest.mark.parametrize("count", [30_000, pytest.param(1_000_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("shape", SHAPES)
def test_few_keys_are_held(shape, count):
    name, most_held, lists = SHAPES[shape]
    asked: list[str] = []

    def below(prefix: str) -> Iterator[Entry]:
        asked.append(prefix)
        return iter([(f"{prefix}/first", 1)] if prefix == "temp" else [])

    late = [("temp/first", 1)] if name(0).startswith("temp-") else []
    walk = InKeyOrder(itertools.chain(((name(n), 1) for n in range(count)), late), below)
    walked = most = 0
    for _ in walk:
        walked += 1
        most = max(most, walk.held)
    assert walked == count + len(late)
    assert most <= most_held
    assert len(asked) == lists


def test_names_listed_first_are_not_repeated():
    keys = ["temp-2020/a", "temp-2020/b", "temp/x", "temp/y.z", "temp/y/z", "top"]
    walk = _walk(keys, 1)
    assert [key for key, _ in walk] == [
        "temp/x", "temp/y/z", "temp/y.z", "temp-2020/a", "temp-2020/b", "top",
    ]  # fmt: skip
