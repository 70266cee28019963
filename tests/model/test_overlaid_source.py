"""Values that replace others at some indices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.data import MemoryArray, read_all
from ncz.model.grid import ChunkGrid
from ncz.model.overlaid_source import OverlaidSource, Place, touched_chunks
from ncz.model.types import Atomic


@st.composite
def overlays(draw: st.DrawFn):
    """Return old values, new ones, and the indices of these along each dimension, in any order."""
    shape = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple))
    chunks = tuple(draw(st.integers(1, n)) for n in shape)
    indices = [
        np.array(draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))) for n in shape
    ]
    old = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    new = -1 - np.arange(np.prod([each.size for each in indices]), dtype="i4")
    return old, chunks, indices, new.reshape([each.size for each in indices])


@given(overlays())
def test_it_has_the_result_of_an_assignment(overlay):
    old, chunks, indices, new = overlay
    places = []
    for each in indices:
        order = np.argsort(each)
        is_sorted = bool((np.diff(each) > 0).all())
        places.append(Place(each[order], None if is_sorted else order))
    grid = ChunkGrid(old.shape, chunks)
    patch = MemoryArray(new, Atomic.INT)
    source = OverlaidSource(MemoryArray(old, Atomic.INT, chunks), patch, tuple(places))
    wanted = old.copy()
    wanted[np.ix_(*indices)] = new
    assert np.array_equal(read_all(source), wanted)
    changed = {index for index in grid.indices() if (wanted != old)[grid.box(index).slices].any()}
    assert set(touched_chunks(grid, places)) == changed
