"""Keys of chunks as numbers."""

from __future__ import annotations

import pytest

from ncz.zmap.key import ChunkKeys
from ncz.zmap.reference.key_grid import KeyGrid, grid_of


def test_keys_of_zarr_v3():
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [5, 3],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
        "chunk_key_encoding": {"name": "default"},
    }
    grid = grid_of(document)
    assert grid == KeyGrid((3, 1), ChunkKeys("/", True))
    assert [grid.name(n) for n in range(3)] == ["c/0/0", "c/1/0", "c/2/0"]
    assert [grid.number(name) for name in ("c/2/0", "2/0", "c/3/0", "c")] == [2, None, None, None]
    assert KeyGrid((), ChunkKeys("/", True)).number("c") == 0


@pytest.mark.parametrize(
    ("grid", "names"),
    [
        (KeyGrid((3, 12)), ["0.0", "2.11", "1.3"]),
        (KeyGrid((3, 12), ChunkKeys("/")), ["2/11", "0/1"]),
        (KeyGrid((3, 12), ChunkKeys("/", True)), ["c/2/11", "c/0/1"]),
        (KeyGrid(()), ["0"]),
        (KeyGrid((), ChunkKeys("/", True)), ["c"]),
    ],
)
def test_the_numbers_of_many_chunks(grid, names):
    assert grid.numbers(names).tolist() == [grid.number(name) for name in names]
    for wrong in (
        "3.0",
        "0.12",
        "00.1",
        "1",
        "0.1.2",
        "-1.0",
        "\u0661.0",
        "x",
        "",
        "9" * 30 + ".0",
    ):
        shown = wrong.replace(".", grid.keys.separator)
        if grid.number(shown) is None:
            assert grid.numbers([*names, shown]) is None
