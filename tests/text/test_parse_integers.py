"""Integers by the million: the same as one by one, or nothing."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.cdl.data_list.block_parser import parse_block
from ncz.errors import CdlError
from ncz.model.types import Atomic
from ncz.text.parse_integers import parse_integers
from ncz.text.source import SourceText
from tests.sampled import share_of

whole = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", "-", "+"]),
    st.integers(0, 20).flatmap(lambda size: st.integers(0, 10**size)),
)
others = ["", "-", "007", "-00", "0x1F", "017", "1.5", "1e3", "--1", "1-", "1-2", "1 2", "+ 1",
          "5b", "-300s", "4000000000u", "7LL", "8ull", "_", "\0", "1\x01", "/* 1, 2 */", "// 1\n3",
          "'a'"]  # fmt: skip
tokens = st.one_of(whole, whole, whole, st.sampled_from(others))
separators = st.sampled_from([",", ", ", ",\n    ", " ,\t", "\r\n,\v\f", ",,", " "])
fills = st.sampled_from([0, 5, 99])
INTEGER_TYPES = [atomic for atomic in Atomic if atomic.is_integer]


@given(st.lists(tokens, min_size=1, max_size=30), separators)
@settings(max_examples=share_of(300))
def test_values_match_python(texts: list[str], separator: str):
    text = separator.join(texts)
    found = parse_integers(text.encode())
    items = [item.strip(" \t\r\n\f\v") for item in text.split(",")]
    is_plain = all(re.fullmatch("[+-]?[0-9]{1,16}", item) for item in items)
    is_plain &= not any(re.match("[+-]?0[0-9]", item) for item in items)
    assert (found is not None) == is_plain
    assert found is None or found.tolist() == list(map(int, items))


@pytest.mark.parametrize("size", range(1, 17))
@pytest.mark.parametrize("sign", ["", "-"])
def test_numbers_of_every_length_are_read_next_to_others(size: int, sign: str):
    numbers = [int(sign + ("9876543210" * 2)[:size]), 10 ** (size - 1), 7, 10**size - 1]
    found = parse_integers(",".join(map(str, numbers)).encode())
    assert found is not None
    assert found.tolist() == numbers
    assert found.dtype == np.int64


@given(st.lists(tokens, min_size=1, max_size=12), st.sampled_from(INTEGER_TYPES), fills)
@settings(max_examples=share_of(400))
def test_a_block_is_read_as_its_constants_are(texts: list[str], atomic: Atomic, fill: int):
    """Together, or each alone with a form that only the slow parser reads: the same values."""

    def read(text: str, count: int) -> list[int] | None:
        source = SourceText(text.encode(), "t")
        try:
            return list(parse_block(source, 0, len(text), count, atomic, fill).tolist())
        except CdlError:
            return None

    alone = [read(f"{text}, 'a'", 2) for text in texts]
    expected = None if None in alone else [part[0] for part in alone if part]
    together = read(", ".join(texts), len(texts))
    if not any(mark in text for text in texts for mark in "/ "):  # comments hide the following text
        assert together == expected or texts == [""]


@pytest.mark.parametrize("text", [b"1:2, 3", b":", b"1/2", b"1,:2", b"12345678:9"])
def test_the_characters_next_to_digits_are_not_digits(text: bytes):
    assert parse_integers(text) is None
