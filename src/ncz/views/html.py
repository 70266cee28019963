"""Print a description of a dataset as one HTML page, which needs no scripts and no other files."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from ncz._version import __version__
from ncz.record import record
from ncz.text.names import format_size
from ncz.views.picture import COLORMAPS, extent, indices, palette, png

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What is on a page: records without any HTML.

Rows = tuple[tuple[str, str], ...]
"""Names and values of a table."""


@record(kw_only=True)
class Picture:
    """A picture of a variable: a line if `values` has one dimension, a map if it has two.

    `values` are of float64, with NaN for what is missing, thinned to what can be seen. `caption`
    says what part of the variable they are.
    """

    values: NDArray[np.float64]
    caption: str


@record(kw_only=True)
class ChunkCell:
    """Consecutive chunks: the first, their number, how many are stored, and in how many bytes."""

    first: int
    count: int
    present: int
    size: int


@record(kw_only=True)
class ChunkMap:
    """The chunks of a variable in row-major order, `columns` cells in a row."""

    columns: int
    cells: tuple[ChunkCell, ...]


@record(kw_only=True)
class VariablePart:
    """A variable on a page. `heading` is its type and shape."""

    name: str
    heading: str
    facts: Rows
    attributes: Rows
    statistics: Rows = ()
    histogram: tuple[int, ...] = ()
    range: tuple[str, str] = ("", "")
    """The ends of the histogram."""
    picture: Picture | None = None
    chunks: ChunkMap | None = None


@record(kw_only=True)
class GroupPart:
    """A group on a page, with the variables and groups in it."""

    name: str
    dimensions: Rows
    attributes: Rows
    variables: tuple[VariablePart, ...]
    groups: tuple[GroupPart, ...]


@record(kw_only=True)
class Page:
    """A page: a title, a description of the whole dataset, and its root group."""

    title: str
    facts: Rows
    root: GroupPart


# Drawings in SVG: lines, distributions, and maps of chunks.

_WIDTH, _HEIGHT = 480, 140
_CELL = 12


def line_chart(values: NDArray[np.float64], label: str) -> str:
    """Draw values as a line, which has gaps where they are missing."""
    import numpy as np

    is_finite = np.isfinite(values)
    low, high = (
        (values[is_finite].min(), values[is_finite].max()) if is_finite.any() else (0.0, 1.0)
    )
    span = (high - low) or 1.0
    step = _WIDTH / max(1, len(values) - 1)
    paths: list[str] = []
    begins = True
    for number, value in enumerate(values):
        if np.isfinite(value):
            y = _HEIGHT - 4 - (value - low) / span * (_HEIGHT - 8)
            paths.append(f"{'M' if begins else 'L'}{number * step:.1f} {y:.1f}")
        begins = not np.isfinite(value)
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


# A map of values as a PNG picture, in colours from dark blue to yellow.

GRADIENT = f"linear-gradient(90deg, {', '.join(f'rgb{color}' for color in COLORMAPS['dusk'])})"
"""The colours in CSS, from left to right."""


def png_uri(values: NDArray[np.float64]) -> str:
    """Return a picture of the values as a data URI. The least and the largest get the end colours.

    Parameters
    ----------
    values
        Two dimensions, rows from top to bottom. NaN is transparent.
    """
    picture = png(indices(values, *extent(values)), palette())
    return "data:image/png;base64," + b64encode(picture).decode()


# The appearance of a page, on light and on dark screens.

STYLE = (
    f".scale {{ display: block; height: .5rem; margin-top: .25rem; background: {GRADIENT}; }}"
    + """
:root { color-scheme: light dark; --back: #fbfbf9; --card: #fff; --text: #1c2430; --dim: #5b6675;
  --edge: #d8dde3; --accent: #1d6fa5; --gap: #c4473a; --bar: #7fb2d3; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181d; --card: #1b2128; --text: #e4e8ec; --dim: #9aa7b4; --edge: #36414c;
    --accent: #62b0e0; --gap: #ef8175; --bar: #3f7ea6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; background: var(--back);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: .8rem; margin: 1rem 0 .25rem; color: var(--dim); text-transform: uppercase;
  letter-spacing: .04em; }
details { border: 1px solid var(--edge); border-radius: 6px; background: var(--card);
  margin: .5rem 0; padding: 0 .75rem; }
details[open] { padding-bottom: .75rem; }
summary { cursor: pointer; padding: .4rem 0; overflow-wrap: anywhere; }
summary b { margin-right: .75rem; }
summary span, figcaption, .key { color: var(--dim); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .15rem .75rem .15rem 0;
  border-bottom: 1px solid var(--edge); overflow-wrap: anywhere; white-space: pre-wrap; }
th { font-weight: 500; color: var(--dim); width: 11rem; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr));
  gap: 0 2rem; }
figure { margin: .25rem 0 1rem; }
figcaption, .key, .caption { font-size: .85rem; }
.picture { display: block; max-width: 36rem; margin: .25rem 0 .5rem; }
.chart { display: block; width: 100%; height: 9rem; border: 1px solid var(--edge); }
.line { fill: none; stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.bar { fill: var(--bar); }
.cells { display: block; max-width: 100%; height: auto; }
.full, .part { fill: var(--accent); }
.part { stroke: var(--gap); }
.none { fill: none; stroke: var(--gap); stroke-dasharray: 2 2; }
.map { display: block; width: 100%; max-height: 24rem; image-rendering: pixelated;
  border: 1px solid var(--edge); }
.ends { display: flex; justify-content: space-between; font-size: .85rem; color: var(--dim); }
footer { margin-top: 2rem; color: var(--dim); font-size: .85rem; }
"""
)


# Texts of a dataset in HTML: whatever they contain, they are only text.

_LONGEST = 2000
"""Characters of a text that are shown."""


def escaped(text: str) -> str:
    r"""Return a text for HTML, with control characters and undecodable bytes as ``\x1b``.

    So neither markup nor marks that change the direction of text have an effect.
    """
    shortened = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"
    return escape(printable(shortened))


def printable(text: str) -> str:
    r"""Return a text with control characters and undecodable bytes as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _code(c) for c in text)


def _code(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a surrogate escape stands for one byte
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may load for the page: nothing from elsewhere."""

START = '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
GENERATOR = '<meta name="generator" content="ncz'
"""How every page begins, by which an old page is recognised."""

_FEW = 3
"""Variables of a group up to which each is shown unfolded."""


def print_page(page: Page) -> Iterator[str]:
    """Yield the parts of a page as HTML. Texts of the dataset are escaped."""
    title = escaped(page.title)
    yield (
        f'{START}{GENERATOR} {__version__}">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n"
    )
    yield _table(page.facts)
    yield from _group(page.root)
    yield f"</main>\n<footer>Made by ncz {__version__}</footer>\n</body>\n</html>\n"


def _group(group: GroupPart) -> Iterator[str]:
    if group.dimensions:
        yield f"<h3>Dimensions</h3>\n{_table(group.dimensions)}"
    if group.attributes:
        yield f"<h3>Attributes</h3>\n{_table(group.attributes)}"
    if group.variables:
        yield f"<h3>Variables ({len(group.variables)})</h3>\n"
    open_attribute = " open" if len(group.variables) <= _FEW else ""
    for variable in group.variables:
        heading = f"<b>{escaped(variable.name)}</b><span>{escaped(variable.heading)}</span>"
        if variable.picture is not None:  # in the summary, which is seen at once
            heading += _picture(variable.picture, escaped(variable.name))
        yield f'<details class="variable"{open_attribute}><summary>{heading}</summary>\n'
        yield from _variable(variable)
        yield "</details>\n"
    for inner in group.groups:
        heading = f"<b>{escaped(inner.name)}/</b><span>group</span>"
        yield f'<details class="group" open><summary>{heading}</summary>\n'
        yield from _group(inner)
        yield "</details>\n"


def _variable(variable: VariablePart) -> Iterator[str]:
    name = escaped(variable.name)
    yield f'<div class="columns"><section>\n<h3>Storage</h3>\n{_table(variable.facts)}'
    if variable.chunks is not None:
        yield _chunks(variable.chunks, name)
    if variable.attributes:
        yield f"<h3>Attributes</h3>\n{_table(variable.attributes)}"
    yield "</section>\n<section>\n"
    if variable.statistics:
        yield f"<h3>Statistics</h3>\n{_table(variable.statistics)}"
    if variable.histogram:
        low, high = map(escaped, variable.range)
        yield (
            f"<figure>{histogram(variable.histogram, f'distribution of {name}')}"
            f'<div class="ends"><span>{low}</span><span>{high}</span></div></figure>\n'
        )
    yield "</section></div>\n"


def _picture(picture: Picture, name: str) -> str:
    if picture.values.ndim == 1:
        drawing = line_chart(picture.values, f"values of {name}")
    else:
        image = f'<img class="map" alt="map of {name}" src="{png_uri(picture.values)}">'
        drawing = f'{image}<span class="scale"></span>'
    caption = f'<span class="caption">{escaped(picture.caption)}</span>'
    return f'<span class="picture">{drawing}{caption}</span>'


def _chunks(chunks: ChunkMap, name: str) -> str:
    total = sum(cell.count for cell in chunks.cells)
    present = sum(cell.present for cell in chunks.cells)
    several = max((cell.count for cell in chunks.cells), default=1)
    each = "a chunk" if several == 1 else f"up to {several} chunks"
    return (
        f"<h3>Chunks</h3>\n<figure>{chunk_chart(chunks, f'chunks of {name}')}"
        f"<figcaption>{present} of {total} stored. Each cell is {each}, stronger if larger;"
        " dashed cells are missing.</figcaption></figure>\n"
    )


def _table(rows: Rows) -> str:
    lines = "".join(f"<tr><th>{escaped(k)}</th><td>{escaped(v)}</td></tr>\n" for k, v in rows)
    return f"<table>{lines}</table>\n"
