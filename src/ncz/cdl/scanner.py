"""The tokens of CDL declarations, recognised by what the grammar accepts next.

A word such as "float" is a name wherever only a name is accepted, and a data list is one token,
however long it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ncz.cdl.lexical import find_end_of_data_list, skip_blank, unterminated_error
from ncz.cdl.syntax_tree import PRIMITIVES
from ncz.errors import shorten
from ncz.text.source import SourceText

_SECTION = re.compile(rb"(?:types|dimensions|variables|data|group):")
_NUMBER = re.compile(rb"[+-]?[0-9][0-9A-Za-z_.]*")
_WORD = re.compile(
    rb"(?:[A-Za-z_.+@%\x80-\xff-]|\\[^\n]|/(?![/*]))"
    rb"(?:[A-Za-z0-9_.+@%\x80-\xff-]|\\[^\n]|/(?![/*]))*"
)
_HEADER = re.compile(rb"(netcdf|NETCDF|netCDF)((?:[^{\\/]|\\.|//[^\n]*|/\*.*?\*/|/)*)\{", re.DOTALL)
_NAME_NOISE = re.compile(r"(\\.)|//[^\n]*|/\*.*?\*/|[\x00-\x20\x7f]+", re.DOTALL)
_UNESCAPED_SLASH = re.compile(r"(?<!\\)(?:\\\\)*/")

_WORDS = {
    "HEADER": "`netcdf NAME {`",
    "NAME": "a name",
    "PATH": "a path",
    "NUMBER": "a whole number",
    "DATA_LIST": "values",
    "$END": "the end of the file",
}
"""The terminals of the grammar in the words of error messages."""

_ORDER = "the order within a group is: attributes, types, dimensions, variables, data, groups"


class Token(NamedTuple):
    """A token: its terminal in the grammar, its text, and its bytes in the source."""

    type: str
    text: str
    start: int
    stop: int


@dataclass(slots=True)
class Scanner:
    """Splits the text into tokens.

    `literals` has the terminal of each keyword and mark of the grammar.
    """

    source: SourceText
    literals: Mapping[str, str]
    at: int = 0

    def next(self, accepted: Mapping[str, Any]) -> Token:
        """Return the next token.

        `accepted` has the terminals that the grammar accepts here.
        """
        source, buffer = self.source, self.source.buffer
        if "DATA_LIST" in accepted:
            start = self.at
            self.at = find_end_of_data_list(source, start)
            return Token("DATA_LIST", "", start, self.at)
        if "HEADER" in accepted:
            return self._header()
        start = skip_blank(source, self.at)
        if start >= len(buffer):
            return Token("$END", "", len(buffer), len(buffer))
        section = _SECTION.match(buffer, start)
        if section and self.literals[section[0].decode()] in accepted:
            return self._token(self.literals[section[0].decode()], start, section.end())
        if "NUMBER" in accepted and (number := _NUMBER.match(buffer, start)):
            return self._token("NUMBER", start, number.end())
        word = _WORD.match(buffer, start)
        if word:
            text = source.decode(start, word.end())
            self.at = word.end()
            kind = self.literals.get(text, "")
            if kind not in accepted or ("NAME" in accepted and self._is_declared(text)):
                kind = "PATH" if "/" in text and _UNESCAPED_SLASH.search(text) else "NAME"
            return Token(kind, text, start, self.at)
        if error := unterminated_error(source, start):
            raise error
        mark = buffer[start : start + 1].decode("latin-1")
        return self._token(self.literals.get(mark, mark), start, start + 1)

    def _is_declared(self, keyword: str) -> bool:
        """Return whether a keyword is a name here: no type comes before these marks."""
        after = skip_blank(self.source, self.at)
        marks = (b"=", b";", b",", b"(") if keyword == "enum" else (b"=", b";", b",")
        return self.source.buffer[after : after + 1] in marks

    def _token(self, kind: str, start: int, stop: int) -> Token:
        self.at = stop
        return Token(kind, self.source.buffer[start:stop].decode("latin-1"), start, stop)

    def _header(self) -> Token:
        source, buffer = self.source, self.source.buffer
        if buffer[:1] in (b"\xff", b"\xfe", b"\0"):
            raise source.error(0, "this is not UTF-8 text", "save the file as UTF-8")
        if buffer[:3] == b"\xef\xbb\xbf":
            self.at = 3
        start = skip_blank(source, self.at)
        header = _HEADER.match(buffer, start)
        if header is None:
            if error := unterminated_error(source, start):
                raise error
            raise source.error(start, "this is not CDL", "CDL begins with `netcdf NAME {`")
        text = source.decode(header.start(2), header.end(2))
        self.at = header.end()
        return Token("HEADER", _NAME_NOISE.sub(r"\1", text), start, self.at)

    def unexpected_error(self, accepted: Mapping[str, Any], token: Token) -> Exception:
        """Return the error for a token that is not accepted."""
        source, start, stop = self.source, token.start, token.stop
        if start >= len(source.buffer):
            hint = f"expected {self._expected(accepted)}"
            return source.error(start, "the text ends too early", hint)
        text = shorten(source.buffer[start:stop].decode("utf-8", "replace"))
        what = f"unexpected `{text}`"
        section = _SECTION.match(source.buffer, start)
        if text.isidentifier() and source.buffer[stop : stop + 1] in (b" ", b"\t", b"\n"):
            after = skip_blank(source, stop)
            if f"{text}:" in self.literals and source.buffer[after : after + 1] == b":":
                return source.error(start, what, f"write `{text}:` without the space")
        if section:
            return source.error(start, f"unexpected `{section[0].decode()}`", _ORDER)
        if list(accepted) == ["$END"]:
            return source.error(
                start,
                f"unexpected `{text}` after the end of the dataset",
                "check for a closing brace too many",
            )
        return source.error(start, what, f"expected {self._expected(accepted)}")

    def _expected(self, accepted: Mapping[str, Any]) -> str:
        """Describe what could follow."""
        words = {name: text for text, name in self.literals.items()}
        kinds = [kind for kind in accepted if kind in words or kind in _WORDS]
        literals = {words[kind] for kind in kinds if kind in words}
        choices = [_WORDS[kind] for kind in kinds if kind in _WORDS and kind != "PATH"]
        if literals & PRIMITIVES.keys():
            choices.append("a type")
        literals -= PRIMITIVES.keys()
        if ":" in literals and "a type" in choices:  # a new statement: sections would be too many
            choices = ["a declaration", "an attribute"]
            literals &= {"}"}
        choices = sorted(choices) + [f"`{literal}`" for literal in sorted(literals)]
        return choices[0] if len(choices) == 1 else ", ".join(choices[:-1]) + " or " + choices[-1]
