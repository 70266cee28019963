"""The levels of a data list, and the runs in them."""

from __future__ import annotations

import pytest

from ncz.cdl.data_list.block_index import BlockIndex, ListShape
from ncz.cdl.data_list.index import index_data
from ncz.cdl.syntax_tree import DataList
from ncz.errors import CdlError
from ncz.text.source import SourceText


def index(text: str, levels: int = 2, limit: int | None = None) -> BlockIndex:
    data = text.encode()
    shape = ListShape(levels=levels, limit=limit, what="v")
    return index_data(SourceText(data, "f.cdl"), DataList(0, len(data)), shape)


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("{1}", [1, 1]),
        ("{1, 2}, {3}", [2, 2]),
        (" { 1 , 2 } , { 3,4,5 } ", [2, 3]),
        ("{}, {1}", [2, 1]),
        ("{1}, // {2, 3}\n {4}", [2, 1]),
    ],
)
def test_the_longest_list_of_each_level(text: str, longest: list[int]):
    assert index(text).longest == longest


def test_three_levels():
    assert index("{{1}, {2, 3}}, {{4, 5, 6}}", levels=3).longest == [2, 2, 3]


def test_blocks_know_the_items_that_they_are_inside():
    found = index("{1, 2}, {3}")
    assert [*found.paths[0]] == [0, 1]


def test_without_levels_the_whole_list_is_a_run():
    assert index("1, 2, 3", levels=1).longest == [3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{1, 2", "this brace is not closed"),
        ("{1}, ", "a value is missing after the last comma"),
        ("{1},, {2}", "a value is missing before `,`"),
        (", {1}", "a value is missing before `,`"),
        ("1, 2", "the values of v need braces here"),
        ("{1} {2}", "a comma is missing here"),
        ("{1}}", "a value is missing before `}`|a comma|brace"),
    ],
)
def test_wrong_braces_and_commas_are_errors(text: str, message: str):
    with pytest.raises(CdlError, match=message):
        index(text)


def test_more_rows_than_the_dimension_has():
    assert index("{1}, {2}", limit=2).longest == [2, 1]
    with pytest.raises(CdlError, match="too many"):
        index("{1}, {2}, {3}", limit=2)
