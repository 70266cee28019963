"""The chunks of an array as columns."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.reference.key_grid import KeyGrid
from ncz.zmap.reference.reference_table import rows_of

GRID = KeyGrid((2, 3))


def ranges(*indices: tuple[int, int], separator: str = ".") -> ByteRanges:
    return ByteRanges(
        "b.nc",
        np.array(indices),
        np.arange(len(indices)) * 10,
        np.full(len(indices), 10),
        lambda rows: ["v/" + separator.join(map(str, row)) for row in rows.tolist()],
    )


def test_single_chunks_and_parts_of_a_file_are_rows_of_one_table():
    single: dict[str, ByteRange | bytes] = {
        "v/0.0": ByteRange("a.nc", 4, 8),
        "v/0.2": b"data",
        "v/1.0": ByteRange("b.nc"),
    }
    table = rows_of(GRID, 2, single, [ranges((1, 1), (1, 2))])
    assert table is not None
    assert table.names == ["a.nc", "b.nc"]
    assert table.numbers.tolist() == [0, 2, 3, 4, 5]
    assert table.urls.tolist() == [0, -1, 1, 1, 1]
    assert table.offsets.tolist() == [4, 0, 0, 0, 10]
    assert table.lengths.tolist() == [8, 0, 0, 10, 10]
    assert table.held == {2: b"data"}


@pytest.mark.parametrize(
    ("single", "many"),
    [
        ({"v/0.x": ByteRange("a.nc")}, []),
        ({"v/2.0": ByteRange("a.nc")}, []),
        ({}, [ranges((0, 0), (0, 3))]),
        ({}, [ranges((0, 0), separator="/")]),
    ],
)
def test_a_key_that_names_no_chunk_has_no_table(single, many):
    assert rows_of(GRID, 2, single, many) is None
