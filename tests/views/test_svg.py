"""Drawings in SVG."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ncz.views.page_parts import ChunkCell, ChunkMap
from ncz.views.svg import chunk_chart, histogram, line_chart


def path(values: list[float]) -> str:
    found = re.search(r' d="([^"]*)"', line_chart(np.array(values), "v"))
    assert found is not None
    return found[1]


def test_a_line_has_gaps_and_dots():
    nan = np.nan
    assert path([0, 1, nan, 2, nan, nan, 1, 0]) == (
        "M0.0 136.0L68.6 70.0M205.7 4.0h0M411.4 70.0L480.0 136.0"
    )
    assert path([nan, nan]) == path([]) == ""
    assert path([7]) == "M0.0 136.0h0"
    assert path([nan, np.inf, 3]) == "M480.0 136.0h0"


@pytest.mark.parametrize("size", [1e-300, 1.0, float(np.finfo("f8").max)])
def test_values_of_any_size_are_within_the_picture(size: float):
    heights = [float(y) for y in re.findall(r" (\S+?)(?=[ML]|$)", path([-size, 0, size]))]
    assert heights == [136, 70, 4]


def test_bars_are_in_proportion():
    heights = re.findall(r' height="(\S+)"><title>(\d+)', histogram((0, 5, 10), "v"))
    assert heights == [("0.0", "0"), ("68.0", "5"), ("136.0", "10")]
    assert "<rect" not in histogram((), "v")
    assert ' height="0.0"' in histogram((0, 0), "v")


def test_cells_show_which_chunks_are_stored():
    cells = (
        ChunkCell(first=0, count=1, present=1, size=1500),
        ChunkCell(first=1, count=1, present=0, size=0),
        ChunkCell(first=2, count=3, present=2, size=100),
    )
    text = chunk_chart(ChunkMap(columns=2, cells=cells), "v")
    assert re.findall(r'class="(full|part|none)"', text) == ["full", "none", "part"]
    assert re.findall("<title>(.*?)</title>", text) == [
        "chunk 0: 1.5 kB",
        "chunk 1: missing",
        "chunks 2 to 4: 2 of 3 stored, 100 B",
    ]
    assert 'viewBox="0 0 24 24"' in text
