"""The blocks of a list in a text."""

from __future__ import annotations

from ncz.text.blocks import TextBlocks


def test_a_block_is_a_row_of_the_columns():
    blocks = TextBlocks()
    blocks.add(10, 25, 0, 4)
    blocks.add(26, 30, 4, 2)
    columns = (blocks.starts, blocks.stops, blocks.firsts, blocks.counts)
    assert [column.tolist() for column in columns] == [[10, 26], [25, 30], [0, 4], [4, 2]]
