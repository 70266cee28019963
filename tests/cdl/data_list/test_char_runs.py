"""Runs of char data: strings, padded to whole rows, and single chars."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.cdl import items
from ncz.cdl.data_list import array, block_index, char_runs
from ncz.model.data import read_all
from tests.cdl.data_list.test_array import quoted, source_of


@settings(deadline=None)
@given(st.lists(st.text("abc,{}/*'é\n", max_size=6), min_size=1, max_size=8), st.integers(1, 30))
def test_each_string_fills_up_its_rows_of_chars(texts, size):
    width = 4
    rows = [
        row.ljust(width, b"\0")
        for encoded in (t.encode() for t in texts)
        for row in [encoded[i : i + width] for i in range(0, max(1, len(encoded)), width)]
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_index, "BLOCK", size)
        source = source_of(", ".join(map(quoted, texts)), "char", (len(rows), width))
    assert [b"".join(row).ljust(width, b"\0") for row in read_all(source).tolist()] == [
        row.rstrip(b"\0").ljust(width, b"\0") if row.strip(b"\0") else row for row in rows
    ]


@pytest.mark.parametrize("end", ['"last"', '"es\\"caped"', "'x', 'y'"])
def test_plain_strings_are_read_without_tokens(end: str, monkeypatch):
    tokens = []

    def counted(source, start, stop, tokenize=items.tokenize):
        for token in tokenize(source, start, stop):
            tokens.append(token)
            yield token

    def refused(*_):
        raise AssertionError

    monkeypatch.setattr(char_runs, "tokenize", counted)
    if end == '"last"':
        monkeypatch.setattr(array, "parse_items", refused)
    texts = [f"row {number % 7}" for number in range(2000)]
    text = ", ".join([*(f'"{each}"' for each in texts), end])
    values = read_all(source_of(text, "char", (2001, 12)))
    assert len(tokens) <= 3
    rows = [row.tobytes().rstrip(b"\0").decode() for row in values]
    assert rows == [*texts, end.replace("\\", "").replace("', '", "")[1:-1]]
