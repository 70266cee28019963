"""Index a run of values: count the commas of plain numbers, and scan everything else by mark.

A block never begins or ends inside a string, a comment or a value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ncz.cdl.data_list import block_index
from ncz.cdl.lexical import CHARACTER, COMMENT, STRING
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.cdl.data_list.block_index import IndexBuilder


_MARKS = re.compile(
    rb"(?P<blank>//[^\n]*|/\*.*?\*/)|\\.|" + STRING + rb"|" + CHARACTER + rb"|[{},]", re.DOTALL
)
_STRINGS = re.compile(
    rb'(?:[ \t\r\n\f\v]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|_|NIL)[ \t\r\n\f\v]*+,)*+', re.DOTALL
)
"""Strings, ``_`` and ``NIL``, each with a comma after it."""


def index_values(builder: IndexBuilder, at: int) -> tuple[int, int]:
    """Index the run that begins at `at`.

    Returns
    -------
    count : int
        Number of values in the run.
    end : int
        Offset of the closing brace, or the end of the list.
    """
    buffer, stop = builder.source.buffer, builder.span.stop
    nested = builder.list_shape.levels > 1
    total = 0
    while True:
        end = buffer.find(b"}", at, stop) if nested else stop
        end = stop if end < 0 else end
        cut, count = _plain_block(builder, at, end, nested)
        is_last = cut == end
        if not cut:
            cut, count = _block_of_strings(builder, at)
        if not cut:
            cut, count, is_last = _scan_block(builder, at, nested)
        if not is_last:
            total = builder.add_block(at, cut - 1, total, count)
            at = cut
            continue
        if count == 1 and builder.skip_blank(at) >= cut:
            if total:
                raise builder.source.error(cut, "a value is missing after the last comma")
            return 0, cut
        return builder.add_block(at, cut, total, count), cut


def _plain_block(builder: IndexBuilder, at: int, end: int, nested: bool) -> tuple[int, int]:
    """Return the end of a block without braces and strings, and its number of values.

    (0, 0) if the block is not that simple.
    """
    buffer = builder.source.buffer
    cut = end
    if end - at > builder.block:
        comma = buffer.find(b",", at + builder.block, end)
        if comma >= at + 2 * builder.block:  # no number is that long: this is a huge comment
            return 0, 0
        cut = end if comma < 0 else comma + 1
    text = buffer[at:cut]
    if any(mark in text for mark in b"{\"'\\") or (nested and b"/" in text):
        return 0, 0
    if b"/" in text:
        text = COMMENT.sub(lambda comment: b" " * len(comment[0]), text)
        if b"/" in text:
            return 0, 0
        if cut < end:  # the cut may have been inside a comment
            cut = at + text.rfind(b",") + 1
            text = text[: cut - at]
            if not text:
                return 0, 0
    return cut, _count_commas(text) + (cut == end)


def _block_of_strings(builder: IndexBuilder, at: int) -> tuple[int, int]:
    """Return the end of a full block of strings and its number of values; otherwise (0, 0)."""
    end = _STRINGS.match(builder.source.buffer, at, min(builder.span.stop, at + 2 * builder.block))
    if end is None or end.end() - at < builder.block:
        return 0, 0
    text = builder.source.buffer[at : end.end()].replace(b"\\\\", b"").replace(b'\\"', b"")
    codes = np.frombuffer(text, np.uint8)
    is_quoted = np.logical_xor.accumulate(codes == ord('"'))
    return end.end(), int(np.count_nonzero((codes == ord(",")) > is_quoted))


def _count_commas(text: bytes) -> int:
    """Return the number of commas: with numpy, which is faster, if the text is long."""
    if len(text) < block_index.BLOCK:
        return text.count(b",")

    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(b",")))


def _scan_block(builder: IndexBuilder, at: int, nested: bool) -> tuple[int, int, bool]:
    """Return the end of any block, its number of values, and whether it is the run's last."""
    depth, count = 0, 1
    begin, stop = at, builder.span.stop
    for mark in _MARKS.finditer(builder.source.buffer, at, stop):
        text = mark[0]
        if text == b",":
            if depth == 0:
                if mark.end() - begin > builder.block:
                    return mark.end(), count, False
                count += 1
        elif text == b"{":
            depth += 1
        elif text == b"}":
            if depth == 0 and nested:
                return mark.start(), count, True
            depth -= 1
    return stop, count, True
