"""Text in HTML."""

from __future__ import annotations

import pytest

from ncz.views.html_text import escape_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a\nb", "a\nb"),
        ('<b> & "', "&lt;b&gt; &amp; &quot;"),
        ("\x1b[1m", "\\x1b[1m"),
        ("\udcff", "\\xff"),
        ("\u202e", "\\u202e"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_text_has_no_markup_and_no_control_characters(text, html):
    assert escape_html(text) == html


def test_long_text_is_shortened():
    assert escape_html("x" * 10**6).endswith("x... (1000000 characters)")
