"""Print a description of a dataset as one HTML page, which needs no scripts and no other files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz._version import __version__
from ncz.views.html_style import STYLE
from ncz.views.html_text import escape_html
from ncz.views.png_map import png_uri
from ncz.views.svg import chunk_chart, histogram, line_chart

if TYPE_CHECKING:
    from ncz.views.page_parts import ChunkMap, GroupPart, Page, Picture, Rows, VariablePart


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Resources that a browser may load for the page: nothing from elsewhere."""

START = '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
GENERATOR = '<meta name="generator" content="ncz'
"""The beginning of every page, which identifies an old page."""

_MOST_UNFOLDED = 3
"""Limit of the variables of a group that are shown unfolded."""


def print_page(page: Page) -> Iterator[str]:
    """Yield the parts of a page as HTML. Texts of the dataset are escaped."""
    title = escape_html(page.title)
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
    open_attribute = " open" if len(group.variables) <= _MOST_UNFOLDED else ""
    for variable in group.variables:
        heading = f"<b>{escape_html(variable.name)}</b><span>{escape_html(variable.heading)}</span>"
        if variable.picture is not None:  # in the summary, which is visible without a click
            heading += _picture(variable.picture, escape_html(variable.name))
        yield f'<details class="variable"{open_attribute}><summary>{heading}</summary>\n'
        yield from _variable(variable)
        yield "</details>\n"
    for inner in group.groups:
        heading = f"<b>{escape_html(inner.name)}/</b><span>group</span>"
        yield f'<details class="group" open><summary>{heading}</summary>\n'
        yield from _group(inner)
        yield "</details>\n"


def _variable(variable: VariablePart) -> Iterator[str]:
    name = escape_html(variable.name)
    yield f'<div class="columns"><section>\n<h3>Storage</h3>\n{_table(variable.facts)}'
    if variable.chunks is not None:
        yield _chunks(variable.chunks, name)
    if variable.attributes:
        yield f"<h3>Attributes</h3>\n{_table(variable.attributes)}"
    yield "</section>\n<section>\n"
    if variable.statistics:
        yield f"<h3>Statistics</h3>\n{_table(variable.statistics)}"
    if variable.histogram:
        low, high = map(escape_html, variable.range)
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
    caption = f'<span class="caption">{escape_html(picture.caption)}</span>'
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
    lines = "".join(
        f"<tr><th>{escape_html(k)}</th><td>{escape_html(v)}</td></tr>\n" for k, v in rows
    )
    return f"<table>{lines}</table>\n"
