"""Char data: escapes, and a line for each line of a text."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.cdl.chars import CharPrinter, escape_char_lines
from ncz.cdl.rows import DataStyle, Rows
from ncz.cdl.wrapping import Wrapper


def test_a_text_of_one_row_is_split_after_newlines():
    assert escape_char_lines(b"a\nb\xe9\0") == b'a\\n",\n    "b\\351\\000'


@pytest.mark.parametrize("keep_nuls", [False, True])
def test_missing_chars_print_as_those_that_are_read(keep_nuls):
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
