"""Scan a JSON text to a tree of objects with the offset of every value; lists are only delimited.

The standard library's parser would make a Python object of each number in gigabytes of data,
without its offset. Here the members of objects are scanned one by one, and the standard library
parses lists later, block by block.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ncz.errors import shorten
from ncz.model.json_encoding import NONFINITE
from ncz.record import record
from ncz.text.source import SourceText

_BLANK = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD = re.compile(rb'[^\s,:{}\[\]"]+')
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


@record
class Scalar:
    """A text, a number, true, false or null, from byte offset `at` to `stop`."""

    at: int
    stop: int


@record
class List:
    """A list from byte offset `at` to `stop`, with its brackets; its contents are not scanned."""

    at: int
    stop: int


@record
class Object:
    """An object; `keys` has the offset of each member's key."""

    at: int
    stop: int
    members: dict[str, Node]
    keys: dict[str, int]


Node = Scalar | List | Object


def scan(source: SourceText) -> Object:
    """Scan a whole text, which is one object. Raise CdlError if it is not valid JSON."""
    at = _skip(source, 3 if source.buffer[:3] == b"\xef\xbb\xbf" else 0)
    node = _scan_value(source, at)
    if not isinstance(node, Object):
        raise source.error(at, "expected an object", "begin with {")
    end = _skip(source, node.stop)
    if end < len(source.buffer):
        raise source.error(end, "unexpected text after the end of the document", "remove it")
    return node


def parse_node(source: SourceText, node: Node) -> Any:
    """Parse a value with the standard library. Raise CdlError if it is not valid JSON."""
    return parse_json(source, source.buffer[node.at : node.stop], node.at)


def parse_json(source: SourceText, text: bytes, at: int) -> Any:
    """Parse part of the text from byte offset `at` on; `text` may replace it byte by byte."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise source.encoding_error(at + error.start) from None
    try:
        return json.loads(decoded, parse_constant=lambda word: NONFINITE[word], strict=False)
    except json.JSONDecodeError as error:
        place = at + len(decoded[: error.pos].encode())
        raise source.error(place, "this is not valid JSON", _hint(error.msg)) from None
    except ValueError as error:  # an integer of thousands of digits
        raise source.error(at, f"this is not valid JSON: {error}") from None
    except (RecursionError, MemoryError):  # each version of Python has its own limit
        raise source.error(at, "this is nested too deeply", "write fewer levels") from None


def _hint(message: str) -> str:
    return message[:1].lower() + message[1:]


def _skip(source: SourceText, at: int) -> int:
    blank = _BLANK.match(source.buffer, at)
    return blank.end() if blank else at


def _scan_value(source: SourceText, at: int) -> Node:
    mark = source.buffer[at : at + 1]
    if mark == b"{":
        return _scan_object(source, at)
    if mark == b"[":
        return List(at, _find_end_of_list(source, at))
    pattern = _STRING if mark == b'"' else _WORD
    match = pattern.match(source.buffer, at)
    if match is None:
        raise _expected_error(source, at, "a value")
    return Scalar(at, match.end())


def _scan_object(source: SourceText, at: int) -> Object:
    members: dict[str, Node] = {}
    keys: dict[str, int] = {}
    begin = at
    at = _skip(source, at + 1)
    if source.buffer[at : at + 1] == b"}":
        return Object(begin, at + 1, members, keys)
    while True:
        match = _STRING.match(source.buffer, at)
        if match is None:
            raise _expected_error(source, at, "a key in double quotes")
        key: str = parse_json(source, match[0], at)
        if key in members:
            raise source.error(at, f'the member "{shorten(key)}" is given twice')
        keys[key] = at
        at = _skip(source, match.end())
        if source.buffer[at : at + 1] != b":":
            raise _expected_error(source, at, "a colon")
        node = _scan_value(source, _skip(source, at + 1))
        members[key] = node
        at = _skip(source, node.stop)
        mark = source.buffer[at : at + 1]
        if mark == b"}":
            return Object(begin, at + 1, members, keys)
        if mark != b",":
            raise _expected_error(source, at, "a comma or }")
        at = _skip(source, at + 1)


def _find_end_of_list(source: SourceText, at: int) -> int:
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


def _expected_error(source: SourceText, at: int, expected: str) -> Exception:
    size = len(source.buffer)
    if at >= size:
        return source.error(
            size, f"the text ends where {expected} is expected", "check whether it is truncated"
        )
    return source.error(at, f"expected {expected}")
