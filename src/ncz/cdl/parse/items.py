"""A data list that is small enough to hold: its constants, and its braces within braces.

For attributes, for values of user-defined types, and for those pieces of a variable's data that
the fast ways of `ncz.cdl.parse.numbers` do not cover.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

from ncz.cdl.parse.constants import Constant, Kind, parse_constant, text_of
from ncz.cdl.parse.syntax import CHARACTER, STRING, unterminated
from ncz.model.types import Atomic
from ncz.record import record
from ncz.text.source import Source


@record
class Braces:
    """``{items}`` at byte offset `at`; `end` is that of the closing brace."""

    items: tuple[Item, ...]
    at: int
    end: int


Item = Constant | Braces

_TOKEN = re.compile(
    rb"(?P<blank>[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)"
    rb"|(?P<constant>" + STRING + rb"|" + CHARACTER + rb"|(?:[^\s{},()\"'/;\\]|\\.|/(?![/*]))+)"
    rb"|(?P<mark>[{},()])"
    rb"|(?P<other>.)",
    re.DOTALL,
)
_DATE = re.compile(r"\s*([0-9]{1,4})-([0-9]{1,2})-([0-9]{1,2})(?:[T ]+([0-9:.]+))?\s*Z?\s*")


def tokens(source: Source, start: int, stop: int) -> Iterator[tuple[bytes, int]]:
    """Text and offset of each constant and mark between two offsets, without blanks."""
    for match in _TOKEN.finditer(source.buffer, start, stop):
        if match.lastgroup == "blank":
            continue
        if match.lastgroup == "other":
            at = match.start()
            error = unterminated(source, at)
            found = match[0].decode("latin-1")
            raise error or source.error(at, f"`{found}` cannot stand among values")
        yield match[0], match.start()


def read_items(source: Source, start: int, stop: int) -> list[Item]:
    """The items of the data list between two offsets; [] if it is blank. Raises CdlError."""
    stack: list[tuple[list[Item], int]] = []
    items: list[Item] = []
    wanted = True  # an item may or must come next; else a comma or a brace
    last = b""
    stream = tokens(source, start, stop)
    for text, at in stream:
        if text == b",":
            if wanted:
                raise source.error(at, "a value is missing before this comma")
            wanted = True
        elif text == b"}":
            if not stack:
                raise source.error(at, "this brace closes nothing")
            if wanted and last == b",":
                raise source.error(at, "a value is missing before this brace")
            inside, (items, begin) = items, stack.pop()
            items.append(Braces(tuple(inside), begin, at))
            wanted = False
        elif text == b"(" and items and _is_time(items[-1]) and not wanted:
            items[-1] = _time(source, stream, items[-1].at)
        elif not wanted or text in b"()":
            found = text[:40].decode("utf-8", "replace")
            raise source.error(at, f"`{found}` follows a value", "put a comma between values")
        elif text == b"{":
            stack.append((items, at))
            items = []
        else:
            items.append(parse_constant(source, text, at))
            wanted = False
        last = text
    if stack:
        raise source.error(stack[-1][1], "this brace is not closed", "close it with `}`")
    if wanted and last == b",":
        raise source.error(stop, "a value is missing after the last comma")
    return items


def _is_time(item: Item) -> bool:
    return isinstance(item, Constant) and item.kind is Kind.LABEL and item.value == "time"


def _time(source: Source, stream: Iterator[tuple[bytes, int]], at: int) -> Constant:
    """``time("1999-01-01")``: hours since 1970 as a double, ncgen's only function."""
    arguments: list[bytes] = []
    for text, _ in stream:
        if text == b")":
            break
        arguments.append(text)
    text = arguments[0] if len(arguments) == 1 else b""
    found = _DATE.fullmatch(text_of(text[1:-1])) if text[:1] == b'"' else None
    try:
        if found is None:
            raise ValueError
        year, month, day, clock = found.groups()
        parts = [float(part) for part in (clock or "0").split(":")]
        hours = sum(part / 60**power for power, part in enumerate(parts))
        days = (datetime.date(int(year), int(month), int(day)) - datetime.date(1970, 1, 1)).days
    except ValueError:
        raise source.error(
            at, "time(...) takes one date", 'write it as time("1999-12-31 23:59:59")'
        ) from None
    return Constant(Kind.FLOATING, days * 24.0 + hours, at, Atomic.DOUBLE)
