"""Index a data list: its levels, and the runs in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.cdl.data_list.block_index import IndexBuilder
from ncz.cdl.data_list.char_runs import index_chars
from ncz.cdl.data_list.value_runs import index_values
from ncz.cdl.syntax_tree import DataList
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from ncz.cdl.data_list.block_index import BlockIndex, ListShape


def index_data(source: SourceText, span: DataList, list_shape: ListShape) -> BlockIndex:
    """Index the data list in `span`, without parsing its values.

    Returns
    -------
    BlockIndex
        Blocks of about 256 kB of text each.

    Raises
    ------
    CdlError
        Braces or commas are wrong, or there are too many values.
    """
    builder = IndexBuilder(source, span, list_shape)
    if list_shape.levels > 1:
        _index_levels(builder)
    else:
        _index_run(builder, span.start)
    return builder.index


def _index_run(builder: IndexBuilder, at: int) -> int:
    """Index the run that begins at `at`; return the offset of its end."""
    index = index_chars if builder.list_shape.text else index_values
    total, end = index(builder, at)
    builder.end_run(total)
    return end


def _index_levels(builder: IndexBuilder) -> None:
    """Walk the braces of all levels but the last, and index each run inside them."""
    source, buffer, stop = builder.source, builder.source.buffer, builder.span.stop
    inner = builder.list_shape.levels - 1
    counts = [0] * inner
    braces = [0] * inner
    level = 0
    at = builder.skip_blank(builder.span.start)
    needs_item, after_comma = True, False
    while at < stop:
        mark = buffer[at : at + 1]
        if mark == b"{" and needs_item:
            if level == 0 and counts[0] == builder.list_shape.limit:
                raise builder.too_many_error(at, "rows")
            builder.path[level] = counts[level]
            braces[level] = at
            level += 1
            if level < inner:
                counts[level] = 0
                at, after_comma = builder.skip_blank(at + 1), False
                continue
            end = _index_run(builder, at + 1)
            if buffer[end : end + 1] != b"}":
                raise source.error(at, "this brace is not closed", "close it with `}`")
            at, mark = end, b"}"
            needs_item, after_comma = False, False
        if mark == b"}" and level and not after_comma:
            level -= 1
            counts[level] += 1
            builder.index.longest[level] = max(builder.index.longest[level], counts[level])
            needs_item = False
        elif mark == b"," and not needs_item:
            needs_item = after_comma = True
        elif mark in (b",", b"}"):
            raise source.error(at, f"a value is missing before `{mark.decode()}`")
        elif needs_item:
            raise source.error(
                at,
                f"the values of {builder.list_shape.what} need braces here",
                "put the values along each unlimited dimension after the first in { }",
            )
        else:
            raise source.error(at, "a comma is missing here")
        at = builder.skip_blank(at + 1)
        after_comma = mark == b","
    if level:
        raise source.error(braces[level - 1], "this brace is not closed", "close it with `}`")
    if after_comma:
        raise source.error(stop, "a value is missing after the last comma")
