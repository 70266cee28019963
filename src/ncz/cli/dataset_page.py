"""The page that ``ncz info`` prints: an overview of a dataset."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from ncz.cli.terminal import visible
from ncz.commands.description import CoordinateRange, DatasetInfo, VariableInfo
from ncz.errors import list_names
from ncz.model.tree import Attribute, base_name, parent
from ncz.text.format_values import format_attribute
from ncz.text.sizes import format_ratio, format_size

_FIRST = ("title", "institution", "source", "summary", "comment", "references", "Conventions")
"""Attributes that are shown before others."""

_MOST_ATTRIBUTES, _MOST_LINES = 8, 2
"""Attributes of a group that are shown, and lines of each."""

_LONGEST = 34
"""Columns of the names of variables; the text after a longer name is on the next line."""


def page_lines(info: DatasetInfo, width: int, *, whole: bool = False) -> Iterator[str]:
    """Yield the lines of the page; headings begin a line, and the lines below them are indented.

    Parameters
    ----------
    info
        The dataset.
    width
        The largest number of columns of a line; a longer word has a separate line.
    whole
        Whether to show the attributes of variables, and all attributes of groups.
    """
    by_group: dict[str, list[VariableInfo]] = {}
    for variable in info.variables:
        by_group.setdefault(parent(variable.path), []).append(variable)
    dimensions: dict[str, list[tuple[str, int, bool]]] = {}
    used = {name for variable in info.variables for name in variable.dimensions}
    for fqn, size, is_unlimited in info.dimensions:
        if fqn in used or not info.is_part:
            dimensions.setdefault(parent(fqn), []).append((fqn, size, is_unlimited))
    described = (*info.coordinates, *info.variables)
    coordinates = {v.path: v for v in described if v.role == "coordinate"}
    attributes = {} if info.is_part else dict(info.attributes)
    blocks: list[list[str]] = []
    for fqn in dict.fromkeys(["", *(path for path, _ in info.attributes)]):
        variables = by_group.get(fqn, [])
        sections = [
            ("Dimensions", _dimensions(dimensions.get(fqn, ()), coordinates, width)),
            ("Variables", _variables(variables, "data", width, whole)),
            ("Auxiliary coordinates", _variables(variables, "auxiliary", width, whole)),
            ("Attributes", _attributes(attributes.get(fqn, ()), width, whole)),
        ]
        found = [[title, *lines] for title, lines in sections if lines]
        if fqn and found:
            blocks.append([f"Group {visible(fqn)}"])
        blocks += found
    for number, block in enumerate(blocks):
        yield from ["", *block] if number else block


def storage_line(info: DatasetInfo, width: int) -> Iterator[str]:
    """Yield the line about the storage of a dataset, and of its largest variable."""
    size, stored = info.unpacked, info.stored
    parts = [f"{format_size(size)} of values"]
    if stored is not None:
        ratio = f" (ratio {format_ratio(size / stored)})" if size and stored else ""
        parts = [f"{format_size(stored)} stored, {format_size(size)} of values{ratio}"]
    largest = max(info.variables, key=lambda v: v.unpacked or 0, default=None)
    if largest is not None and largest.chunks and largest.unpacked:
        parts.append(_chunks_of(largest))
    yield from wrap_words(visible(f"Storage: {'; '.join(parts)}"), width)


def wrap_words(text: str, width: int, start: str = "") -> list[str]:
    """Return a text in lines that are broken between words only; later ones are indented."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=start,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _chunks_of(variable: VariableInfo) -> str:
    assert variable.chunks is not None
    assert variable.unpacked is not None
    item = variable.unpacked // max(1, math.prod(variable.shape))
    size = format_size(math.prod(variable.chunks) * item)
    text = f"{variable.path} has chunks of {_lengths(variable.chunks)} ({size})"
    if variable.chunks == variable.shape:
        text = f"{variable.path} is one chunk"
    if variable.shards:
        text += f" in shards of {_lengths(variable.shards)}"
    return f"{text}, {' '.join(variable.codecs) or 'not compressed'}"


def _dimensions(
    dimensions: Sequence[tuple[str, int, bool]],
    coordinates: Mapping[str, VariableInfo],
    width: int,
) -> list[str]:
    """Return a line for each dimension, with the range of its coordinate."""
    rows = []
    for fqn, size, is_unlimited in dimensions:
        coordinate = coordinates.get(fqn)
        text = ""
        if coordinate is not None and coordinate.range is not None:
            text = _range(coordinate.range, coordinate.text("units"))
            calendar = coordinate.text("calendar")
            if coordinate.range.has_dates and calendar not in _USUAL_CALENDARS:
                text += f", calendar {calendar}"
        rows.append((base_name(fqn), f"{size} unlimited" if is_unlimited else str(size), text))
    return _rows(rows, width)


_USUAL_CALENDARS = ("", "standard", "gregorian", "proleptic_gregorian")


def _range(found: CoordinateRange, units: str) -> str:
    """Describe the range of a coordinate: its ends, its step and its units."""
    if found.fault is not None:
        return "cannot be read"
    first, last = map(_with_minutes, found.texts) if found.has_dates else found.texts
    text = first if first == last else f"{first} to {last}"
    if found.step_of_dates is not None:
        text += f", every {found.step_of_dates.removeprefix('1 ')}"
    elif found.step is not None and not found.has_dates:
        text += f" by {found.step:.6g}"
    return f"{text} {units}" if units and not found.has_dates else text


def _with_minutes(date: str) -> str:
    """Return a date whose time of day has minutes, as people write it."""
    return f"{date}:00" if re.search(r" \d\d$", date) else date


_LABELS = ("long_name", "standard_name", "description", "title")
"""Attributes that describe a variable, the best first."""


def _variables(variables: Sequence[VariableInfo], role: str, width: int, whole: bool) -> list[str]:
    rows = []
    details: list[list[str]] = []
    for variable in variables:
        is_shown = variable.role == role or (
            whole and role == "data" and variable.role != "auxiliary"
        )
        if not is_shown:
            continue
        names = ", ".join(map(base_name, variable.dimensions))
        label = next(filter(None, map(variable.text, _LABELS)), "")
        units = variable.text("units")
        text = f"{label} [{units}]" if label and units else label or (f"[{units}]" if units else "")
        form = f"{variable.type} {_lengths(variable.shape)}".rstrip()
        rows.append((f"{base_name(variable.path)}({names})", form, text))
        details.append(
            [f"  {line}" for line in _attributes(variable.attributes, width - 2, True)]
            if whole
            else []
        )
    if not whole:
        return _rows(rows, width)
    return [
        line
        for row, more in zip(rows, details, strict=True)
        for line in [*_rows([row], width), *more]
    ]


def _attributes(attributes: Sequence[Attribute], width: int, whole: bool) -> list[str]:
    known = {a.name: a for a in attributes if not a.name.startswith("_") or whole}
    order = [*(name for name in _FIRST if name in known), *(n for n in known if n not in _FIRST)]
    shown = order if whole else order[:_MOST_ATTRIBUTES]
    longest = min(20, max(map(len, shown), default=0))
    lines: list[str] = []
    for name in shown:
        text = visible(" ".join(format_attribute(known[name]).split()))
        start = f"  {visible(name):{longest}}  "
        found = _wrap_after(text, start, width)
        if len(found) > _MOST_LINES and not whole:
            found = [*found[: _MOST_LINES - 1], _shorten(found[_MOST_LINES - 1], width)]
        lines += found
    if len(order) > len(shown):
        rest = list_names(order[len(shown) :], 4)
        lines += wrap_words(visible(f"and {len(order) - len(shown)} more: {rest}"), width, "  ")
    return lines


def _rows(rows: Sequence[tuple[str, str, str]], width: int) -> list[str]:
    """Return rows in three columns; the last one is wrapped at words."""
    cells = [tuple(map(visible, row)) for row in rows]
    longest = min(_LONGEST, width // 2 - 4)
    name = max((len(row[0]) for row in cells if len(row[0]) <= longest), default=0)
    form = min(24, width // 4, max((len(row[1]) for row in cells), default=0))
    lines: list[str] = []
    for first, second, third in cells:
        start = f"  {first:{name}}  "
        if len(first) > name or len(start + second) > width:
            lines += wrap_words(first, width, "  ")
            start = " " * (name + 4 if name + 4 + len(second) <= width else 6)
        lines += _wrap_after(third, f"{start}{second:{form}}  ", width)
    return lines


def _shorten(line: str, width: int) -> str:
    """Return a line that ends with an ellipsis after a whole word."""
    while len(line) + 4 > width and " " in line.strip():
        line = line.rpartition(" ")[0]
    return f"{line} ..."


def _wrap_after(text: str, start: str, width: int) -> list[str]:
    """Return a text after a start, wrapped at words below itself, or below the start."""
    indent = len(start) if len(start) <= width * 2 // 3 else 6
    room = max(width - indent, 16)
    if not text:
        return [start.rstrip()]
    found = [line.lstrip() for line in wrap_words(text, room)]
    if len(start) > width * 2 // 3:
        return [start.rstrip(), *(" " * indent + line for line in found)]
    return [start + found[0], *(" " * indent + line for line in found[1:])]


def _lengths(lengths: Sequence[int]) -> str:
    return "x".join(map(str, lengths))
