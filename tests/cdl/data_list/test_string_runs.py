"""Strings that follow each other in a data list."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.cdl.data_list.string_runs import find_run, padded_lengths, parse_list


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        (b'"a"', [b"a"]),
        (b' "ab" ,\n"",\t"c d"', [b"ab", b"", b"c d"]),
        (rb'"\"", "\\", "a\\\"b"', [b'"', b"\\", b'a\\"b']),
        (rb'"\n\x41\101", "\q"', [b"\nAA", b"q"]),
        (b'"a, b", "{}"', [b"a, b", b"{}"]),
        ('"é"'.encode(), ["é".encode()]),
    ],
)
def test_strings_and_their_escapes(text, strings):
    run = parse_list(text)
    assert run is not None
    assert list(run.split()) == strings
    assert run.lengths.tolist() == [len(each) for each in strings]
    assert run.chars().tobytes() == b"".join(strings)


@pytest.mark.parametrize(
    "text",
    [b"", b'"a",', b'"a" "b"', b'"a", 1', b'"a', b'"a", _', rb'"\400"', rb'"\12"', rb'"\x4"',
     b'"a" // b'],
)  # fmt: skip
def test_values_that_are_not_a_list_of_strings(text):
    assert parse_list(text) is None


def test_a_run_ends_where_something_else_comes():
    text = b'"a", "bc", _, "d"'
    run = find_run(text, 0, len(text), 99)
    assert run is not None
    assert list(run.split()) == [b"a", b"bc"]
    assert find_run(text, text.index(b"_"), len(text), 99) is None


def test_a_run_has_few_bytes_or_one_string():
    text = b'"a", "b", "' + b"c" * 50 + b'", "d"'
    run = find_run(text, 0, len(text), 8)
    assert run is not None
    assert list(run.split()) == [b"a"]
    run = find_run(text, 9, len(text), 8)
    assert run is not None
    assert list(run.split()) == [b"c" * 50]


@pytest.mark.parametrize(
    ("width", "rows"),
    [(0, b"abcd"), (2, b"abc*" + b"**" + b"d"), (3, b"abc" + b"***" + b"d")],
)
def test_rows_are_padded(width, rows):
    run = parse_list(b'"abc", "", "d"')
    assert run is not None
    assert run.rows(width, b"*").tobytes() == rows
    lengths = padded_lengths(np.array([0, 1, 2, 3]), 2).tolist()
    assert lengths == [2, 2, 2, 4]
