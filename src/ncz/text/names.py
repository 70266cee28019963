"""Names as CDL spells them: which characters take a backslash, and how it is taken away again.

The escapes are those that ncdump writes; `unescape_name` also takes the few more that ncgen takes.
It does not know which names are reserved words: the grammar does.
"""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"""[\x00-\x20!"#$&'()*,:;<=>?\[\]\\^`{|}~\x7f]|\A[0-9]|(?<=/)/""")
_ESCAPE = re.compile(r"\\(?:%([01][0-9a-f]|7f)|(.))", re.DOTALL)


def escape_name(name: str) -> str:
    """`name` as it stands in CDL; `unescape_name` is the inverse.

    A second slash in a row is escaped, though ncdump does not: two would begin a comment. An
    asterisk is escaped anyway.
    """
    return _SPECIAL.sub(_escape, name)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character < " " or character == "\x7f":
        return f"\\%{ord(character):02x}"
    return "\\" + character


def unescape_name(text: str) -> str:
    r"""The name that `text` spells: a backslash is dropped, and ``\%0a`` is a control character.

    ncdump writes control characters so, and never escapes a literal percent sign; before anything
    but the two digits of a control character ``\%`` is therefore a percent sign, as in ncgen.
    """
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)
