"""Char data: escapes, and a line for each line of a text."""

from __future__ import annotations

from ncz.cdl.print.chars import escape_char_lines


def test_a_text_of_one_row_is_split_after_newlines():
    assert escape_char_lines("a\nb\xe9\0") == 'a\\n",\n    "b\\351\\000'
