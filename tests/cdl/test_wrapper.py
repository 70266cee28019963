"""Breaking lines: the fast way is the same as value by value."""

from __future__ import annotations

from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from ncz.cdl.wrapper import Wrapper


def wrapper(limit: int, column: int, indent: int = 0) -> tuple[Wrapper, list[bytes]]:
    pieces: list[bytes] = []
    return Wrapper(limit, indent, pieces.append, column), pieces


def put(tokens: list[str], limit: int, column: int, indent: int = 0) -> tuple[bytes, int]:
    """ncdump's rule, value by value."""
    one, pieces = wrapper(limit, column, indent)
    for position, token in enumerate(tokens):
        last = position == len(tokens) - 1
        one.put(token.encode() + (b"" if last else b", "))
    return b"".join(pieces), one.column


def test_a_line_contains_values_that_fit_with_comma_and_space():
    text, _ = put(["10", "20", "30", "4"], limit=14, column=6)
    assert text == b"10, 20, \n    30, 4"


def test_a_last_value_of_two_bytes_stays():
    assert put(["12", "34"], limit=8, column=4)[0] == b"12, 34"
    assert put(["12", "345"], limit=8, column=4)[0] == b"12, \n    345"


def test_a_value_longer_than_a_line_has_a_separate_line():
    text, _ = put(["1", "1234567890", "2", "3"], limit=10, column=4)
    assert text == b"1, \n    1234567890, \n    2, 3"


@given(
    st.lists(st.integers(0, 10**9).map(str), min_size=1, max_size=60),
    st.integers(8, 90),
    st.integers(0, 100),
    st.integers(0, 12),
    st.integers(1, 60),
)
def test_text_is_broken_as_its_values_are(tokens, limit, column, indent, cut):
    wanted = put(tokens, limit, column, indent)
    one, pieces = wrapper(limit, column, indent)
    if cut < len(tokens):
        one.put_text((", ".join(tokens[:cut]) + ", ").encode())
        one.put_text(", ".join(tokens[cut:]).encode())
    else:
        one.put_text(", ".join(tokens).encode())
    assert (b"".join(pieces), one.column) == wanted


@given(
    st.lists(st.integers(0, 10**9).map(str), min_size=1, max_size=60),
    st.integers(8, 90),
    st.integers(0, 100),
    st.integers(1, 40),
)
def test_a_long_text_is_broken_in_pieces(tokens, limit, column, piece):
    one, pieces = wrapper(limit, column)
    with mock.patch("ncz.cdl.wrapper._PIECE", piece):
        one.put_text(", ".join(tokens).encode())
    assert (b"".join(pieces), one.column) == put(tokens, limit, column)
    assert max(part.count(b", ") for part in pieces) <= 2 * piece


@given(
    st.integers(1, 12),
    st.integers(150, 400),
    st.lists(st.integers(0, 399), max_size=2),
    st.integers(8, 60),
    st.integers(0, 30),
    st.integers(0, 12),
    st.sampled_from(["", "}", "}}}"]),
)
def test_values_of_equal_lengths_are_broken_alike(
    length, count, others, limit, column, indent, suffix
):
    """`others` are the places of values of another length."""
    tokens = [str(7 * 10 ** (length - 1) + n)[:length] for n in range(count)]
    for place in others:
        tokens[place % count] += "5"
    tokens[-1] += suffix
    one, pieces = wrapper(limit, column, indent)
    one.put_text(", ".join(tokens).encode())
    assert (b"".join(pieces), one.column) == put(tokens, limit, column, indent)


@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 150)), min_size=1, max_size=4),
    st.integers(8, 60),
    st.integers(0, 30),
)
def test_runs_of_several_lengths_are_broken_as_their_values_are(runs, limit, column):
    tokens = ["7" * length for length, count in runs for _ in range(count)] + ["7"]
    one, pieces = wrapper(limit, column)
    one.put_text(", ".join(tokens).encode())
    assert (b"".join(pieces), one.column) == put(tokens, limit, column)


@given(
    st.lists(st.sampled_from(["_, _, _, _, ", "_, ", "10, 200, 3000, "]), min_size=2, max_size=30),
    st.integers(8, 30),
    st.integers(0, 30),
)
def test_rows_that_repeat_are_broken_as_their_values_are(rows, limit, column):
    tokens = "".join([*rows, "1"]).split(", ")
    one, pieces = wrapper(limit, column)
    for row in [*rows, "1"]:
        one.put_text(row.encode())
    assert (b"".join(pieces), one.column) == put(tokens, limit, column)


@given(
    st.lists(st.text("ab, ", max_size=30).map(lambda text: f'"{text}"'), max_size=40),
    st.integers(8, 90),
    st.integers(0, 100),
    st.integers(0, 12),
)
def test_values_are_broken_together_as_one_by_one(tokens, limit, column, indent):
    one, pieces = wrapper(limit, column, indent)
    for token in tokens:
        one.put(token.encode() + b", ")
    together, parts = wrapper(limit, column, indent)
    together.put_all([token.encode() for token in tokens])
    assert (b"".join(parts), together.column) == (b"".join(pieces), one.column)
