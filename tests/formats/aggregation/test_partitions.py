"""Grids of partitions, from the parts of an array that pieces cover."""

from __future__ import annotations

import pytest

from ncz.formats.aggregation.partitions import GridError, Piece, dotted_number, partitions_of
from ncz.model.grid import Box


def located(*parts: tuple[tuple[int, int], ...]) -> list[tuple[Box, Piece]]:
    return [
        (
            Box(tuple(a for a, _ in part), tuple(b for _, b in part)),
            Piece(files=(f"{n}.nc",), address="v", number=(n,)),
        )
        for n, part in enumerate(parts)
    ]


@pytest.mark.parametrize(
    ("shape", "parts", "borders", "indices"),
    [
        ((5,), [((0, 3),), ((3, 5),)], ((0, 3, 5),), [(0,), (1,)]),
        ((5,), [((3, 5),), ((0, 3),)], ((0, 3, 5),), [(1,), (0,)]),
        ((5,), [((1, 3),)], ((0, 1, 3, 5),), [(1,)]),
        ((5,), [], ((0, 5),), []),
        ((2, 4), [((0, 2), (0, 1)), ((0, 2), (1, 4))], ((0, 2), (0, 1, 4)), [(0, 0), (0, 1)]),
        ((), [()], (), [()]),
    ],
)
def test_borders_match_the_parts(shape, parts, borders, indices):
    found = partitions_of(shape, located(*parts))
    assert found.grid.borders == borders
    assert [*found.pieces] == indices
    assert [piece.number for piece in found.pieces.values() if isinstance(piece, Piece)] == [
        (n,) for n in range(len(parts))
    ]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([((0, 3),), ((2, 5),)], "partition 0 does not fit a grid with the others"),
        ([((0, 5),), ((0, 5),)], "partition 1 is defined twice"),
        ([((0, 6),)], "partition 0 covers 0 to 6 of a dimension of length 5"),
        ([((0, 2),), ((2, 2),)], "partition 1 covers 2 to 2 of a dimension"),
        ([((-1, 2),)], "partition 0 covers -1 to 2"),
    ],
)
def test_parts_that_form_no_grid(parts, message):
    with pytest.raises(GridError, match=message):
        partitions_of((5,), located(*parts))


@pytest.mark.parametrize(("number", "text"), [((), "0"), ((3,), "3"), ((3, 0), "3.0")])
def test_numbers_in_messages(number, text):
    assert dotted_number(number) == text
