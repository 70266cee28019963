"""Names to and from their spelling in CDL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.text.names import escape_name, unescape_name

SPELLINGS = [
    ("temp", "temp"),
    ("a.b-c+d@e_f%g", "a.b-c+d@e_f%g"),
    ("my name", r"my\ name"),
    ("a(b)", r"a\(b\)"),
    ("1st", r"\1st"),
    ("x1", "x1"),
    ("é", "é"),
    ("a\nb", r"a\%0ab"),
    ("a\x7f", r"a\%7f"),
    ('"q"', r"\"q\""),
    ("a\\b", r"a\\b"),
    ("a/b", "a/b"),
    ("a//b", r"a/\/b"),
    ("///", r"/\/\/"),
    ("a?b", r"a\?b"),
    ("", ""),
]


@pytest.mark.parametrize(("name", "text"), SPELLINGS)
def test_escape_and_back(name, text):
    assert escape_name(name) == text
    assert unescape_name(text) == name


@pytest.mark.parametrize(
    ("text", "name"), [(r"a\%b", "a%b"), (r"a\%41", "a%41"), (r"\(p\)", "(p)")]
)
def test_ncgen_escapes_more(text, name):
    assert unescape_name(text) == name


@given(st.text())
def test_round_trip(name):
    assert unescape_name(escape_name(name)) == name


@given(st.text(st.characters(codec="utf-8")))
def test_no_comment_and_no_control_character(name):
    text = escape_name(name)
    assert "//" not in text
    assert "/*" not in text
    assert not any(c < " " or c == "\x7f" for c in text)
