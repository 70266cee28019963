"""Text of a figure: the font of Pillow, and replacements for characters that it lacks."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

_FALLBACKS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "NotoSansCJK-Regular.ttc", "arial.ttf")
"""Fonts that systems may have. They are used for a text with letters that Pillow's font lacks."""

_ALIKE = str.maketrans({
    "\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{SUPERSCRIPT MINUS}": "-",
    "\N{MICRO SIGN}": "u", "\N{GREEK SMALL LETTER MU}": "u", "\N{MULTIPLICATION SIGN}": "x",
    "\N{FRACTION SLASH}": "/", "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{NO-BREAK SPACE}": " ",
    "ø": "o", "Ø": "O", "ß": "ss", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE",
})  # fmt: skip


@cache
def default_font(size: int) -> FreeTypeFont:
    """Return the font of Pillow in a size of pixels."""
    from PIL.ImageFont import load_default

    font: FreeTypeFont = load_default(size)
    return font


@cache
def _fallbacks(size: int) -> tuple[FreeTypeFont, ...]:
    from PIL.ImageFont import truetype

    found = []
    for name in _FALLBACKS:
        try:
            found.append(truetype(name, size))
        except OSError:
            continue
    return tuple(found)


def has_letters(font: FreeTypeFont, text: str) -> bool:
    """Return whether a font can draw a text."""
    unknown = bytes(font.getmask("\uffff"))
    return all(c == " " or bytes(font.getmask(c)) != unknown for c in set(text))


def fitting_font(text: str, size: int) -> tuple[FreeTypeFont, str]:
    """Return a font for a text, and the text with letters that the font has.

    Letters that no font has lose their accents, or become question marks.
    """
    default = default_font(size)
    for font in (default, *(() if text.isascii() else _fallbacks(size))):
        if text.isascii() or has_letters(font, text):
            return font, text
    parts = unicodedata.normalize("NFKD", text.translate(_ALIKE)).translate(_ALIKE)
    letters = (c for c in parts if not unicodedata.combining(c))
    return default, "".join(c if c.isascii() or has_letters(default, c) else "?" for c in letters)
