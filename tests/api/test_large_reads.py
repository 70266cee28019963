"""An index that selects more than memory can hold."""

from __future__ import annotations

import numpy as np
import pytest

import ncz
from ncz.api import large_reads
from ncz.model.grid import ChunkGrid

CDL = """netcdf x { dimensions: t = 4000000 ; y = 2000000 ; variables:
  double v(t, y) ; v:_ChunkSizes = 1, 1000 ; string s(t, y) ; s:_ChunkSizes = 1, 1000 ; }"""


@pytest.fixture
def store(run, tmp_path):
    path = tmp_path / "x.zarr"
    assert run("gen", "-", "-o", path, "-q", stdin=CDL).code == 0
    return path


@pytest.mark.parametrize("name", ["v", "s"])
def test_all_of_a_large_variable_is_refused_with_the_way(store, name):
    with ncz.open(store) as ds, pytest.raises(MemoryError) as caught:
        ds[name][:]
    assert f"/{name}: the index selects 64 TB, and" in str(caught.value)
    assert "read parts, such as v[:100]" in str(caught.value)
    assert isinstance(caught.value, ncz.NczError)


def test_parts_of_a_large_variable_are_read(store):
    with ncz.open(store) as ds:
        assert ds["v"][1, 5:7].shape == (2,)
        assert ds["v"][::1000000, ::500000].shape == (4, 4)


def test_chunks_between_the_indices_cost_nothing(store, monkeypatch):
    asked = []
    box = ChunkGrid.box

    def counted(grid, index):
        asked.append(index)
        return box(grid, index)

    monkeypatch.setattr(ChunkGrid, "box", counted)
    with ncz.open(store) as ds:
        assert ds["v"][::1000000, ::500000].shape == (4, 4)
    assert len(asked) < 200


def test_a_selection_that_fits_is_read(store, monkeypatch):
    monkeypatch.setattr(large_reads, "_CHECKED", 8)
    with ncz.open(store) as ds:
        assert ds["v"][0, :9].dtype == np.float64
        monkeypatch.setattr(large_reads, "free_memory", lambda: 71)
        with pytest.raises(MemoryError, match="selects 72 B, and 71 B of memory are free"):
            ds["v"][0, :9]
        monkeypatch.setattr(large_reads, "free_memory", lambda: None)
        assert ds["v"][0, :9].shape == (9,)
