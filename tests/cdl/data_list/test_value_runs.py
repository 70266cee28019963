"""Runs of values: their number, and their ends."""

from __future__ import annotations

import pytest

from ncz.cdl.data_list.block_index import IndexBuilder, ListShape
from ncz.cdl.data_list.value_runs import index_values
from ncz.cdl.syntax_tree import DataList
from ncz.errors import CdlError
from ncz.text.source import SourceText


def builder_of(text: str, block: int, levels: int) -> IndexBuilder:
    source = SourceText(text.encode(), "f.cdl")
    shape = ListShape(levels=levels, limit=None, what="/v")
    return IndexBuilder(source, DataList(0, len(source.buffer)), shape, block=block)


@pytest.mark.parametrize("block", [1, 5, 1000])
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1", 1),
        ("1, 2,3", 3),
        ("1, /* 2, */ 3 // 4,\n, 5", 3),
        ('"a,b", "c", "\\",", _', 4),
        ("{1, 2}, {3}", 2),
        ("',', '}', 7", 3),
        ("1.5e3, NaN, _, -7s", 4),
        ("", 0),
        ("  // nothing\n", 0),
    ],
)
def test_values_are_counted(block, text, count):
    builder = builder_of(text, block, levels=1)
    assert index_values(builder, 0) == (count, len(text))


@pytest.mark.parametrize("block", [1, 1000])
@pytest.mark.parametrize(
    ("text", "count"),
    [("1, 2}, {3}", 2), ("}", 0), ('"}", 2}', 2), ("1 /* } */, 2}", 2), ("{1, 2}, 3}, 4", 2)],
)
def test_a_run_ends_at_its_brace(block, text, count):
    builder = builder_of(text, block, levels=2)
    found, end = index_values(builder, 0)
    assert found == count
    assert text[end] == "}"


def test_blocks_are_of_whole_values():
    text = ", ".join(map(str, range(100, 150)))
    builder = builder_of(text, 20, levels=1)
    index_values(builder, 0)
    sizes = [len(part.split(",")) for part in _blocks(builder)]
    assert len(sizes) > 3
    assert sum(sizes) == 50


def _blocks(builder: IndexBuilder) -> list[str]:
    index = builder.index
    return [
        builder.source.buffer[start:stop].decode()
        for start, stop in zip(index.starts, index.stops, strict=True)
    ]


def test_a_comma_without_a_value():
    with pytest.raises(CdlError, match="a value is missing after the last comma"):
        index_values(builder_of("1, 2,", 2, levels=1), 0)
