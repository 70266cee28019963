"""The stored chunks of a variable in as many cells as can be seen."""

from __future__ import annotations

from ncz.commands.chunk_map import chunk_map
from ncz.errors import ignore_notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.tree import Variable
from ncz.parallel.threads import ThreadPool
from ncz.views.page_parts import ChunkMap
from ncz.zmap.memory import MemoryZmap
from tests.test_round_trip import parsed, stored


def variable(shape: tuple[int, ...], values: str, chunk: str = "1") -> Variable:
    """Return a variable of bytes in chunks of `chunk`."""
    names = [f"d{axis}" for axis in range(len(shape))]
    lengths = " ".join(f"{name} = {size} ;" for name, size in zip(names, shape, strict=True))
    text = (
        f"netcdf a {{ dimensions: {lengths} variables: byte v({', '.join(names)}) ;"
        f" v:_ChunkSizes = {chunk} ; data: v = {values} ; }}"
    )
    zmap = MemoryZmap(stored(parsed(text.encode()), WriteOptions()), "memory://t")
    return open_dataset(zmap, name="t", notify=ignore_notice).root.variables[0]


def mapped(found: Variable) -> ChunkMap:
    with ThreadPool(1 << 20, 1) as pool:
        result = chunk_map(found, pool)
    assert result is not None
    return result


def test_a_small_grid_keeps_its_shape():
    found = mapped(variable((2, 3), "1, _, _, _, _, 6", "1, 1"))
    assert found.columns == 3
    assert [cell.first for cell in found.cells] == [0, 1, 2, 3, 4, 5]
    assert {cell.count for cell in found.cells} == {1}
    assert [found.cells[n].present for n in (0, 5)] == [1, 1]
    assert sum(cell.present for cell in found.cells) == sum(c.size for c in found.cells)


def test_several_chunks_share_a_cell_if_they_are_many():
    found = mapped(variable((600,), ", ".join("7" * 600)))
    assert found.columns == 32
    assert [cell.count for cell in found.cells] == [3] * 200
    assert {(cell.present, cell.size) for cell in found.cells} == {(3, 3)}
    assert found.cells[-1].first == 597


def test_the_last_cell_may_have_fewer_chunks():
    found = mapped(variable((257,), ", ".join("7" * 257)))
    assert [cell.count for cell in found.cells[-2:]] == [2, 1]


def test_data_without_chunks_have_no_map():
    with ThreadPool(1 << 20, 1) as pool:
        (text,) = parsed(b"netcdf a { variables: int v ; data: v = 1 ; }").root.variables
        assert chunk_map(text, pool) is None
