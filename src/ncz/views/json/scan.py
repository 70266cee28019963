"""A JSON text as a tree of objects, with the place of every value; lists are only delimited.

The standard library's reader would make a Python object of each number of gigabytes of data and
forget where it stood. Here objects are read member by member, and what is in a list is read
when somebody asks for it, by the standard library, piece by piece.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ncz.record import record
from ncz.text.source import Source
from ncz.views.json.text import SPECIALS

_BLANK = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD = re.compile(rb'[^\s,:{}\[\]"]+')
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_SHOWN = 40


@record
class Scalar:
    """A text, a number, true, false or null, from byte offset `at` up to `stop`."""

    at: int
    stop: int


@record
class List:
    """A list, whose brackets stand at `at` and before `stop`; its inside is not looked at."""

    at: int
    stop: int


@record
class Object:
    """An object, and where each of its members' keys stands."""

    at: int
    stop: int
    members: dict[str, Node]
    keys: dict[str, int]


Node = Scalar | List | Object


def scan(source: Source) -> Object:
    """The object that the whole text is. Raises CdlError, with its place, for what is no JSON."""
    at = _skip(source, 3 if source.buffer[:3] == b"\xef\xbb\xbf" else 0)
    node = _value(source, at)
    if not isinstance(node, Object):
        raise source.error(at, "an object is needed here", "begin with {")
    end = _skip(source, node.stop)
    if end < len(source.buffer):
        raise source.error(end, "something stands after the end of the document", "take it away")
    return node


def read(source: Source, node: Node) -> Any:
    """What the standard library's `json` makes of a value. Raises CdlError for what is no JSON."""
    return parse(source, source.buffer[node.at : node.stop], node.at)


def parse(source: Source, text: bytes, at: int) -> Any:
    """The same for a piece of the text, or what has replaced it byte by byte, from `at` on."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise source.not_utf8(at + error.start) from None
    try:
        return json.loads(decoded, parse_constant=lambda word: SPECIALS[word], strict=False)
    except json.JSONDecodeError as error:
        place = at + len(decoded[: error.pos].encode())
        raise source.error(place, "this is no JSON", _hint(error.msg)) from None
    except ValueError as error:  # an integer of thousands of digits
        raise source.error(at, f"this is no JSON: {error}") from None


def _hint(message: str) -> str:
    return message[:1].lower() + message[1:]


def _skip(source: Source, at: int) -> int:
    blank = _BLANK.match(source.buffer, at)
    return blank.end() if blank else at


def _value(source: Source, at: int) -> Node:
    mark = source.buffer[at : at + 1]
    if mark == b"{":
        return _object(source, at)
    if mark == b"[":
        return List(at, _end_of_list(source, at))
    pattern = _STRING if mark == b'"' else _WORD
    match = pattern.match(source.buffer, at)
    if match is None:
        raise _unexpected(source, at, "a value")
    return Scalar(at, match.end())


def _object(source: Source, at: int) -> Object:
    members: dict[str, Node] = {}
    keys: dict[str, int] = {}
    begin = at
    at = _skip(source, at + 1)
    if source.buffer[at : at + 1] == b"}":
        return Object(begin, at + 1, members, keys)
    while True:
        match = _STRING.match(source.buffer, at)
        if match is None:
            raise _unexpected(source, at, "a key in double quotes")
        key: str = parse(source, match[0], at)
        if key in members:
            raise source.error(at, f'the member "{key[:_SHOWN]}" is given twice')
        keys[key] = at
        at = _skip(source, match.end())
        if source.buffer[at : at + 1] != b":":
            raise _unexpected(source, at, "a colon")
        node = _value(source, _skip(source, at + 1))
        members[key] = node
        at = _skip(source, node.stop)
        mark = source.buffer[at : at + 1]
        if mark == b"}":
            return Object(begin, at + 1, members, keys)
        if mark != b",":
            raise _unexpected(source, at, "a comma or }")
        at = _skip(source, at + 1)


def _end_of_list(source: Source, at: int) -> int:
    depth = 0
    for mark in _BRACKETS.finditer(source.buffer, at):
        text = mark[0]
        if text in (b"[", b"{"):
            depth += 1
        elif text in (b"]", b"}"):
            depth -= 1
            if depth == 0:
                if text == b"}":
                    break
                return mark.end()
    raise source.error(at, "this bracket is not closed", "close it with ]")


def _unexpected(source: Source, at: int, wanted: str) -> Exception:
    size = len(source.buffer)
    if at >= size:
        return source.error(size, f"the text ends where {wanted} is needed", "is it cut short?")
    return source.error(at, f"{wanted} is needed here")
