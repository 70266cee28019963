"""The files of the page of the view command: markup, style, and a script of many modules."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "page"

MODULES = (
    "state",
    "elements",
    "numbers",
    "recorded",
    "requests",
    "difference",
    "address",
    "address_parts",
    "variable_list",
    "variable",
    "sliders",
    "rulers",
    "reading",
    "table",
    "value_range",
    "colors",
    "color_chooser",
    "canvas",
    "frame",
    "dates",
    "ticks",
    "axes",
    "coast",
    "placed_cells",
    "map",
    "line",
    "marks",
    "picture",
    "pointer",
    "series",
    "saving",
    "picture_file",
    "csv",
    "tabs",
    "start",
)
"""The modules of the script, in one scope. The last one begins."""


def markup() -> str:
    """Return the HTML of the page."""
    return (_FOLDER / "page.html").read_text(encoding="utf-8")


def style() -> str:
    """Return the style sheet."""
    return (_FOLDER / "page.css").read_text(encoding="utf-8")


def script() -> str:
    """Return the modules as one script."""
    modules = [(_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in MODULES]
    return "\n".join(['"use strict";', *modules])
