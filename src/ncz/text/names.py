"""Names in the notation of ncdump, and numbers of bytes as people read them.

`escape_name` writes the escapes that ncdump writes; `unescape_name` also accepts the others that
ncgen accepts. Reserved words are not escaped: the grammar of CDL knows where a name is expected.
"""

from __future__ import annotations

import re

# `re` compiles these at their first use, as most names need neither.
_SPECIAL = r"""[\x00-\x20!"#$&'()*,:;<=>?\[\]\\^`{|}~\x7f]|\A[0-9]|(?<=/)/"""
_ESCAPE = r"(?s)\\(?:%([01][0-9a-f]|7f)|(.))"


def escape_name(name: str) -> str:
    """Escape the special characters in a name; `unescape_name` is the inverse.

    Unlike in ncdump, the second of two slashes is escaped, as two slashes begin a comment.
    """
    if name.isidentifier() and name.isascii():
        return name  # as most names are; the pattern is slow
    return re.sub(_SPECIAL, _escape, name)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character < " " or character == "\x7f":
        return f"\\%{ord(character):02x}"
    return "\\" + character


def unescape_name(text: str) -> str:
    r"""Remove the backslashes from an escaped name, and decode control characters (``\%0a``).

    ncdump writes control characters like this and never escapes a percent sign. So ``\%`` without
    the two digits of a control character is a percent sign, as in ncgen.
    """
    if "\\" not in text:
        return text
    return re.sub(_ESCAPE, lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)


# Numbers of bytes as people read them.


def format_size(size: int) -> str:
    """Format a number of bytes in powers of 1,000, with three digits."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} PB"
