"""Blocks of a data list parsed to arrays."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.cdl.data_list.block_parser import parse_block
from ncz.errors import CdlError
from ncz.model.types import Atomic
from ncz.text.source import SourceText
from tests.sampled import share_of
from tests.text.test_parse_numbers import FILL, tokens

WRONG = ["-", "+", ".", "e5", "-.", "1-2", "inf", "Inf", "infinity", "1.5x", "0x1p3"]


@pytest.mark.parametrize("last", WRONG)
@pytest.mark.parametrize("atomic", [Atomic.INT, Atomic.FLOAT, Atomic.DOUBLE])
def test_a_block_is_refused_for_its_last_item(last: str, atomic: Atomic):
    text = f"_, 0, {last}"
    with pytest.raises(CdlError, match=rf"t:1:7: `{re.escape(last)}` is not a va"):
        parse_block(SourceText(text.encode(), "t"), 0, len(text), 3, atomic, 7)


@given(st.lists(tokens, min_size=1, max_size=12), st.sampled_from([Atomic.FLOAT, Atomic.DOUBLE]))
@settings(max_examples=share_of(300))
def test_a_block_is_read_as_its_constants_are(texts: list[str], atomic: Atomic):
    """Together, or each alone: the same values, or an error both times."""

    def read(text: str, count: int) -> list[float] | None:
        source = SourceText(text.encode(), "t")
        try:
            return list(parse_block(source, 0, len(text), count, atomic, FILL).tolist())
        except CdlError:
            return None

    alone = [read(text, 1) for text in texts]
    expected = None if None in alone else [v for part in alone if part for v in part]
    together = read(", ".join(texts), len(texts))
    if together is None or expected is None:
        assert together == expected or "" in texts
    else:
        np.testing.assert_array_equal(together, expected)


@pytest.mark.parametrize("atomic", [Atomic.BYTE, Atomic.INT, Atomic.UINT64, Atomic.DOUBLE])
@pytest.mark.parametrize("text", ["1,,2", "1, ,2", ",1,2", "1,2,", "1 2,3"])
def test_a_block_is_refused_for_a_value_that_is_missing(text: str, atomic: Atomic):
    with pytest.raises(CdlError, match=r"a value is missing|unexpected `2`"):
        parse_block(SourceText(text.encode(), "t"), 0, len(text), 3, atomic, 7)


@pytest.mark.parametrize(
    ("text", "atomic", "values"),
    [
        ("1, 010, -07", Atomic.INT, [1, 8, -7]),
        ("127b, _, -128", Atomic.SHORT, [127, 7, -128]),
        ("32767s, 2, 3", Atomic.INT, [32767, 2, 3]),
        ("127, -128, +0", Atomic.BYTE, [127, -128, 0]),
        ("255, 0, _", Atomic.UBYTE, [255, 0, 7]),
        ("18446744073709551615, 0, 1", Atomic.UINT64, [2**64 - 1, 0, 1]),
        ("-9223372036854775808, 9223372036854775807, 1", Atomic.INT64, [-(2**63), 2**63 - 1, 1]),
    ],
)
def test_integers_of_a_block_at_the_limits(text: str, atomic: Atomic, values: list[int]):
    found = parse_block(SourceText(text.encode(), "t"), 0, len(text), 3, atomic, 7)
    assert found.tolist() == values
    assert found.dtype == atomic.dtype


@pytest.mark.parametrize(
    ("text", "atomic"),
    [("128", Atomic.BYTE), ("-129", Atomic.BYTE), ("256", Atomic.UBYTE), ("-1", Atomic.UBYTE),
     ("18446744073709551616", Atomic.UINT64), ("9223372036854775808", Atomic.INT64)],
)  # fmt: skip
def test_integers_of_a_block_beyond_the_limits(text: str, atomic: Atomic):
    with pytest.raises(CdlError, match=f"{text} does not fit {atomic.word}"):
        parse_block(SourceText(text.encode(), "t"), 0, len(text), 1, atomic, 7)
