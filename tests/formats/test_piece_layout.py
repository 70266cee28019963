"""The pieces of a variable."""

from __future__ import annotations

from ncz.formats.piece_layout import PieceLayout
from ncz.model.grid import Box


def test_pieces_are_numbered_in_row_major_order():
    layout = PieceLayout(lengths=((2, 1), (4,)), files={}, address="v", format="nc")
    assert layout.counts == (2, 1)
    assert list(layout.numbers()) == [(0, 0), (1, 0)]
    assert layout.grid.shape == (3, 4)
    assert layout.grid.box((1, 0)) == Box((2, 0), (3, 4))
