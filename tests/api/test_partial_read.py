"""Selected positions of chunks, read in threads."""

from __future__ import annotations

import numpy as np
import pytest

import ncz
from ncz.api import partial_read
from ncz.api.indexing import divide_mask
from ncz.api.partial_read import read_positions
from ncz.model.data import MemoryArray
from ncz.model.grid import ChunkGrid
from ncz.model.types import Atomic
from tests.api.test_indexing import Counted, read


def test_booleans_for_each_element_read_the_chunks_of_those_selected():
    values = np.arange(64, dtype="i4").reshape(8, 8)
    source = Counted(values, ChunkGrid((8, 8), (2, 2)))
    lists, chosen = divide_mask((values % 27 == 1,), (8, 8)) or pytest.fail("no array of booleans")
    assert read(source, lists)[chosen].tolist() == [1, 28, 55]
    assert len(source.read) == 9
    with pytest.raises(IndexError, match=r"shape \(8, 7\) do not fit"):
        divide_mask(values[:, 1:] > 3, (8, 8))


def test_threads_give_the_same():
    values = np.arange(1 << 20, dtype="i4").reshape(1024, 1024)
    source = MemoryArray(values, Atomic.INT, (100, 300))
    np.testing.assert_array_equal(read(source, np.s_[::-1, 5:], threads=4), values[::-1, 5:])


def test_positions_beyond_the_data_are_fill():
    source = MemoryArray(np.array([1, 2, 3], "i4"), Atomic.INT, (2,), -7)
    assert read_positions(source, (range(1, 6),), 1).tolist() == [2, 3, -7, -7, -7]
    assert read_positions(source, (np.array([4, 0]),), 1).tolist() == [-7, 1]


@pytest.fixture
def store(run, tmp_path):
    text = "netcdf x { dimensions: y = 3 ; x = 40000 ; variables: short v(y, x) ; }"
    path = tmp_path / "x.zarr"
    assert run("gen", "-", "-o", path, "-q", stdin=text).code == 0
    with ncz.open(path, "r+") as ds:
        ds["v"][...] = np.arange(120_000).reshape(3, 40_000) % 30_000
    return path


def few(function):
    """Return a function that refuses to look at more than a hundred numbers."""

    def refused(*values):
        assert len(values) > 1 or len(values[0]) <= 100
        return function(*values)

    return refused


@pytest.mark.parametrize("rows", [slice(None), slice(1, 2), [2, 0]], ids=str)
def test_no_look_at_each_position_of_a_range(store, rows, monkeypatch):
    for name, function in (("min", min), ("max", max)):
        monkeypatch.setattr(partial_read, name, few(function), raising=False)
    expected = np.arange(120_000).reshape(3, 40_000) % 30_000
    with ncz.open(store) as ds:
        assert np.array_equal(ds["v"][rows, :], expected[rows])


def test_one_list_of_indices_keeps_the_slices_of_other_axes():
    rows, columns = np.array([2, 0]), slice(0, 4)
    assert partial_read._orthogonal([rows, columns]) == (rows, columns)
    both = partial_read._orthogonal([rows, rows, columns])
    assert [np.asarray(along).size for along in both] == [2, 2, 4]
