"""Slabs are printed in pieces: whole rows, or a part of one."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model import slabs
from ncz.model.grid import Box, whole
from ncz.model.slabs import piece_sizes
from tests.conftest import Run


@given(st.lists(st.integers(1, 9), max_size=3), st.integers(1, 12))
def test_pieces_are_whole_rows_or_a_part_of_one(shape, most):
    box = whole(tuple(shape))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slabs, "SLAB", most)
        sizes = list(piece_sizes(box))
    columns = shape[-1] if shape else 1
    assert sum(sizes) == box.size
    assert max(sizes) <= most
    starts = itertools.accumulate([0, *sizes[:-1]])
    for start, size in zip(starts, sizes, strict=True):
        is_part = start % columns + size <= columns
        assert is_part or (start % columns == 0 == size % columns)


def test_the_pieces_of_a_long_row_take_little_memory():
    sizes = list(piece_sizes(Box((0, 0), (2, 1 << 24))))
    assert set(sizes) == {1 << 20}
    assert len(sizes) == 32


@pytest.mark.parametrize("options", [[], ["--json"], ["-f", "c"]], ids=["cdl", "json", "full"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_text_does_not_depend_on_the_pieces(run: Run, tmp_path, monkeypatch, options, jobs):
    numbers = ", ".join(map(str, range(60)))
    letters = '"' + "a" * 20 + '", "b", "' + "c" * 20 + '"'
    text = f"""netcdf x {{ dimensions: a = 3 ; b = 20 ; variables: int v(a, b) ; char c(a, b) ;
        string s(b) ; data: v = {numbers} ; c = {letters} ; s = "x", "y" ; }}"""
    assert run("gen", "-o", tmp_path / "x.zarr", "-", stdin=text.encode()).code == 0
    expected = run("dump", *options, tmp_path / "x.zarr")
    monkeypatch.setattr(slabs, "SLAB", 7)
    found = run("dump", "-j", jobs, *options, tmp_path / "x.zarr")
    assert (found.code, found.text) == (0, expected.text)
