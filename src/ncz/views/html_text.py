"""Texts of a dataset in HTML, escaped so that they never become markup."""

from __future__ import annotations

from html import escape

_LONGEST = 2000
"""Characters of a text that are shown."""


def escape_html(text: str) -> str:
    r"""Return a text for HTML, with control characters and undecodable bytes as ``\x1b``.

    So neither markup nor marks that change the direction of text have an effect.
    """
    shortened = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"
    return escape(printable(shortened))


def printable(text: str) -> str:
    r"""Return a text with control characters and undecodable bytes as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _code(c) for c in text)


def _code(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a surrogate escape represents one byte
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
