"""Fonts and letters of figures."""

from __future__ import annotations

from ncz.views import figure_text
from ncz.views.figure_text import default_font, fitting_font, has_letters


def test_plain_text_has_the_font_of_pillow():
    font, text = fitting_font("sea surface 10", 12)
    assert (font, text) == (default_font(12), "sea surface 10")


def test_letters_that_no_font_has_are_replaced(monkeypatch):
    monkeypatch.setattr(figure_text, "_fallbacks", lambda size: ())
    font, text = fitting_font("W m\u207b\u00b2 \u4e2d", 12)
    assert font == default_font(12)
    assert text.isascii() or has_letters(font, text)
    assert text.endswith("?")
