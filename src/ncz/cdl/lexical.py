"""Lexical rules of declarations and data lists: blanks, strings, the end of a list."""

from __future__ import annotations

import re

from ncz.text.source import SourceText

COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
"""A comment that ends."""

BLANK = rb"(?:[ \t\r\n\f\v]++|//[^\n]*+|/\*(?>.*?\*/))*+"
"""Blanks and comments. An unterminated comment does not match, so that it is reported."""
STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
CHARACTER = rb"'(?:\\(?:[0-7]{3}|x[0-9a-fA-F]{2}|.)|[^\\])'"

_BLANK = re.compile(BLANK, re.DOTALL)
_QUOTED = re.compile(STRING + rb"|" + CHARACTER + rb"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRINGS = re.compile(rb"""(?:[^;"'/]*+"[^"\\]*+(?:\\.[^"\\]*+)*+")*+""", re.DOTALL)
_STOP = re.compile(rb"[;\"'/]")
_PIECE = 1 << 22
"""Bytes of a data list that are searched before their memory is released."""


def skip_blank(source: SourceText, at: int, stop: int | None = None) -> int:
    """Return the offset after the blanks and comments that begin at `at`."""
    end = _BLANK.match(source.buffer, at, len(source.buffer) if stop is None else stop)
    return end.end() if end else at


def find_end_of_data_list(source: SourceText, start: int) -> int:
    """Return the offset of the semicolon that ends the data list beginning at `start`."""
    buffer = source.buffer
    at = start
    while at < len(buffer):  # fast path for plain numbers: four passes of memchr
        stop = buffer.find(b";", at, at + _PIECE)
        end = stop if stop >= 0 else min(at + _PIECE, len(buffer))
        if any(buffer.find(mark, at, end) >= 0 for mark in (b'"', b"'", b"/")):
            break
        if stop >= 0:
            return stop
        source.report_scan(at, end)
        at = end
    released = at
    while True:
        if at - released > _PIECE:
            source.report_scan(released, at)
            released = at
        strings = _STRINGS.match(buffer, at, min(at + _PIECE, len(buffer)))
        at = strings.end() if strings else at
        mark = _STOP.search(buffer, at)
        if mark is None:
            raise source.error(
                skip_blank(source, start),
                "this data list is not terminated",
                "end it with `;`",
            )
        if mark[0] == b";":
            return mark.start()
        quoted = _QUOTED.match(buffer, mark.start())
        if quoted is None and (error := unterminated_error(source, mark.start())):
            raise error
        at = quoted.end() if quoted else mark.end()


def unterminated_error(source: SourceText, at: int) -> Exception | None:
    """Return an error if a comment, string or char constant begins at `at` and does not end."""
    two = source.buffer[at : at + 2]
    if two == b"/*":
        return source.error(at, "this comment is not terminated", "end it with `*/`")
    if two[:1] == b'"':
        return source.error(at, "this string is not terminated", 'end it with `"`')
    if two[:1] == b"'":
        return source.error(
            at,
            "this is not a char constant",
            "write one byte between single quotes, or text between double quotes",
        )
    return None
