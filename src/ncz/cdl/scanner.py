"""The scanner of CDL declarations: it returns words, numbers and marks to the parser.

A word such as "float" is a name wherever a name is read, and a data list is one token, however long
it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from ncz.cdl.lexical import BLANK, find_end_of_data_list, skip_blank, unterminated_error
from ncz.cdl.syntax_tree import DataList, Word
from ncz.errors import shorten
from ncz.text.source import SourceText

_KEYWORD = rb"(types|dimensions|variables|data|group):"
_SECTION = re.compile(BLANK + _KEYWORD, re.DOTALL)
_NUMBER = re.compile(BLANK + rb"([+-]?[0-9][0-9A-Za-z_.]*)", re.DOTALL)
_WORD = re.compile(
    BLANK + rb"((?:[A-Za-z_.+@%\x80-\xff-]|\\[^\n]|/(?![/*]))"
    rb"(?:[A-Za-z0-9_.+@%\x80-\xff-]|\\[^\n]|/(?![/*]))*+)",
    re.DOTALL,
)
_HEADER = re.compile(
    rb"(netcdf|NETCDF|netCDF)((?:[^{\\/]++|\\.|//[^\n]*+|/\*(?>.*?\*/)|/)*+)\{", re.DOTALL
)
_HEADER_IN_COMMENT = re.compile(rb"(netcdf|NETCDF|netCDF)((?:[^{\\]++|\\.)*+)\{", re.DOTALL)
"""A header whose only brace is in a comment: ncgen has no comments there."""
_NAME_NOISE = re.compile(r"(\\.)|//[^\n]*|/\*.*?\*/|[\x00-\x20\x7f]+", re.DOTALL)
_UNESCAPED_SLASH = re.compile(r"(?<!\\)(?:\\\\)*/")

_ORDER = "the order within a group is: attributes, types, dimensions, variables, data, groups"


@dataclass(slots=True)
class Scanner:
    """A position in the text, which advances with each token.

    Methods with an argument `expected` raise `CdlError` if something else comes next.
    """

    source: SourceText
    at: int = 0

    def header(self) -> Word:
        """Read `netcdf`, the name of the dataset and the opening brace; return the name."""
        source, buffer = self.source, self.source.buffer
        if buffer[:1] in (b"\xff", b"\xfe", b"\0"):
            raise source.error(0, "this is not UTF-8 text", "save the file as UTF-8")
        start = skip_blank(source, 3 if buffer[:3] == b"\xef\xbb\xbf" else 0)
        header = _HEADER.match(buffer, start) or _HEADER_IN_COMMENT.match(buffer, start)
        if header is None:
            if error := unterminated_error(source, start):
                raise error
            raise source.error(start, "this is not CDL", "CDL begins with `netcdf NAME {`")
        self.at = header.end()
        return Word(_NAME_NOISE.sub(r"\1", source.decode(*header.span(2))), start)

    def section(self, accepted: Collection[bytes]) -> bytes | None:
        """Read the keyword of a section, without its colon, if it is one of those accepted."""
        section = _SECTION.match(self.source.buffer, self.at)
        if section is None or section[1] not in accepted:
            return None
        self.at = section.end()
        return section[1]

    def word(self, expected: str) -> Word:
        """Read a name or a path."""
        word = _WORD.match(self.source.buffer, self.at)
        if word is None:
            raise self.unexpected_token_error(expected)
        start, self.at = word.span(1)
        return Word(self.source.decode(start, self.at), start)

    def name(self, expected: str = "a name") -> Word:
        """Read a name that is not a path."""
        return self.as_name(self.word(expected), expected)

    def as_name(self, word: Word, expected: str = "a name") -> Word:
        """Return a word that was read if it is not a path."""
        if "/" in word.text and _UNESCAPED_SLASH.search(word.text):
            self.at = word.at
            raise self.unexpected_token_error(expected)
        return word

    def number(self, expected: str = "a whole number") -> Word:
        """Read a number."""
        number = _NUMBER.match(self.source.buffer, self.at)
        if number is None:
            raise self.unexpected_token_error(expected)
        start, self.at = number.span(1)
        return Word(number[1].decode(), start)

    def number_is_next(self) -> bool:
        """Return whether a number comes next."""
        return _NUMBER.match(self.source.buffer, self.at) is not None

    def take(self, mark: bytes) -> bool:
        """Read a mark if it comes next, and return whether it did."""
        self.at = skip_blank(self.source, self.at)
        if self.source.buffer[self.at : self.at + 1] != mark:
            return False
        self.at += 1
        return True

    def expect(self, mark: bytes, expected: str | None = None) -> None:
        """Read a mark."""
        if not self.take(mark):
            raise self.unexpected_token_error(expected or f"`{mark.decode()}`")

    def data_list(self) -> DataList:
        """Read an equals sign, a data list and its semicolon."""
        self.expect(b"=")
        start = self.at
        stop = find_end_of_data_list(self.source, start)
        self.at = stop + 1
        return DataList(start, stop)

    def end(self) -> None:
        """Expect the end of the text."""
        start = skip_blank(self.source, self.at)
        if start < len(self.source.buffer):
            raise unterminated_error(self.source, start) or self.source.error(
                start,
                f"unexpected `{self._text_at(start)}` after the end of the dataset",
                "check for a closing brace too many",
            )

    def unexpected_token_error(self, expected: str) -> Exception:
        """Return the error for the next token."""
        source, start = self.source, skip_blank(self.source, self.at)
        if start >= len(source.buffer):
            return source.error(start, "the text ends too early", f"expected {expected}")
        if error := unterminated_error(source, start):
            return error
        text = self._text_at(start)
        if section := _SECTION.match(source.buffer, start):
            return source.error(start, f"unexpected `{section[1].decode()}:`", _ORDER)
        return source.error(start, f"unexpected `{text}`", f"expected {expected}")

    def _text_at(self, start: int) -> str:
        """Return the word or the mark at an offset."""
        word = _WORD.match(self.source.buffer, start)
        stop = word.end() if word else start + 1
        return shorten(self.source.buffer[start:stop].decode("utf-8", "replace"))
