"""A data list that fits in memory: its constants and nested braces.

For attributes, for values of user-defined types, and for those blocks of a variable's data that
the fast parser in `ncz.cdl.data_list.block_parser` does not handle.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

from ncz.cdl.constants import Constant, Kind, decode_text, parse_constant
from ncz.cdl.lexical import CHARACTER, STRING, unterminated_error
from ncz.errors import shorten
from ncz.model.types import Atomic
from ncz.record import record
from ncz.text.source import SourceText


@record
class Braces:
    """``{items}`` from byte offset `at` to the closing brace at `end`."""

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


def tokenize(source: SourceText, start: int, stop: int) -> Iterator[tuple[bytes, int]]:
    """Yield the text and offset of each constant and mark between two offsets."""
    for match in _TOKEN.finditer(source.buffer, start, stop):
        if match.lastgroup == "blank":
            continue
        if match.lastgroup == "other":
            at = match.start()
            error = unterminated_error(source, at)
            text = match[0].decode("latin-1")
            raise error or source.error(at, f"unexpected `{text}` among values")
        yield match[0], match.start()


def parse_items(source: SourceText, start: int, stop: int) -> list[Item]:
    """Parse the data list between two offsets; [] if it is blank. Raise CdlError if invalid."""
    stack: list[tuple[list[Item], int]] = []
    items: list[Item] = []
    needs_item = True  # else a comma or a brace comes next
    last = b""
    stream = tokenize(source, start, stop)
    for text, at in stream:
        if text == b",":
            if needs_item:
                raise source.error(at, "a value is missing before this comma")
            needs_item = True
        elif text == b"}":
            if not stack:
                raise source.error(at, "this brace has no opening brace")
            if needs_item and last == b",":
                raise source.error(at, "a value is missing before this brace")
            inside, (items, begin) = items, stack.pop()
            items.append(Braces(tuple(inside), begin, at))
            needs_item = False
        elif text == b"(" and items and _is_time(items[-1]) and not needs_item:
            items[-1] = _parse_time(source, stream, items[-1].at)
        elif not needs_item or text in b"()":
            unexpected = shorten(text.decode("utf-8", "replace"))
            raise source.error(
                at, f"unexpected `{unexpected}` after a value", "separate values by commas"
            )
        elif text == b"{":
            stack.append((items, at))
            items = []
        else:
            items.append(parse_constant(source, text, at))
            needs_item = False
        last = text
    if stack:
        raise source.error(stack[-1][1], "this brace is not closed", "close it with `}`")
    if needs_item and last == b",":
        raise source.error(stop, "a value is missing after the last comma")
    return items


def _is_time(item: Item) -> bool:
    return isinstance(item, Constant) and item.kind is Kind.LABEL and item.value == "time"


def _parse_time(source: SourceText, stream: Iterator[tuple[bytes, int]], at: int) -> Constant:
    """Parse ``time("1999-01-01")``, ncgen's only function: hours since 1970 as a double."""
    arguments: list[bytes] = []
    for text, _ in stream:
        if text == b")":
            break
        arguments.append(text)
    text = arguments[0] if len(arguments) == 1 else b""
    match = _DATE.fullmatch(decode_text(text[1:-1])) if text[:1] == b'"' else None
    try:
        if match is None:
            raise ValueError
        year, month, day, clock = match.groups()
        parts = [float(part) for part in (clock or "0").split(":")]
        hours = sum(part / 60**power for power, part in enumerate(parts))
        days = (datetime.date(int(year), int(month), int(day)) - datetime.date(1970, 1, 1)).days
    except ValueError:
        raise source.error(
            at, "time(...) takes one date", 'write it as time("1999-12-31 23:59:59")'
        ) from None
    return Constant(Kind.FLOATING, days * 24.0 + hours, at, Atomic.DOUBLE)
