"""Char data: escapes, and a line for each line of a text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.cdl.chars import CharPrinter, escape_char_lines
from ncz.cdl.rows import DataStyle, Rows
from ncz.cdl.wrapper import Wrapper
from ncz.text.format_values import escape_chars
from tests.counted_calls import calls_of


def test_a_text_of_one_row_is_split_after_newlines():
    assert escape_char_lines(b"a\nb\xe9\0") == b'a\\n",\n    "b\\351\\000'


@pytest.mark.parametrize("keep_nuls", [False, True])
def test_missing_chars_print_like_stored_ones(keep_nuls):
    def text_of(*parts: np.ndarray) -> bytes:
        out: list[bytes] = []
        rows = Rows("v", (3, 4), (), DataStyle(), Wrapper(78, 0, out.append))
        printer = CharPrinter(rows, keep_nuls)
        position = 0
        for part in parts:
            printer(part, position)
            position += part.size
        return b"".join(out)

    missing = np.broadcast_to(np.array(b"", "S1"), (5,))
    some = np.array([b"", b"a", b"", b"", b""], "S1")
    rest = np.zeros(2, "S1")
    assert text_of(missing, some, rest) == text_of(np.concatenate([missing, some, rest]))
    assert text_of(some, missing, rest) == text_of(np.concatenate([some, missing, rest]))


def printed(data: bytes, columns: int, cuts: list[int], *, keep_nuls: bool) -> bytes:
    out: list[bytes] = []
    shape = len(data) // columns, columns
    printer = CharPrinter(Rows("v", shape, (), DataStyle(), Wrapper(78, 0, out.append)), keep_nuls)
    for start, stop in zip([0, *cuts], [*cuts, len(data)], strict=True):
        printer(np.frombuffer(data[start:stop], "S1"), start)
    return b"".join(out)


@given(
    st.lists(
        st.lists(st.sampled_from(b"ab \0\n\\\"'\x7f\xe9"), min_size=4, max_size=4), min_size=1
    ),
    st.lists(st.integers(0, 100), max_size=3),
    st.booleans(),
)
def test_rows_are_printed_together_as_one_by_one(rows, cuts, keep_nuls):
    texts = ["".join(map(chr, row)) for row in rows]
    kept = texts if keep_nuls else [text.rstrip("\0") for text in texts]
    wanted = ",\n".join(f'  "{escape_chars(text)}"' for text in kept) + " ;\n"
    data = bytes(code for row in rows for code in row)
    inside = sorted(cut for cut in cuts if cut < len(data))
    assert printed(data, 4, inside, keep_nuls=keep_nuls) == wanted.encode()


@pytest.mark.parametrize("row", [b"Exeter\0\0", b"caf\xe9\n\0\0\0"], ids=["plain", "escaped"])
def test_no_function_is_called_for_each_row(row):
    few, many = (
        calls_of(printed, row * count, len(row), [], keep_nuls=False) for count in (100, 5000)
    )
    assert few == many
