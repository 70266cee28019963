"""Drawings in SVG: lines, distributions, and maps of chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.text.sizes import format_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.views.page_parts import ChunkCell, ChunkMap


_WIDTH, _HEIGHT = 480, 140
_CELL = 12


def line_chart(values: NDArray[np.float64], label: str) -> str:
    """Draw values as a line with gaps for missing ones.

    A value between two gaps is a dot, as the end of a line of no length.
    """
    halves = values.astype("f8") / 2  # the distance of two is a number
    is_finite = np.isfinite(halves)
    known = halves[is_finite] if is_finite.any() else np.zeros(1)
    low, span = known.min(), np.ptp(known) or 1.0
    step = _WIDTH / max(1, len(halves) - 1)
    paths: list[str] = []
    begins = True
    for number, value in enumerate(halves):
        if is_finite[number]:
            y = _HEIGHT - 4 - (value - low) / span * (_HEIGHT - 8)
            is_alone = begins and not is_finite[number + 1 : number + 2].any()
            dot = "h0" if is_alone else ""
            paths.append(f"{'M' if begins else 'L'}{number * step:.1f} {y:.1f}{dot}")
        begins = not is_finite[number]
    inner = f'<path class="line" d="{"".join(paths)}"/>'
    return _svg("chart", _WIDTH, _HEIGHT, label, inner)


def histogram(counts: tuple[int, ...], label: str) -> str:
    """Draw a distribution as bars."""
    most = max(counts, default=0) or 1
    width = _WIDTH / max(1, len(counts))
    bars = (
        f'<rect class="bar" x="{i * width:.1f}" y="{_HEIGHT - h:.1f}" width="{width - 1:.1f}"'
        f' height="{h:.1f}"><title>{count}</title></rect>'
        for i, count in enumerate(counts)
        for h in ((_HEIGHT - 4) * count / most,)
    )
    return _svg("chart", _WIDTH, _HEIGHT, label, "".join(bars))


def chunk_chart(chunks: ChunkMap, label: str) -> str:
    """Draw a cell for each chunk, or for several: filled if they are stored, stronger if larger."""
    largest = max((cell.size / max(1, cell.count) for cell in chunks.cells), default=0) or 1
    rows = -(-len(chunks.cells) // chunks.columns)
    inner = "".join(_cells(chunks, largest))
    return _svg("cells", chunks.columns * _CELL, rows * _CELL, label, inner, natural=True)


def _cells(chunks: ChunkMap, largest: float) -> Iterator[str]:
    for number, cell in enumerate(chunks.cells):
        y, x = divmod(number, chunks.columns)
        shade = 0.3 + 0.7 * (cell.size / max(1, cell.count)) / largest
        kind = "full" if cell.present == cell.count else "part" if cell.present else "none"
        style = f' style="fill-opacity:{shade:.2f}"' if cell.present else ""
        yield (
            f'<rect class="{kind}" x="{x * _CELL + 1}" y="{y * _CELL + 1}" width="{_CELL - 2}"'
            f' height="{_CELL - 2}"{style}><title>{_describe(cell)}</title></rect>'
        )


def _describe(cell: ChunkCell) -> str:
    if cell.count == 1:
        what = format_size(cell.size) if cell.present else "missing"
        return f"chunk {cell.first}: {what}"
    last = cell.first + cell.count - 1
    return (
        f"chunks {cell.first} to {last}: {cell.present} of {cell.count} stored,"
        f" {format_size(cell.size)}"
    )


def _svg(kind: str, width: int, height: int, label: str, inner: str, natural: bool = False) -> str:
    size = f' width="{width}" height="{height}"' if natural else ' preserveAspectRatio="none"'
    return (
        f'<svg class="{kind}" role="img" aria-label="{label}" viewBox="0 0 {width} {height}"{size}>'
        f"{inner}</svg>"
    )
