"""Print open datasets, groups and variables for an interactive session: as text, and as HTML.

The HTML needs no scripts and no other files. All texts of the dataset are escaped. Colours come
from the notebook, so that it can be read on dark backgrounds too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from ncz.errors import shorten
from ncz.model.single_precision import shortest_single
from ncz.record import record

WIDTH = 100
MOST_ATTRIBUTES = 20

Rows = tuple[tuple[str, str], ...]
"""Names and values of a table."""

NO_CODECS = ("Codecs", "none")
"""The row of a variable without codecs, which a text leaves out."""

STYLE = """<style>
.ncz { font-family: monospace; line-height: 1.5; color: inherit; }
.ncz .ncz-title { font-weight: bold; border-bottom: 1px solid rgba(128, 128, 128, 0.5); }
.ncz table { border-collapse: collapse; background: transparent; margin: 0; }
.ncz td, .ncz th { text-align: left; vertical-align: top; padding: 0 1em 0 0; color: inherit;
  background: transparent; border: none; }
.ncz summary { cursor: pointer; font-weight: bold; }
.ncz details { margin-left: 1em; }
.ncz .ncz-dim { opacity: 0.7; }
</style>"""


@record(kw_only=True)
class VariableDescription:
    """The texts about a variable. `storage` has its chunks, shards, codecs and fill value."""

    name: str
    path: str
    shape: str
    type: str
    size: str
    storage: Rows
    attributes: Rows


@record(kw_only=True)
class GroupDescription:
    """The texts about a group and its members; `dimensions` have their lengths."""

    title: str
    dimensions: str
    attributes: Rows
    variables: tuple[VariableDescription, ...]
    groups: tuple[tuple[str, GroupDescription], ...]


def attribute_rows(attributes: Mapping[str, Any]) -> Rows:
    """Return the names of attributes, and their values on one line."""
    return tuple((name, value_text(value)) for name, value in attributes.items())


def value_text(value: Any) -> str:
    """Return the value of an attribute on one line; floats have the digits of their type."""
    if isinstance(value, str):
        return " ".join(value.split())
    if not hasattr(value, "tolist"):
        return repr(value)
    plain = value.tolist()
    if value.dtype == "f4":
        plain = [*map(shortest_single, plain)] if value.ndim else shortest_single(plain)
    return repr(plain)


def codecs_text(codecs: Iterable[Mapping[str, Any]]) -> str:
    """Return codecs with their parameters, or "none"."""
    described = []
    for codec in codecs:
        parameters = ", ".join(f"{k}={v!r}" for k, v in codec.items() if k != "id")
        described.append(f"{codec.get('id')}({parameters})")
    return ", ".join(described) or NO_CODECS[1]


def variable_lines(variable: VariableDescription) -> Iterator[str]:
    """Yield the description of a variable as text."""
    yield f"<ncz.Variable {variable.path} {variable.shape} {variable.type}, {variable.size}>"
    for name, value in variable.storage:
        if (name, value) != NO_CODECS:
            yield f"{name + ':':<13}{value}"
    if not variable.attributes:
        return
    yield "Attributes:"
    printed = variable.attributes[:MOST_ATTRIBUTES]
    longest = max(len(name) for name, _ in printed)
    for name, value in printed:
        yield shorten(f"    {name + ':':<{longest + 1}}  {value}", WIDTH)
    if len(variable.attributes) > len(printed):
        yield f"    ... and {len(variable.attributes) - len(printed)} more"


def variable_html(variable: VariableDescription) -> str:
    """Return the description of a variable as HTML."""
    title = f"ncz.Variable {variable.path} {variable.shape} {variable.type}"
    return _page(title, _variable_parts(variable))


def group_html(group: GroupDescription) -> str:
    """Return the description of a dataset or a group as HTML."""
    return _page(group.title, _group_parts(group))


def table_html(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table below a title as HTML."""
    lines = ["".join(f"<th>{escape(name)}</th>" for name in columns)]
    lines += ["".join(f"<td>{escape(text)}</td>" for text in row) for row in rows]
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    return _page(title, iter((f"<table>{table}</table>",)))


def _page(title: str, parts: Iterator[str]) -> str:
    head = f'<div class="ncz">\n{STYLE}\n<div class="ncz-title">{escape(title)}</div>'
    return "\n".join([head, *parts, "</div>"])


def _group_parts(group: GroupDescription) -> Iterator[str]:
    if group.dimensions:
        yield f"<div>Dimensions: {escape(group.dimensions)}</div>"
    if group.variables:
        summaries = "\n".join(map(_variable_summary, group.variables))
        yield _details(f"Variables ({len(group.variables)})", summaries, is_open=True)
    if group.groups:
        summaries = "\n".join(
            _details(name, "\n".join(_group_parts(below))) for name, below in group.groups
        )
        yield _details(f"Groups ({len(group.groups)})", summaries, is_open=True)
    yield from _attributes(group.attributes)


def _variable_summary(variable: VariableDescription) -> str:
    line = (
        f"<b>{escape(variable.name)}</b> {escape(variable.shape)}"
        f' <span class="ncz-dim">{escape(variable.type)}</span>'
    )
    return (
        f'<details><summary style="font-weight: normal">{line}</summary>\n'
        + "\n".join(_variable_parts(variable))
        + "</details>"
    )


def _variable_parts(variable: VariableDescription) -> Iterator[str]:
    yield _table((("Size", variable.size), *variable.storage))
    yield from _attributes(variable.attributes)


def _attributes(rows: Rows) -> Iterator[str]:
    if rows:
        yield _details(f"Attributes ({len(rows)})", _table(rows))


def _table(rows: Rows) -> str:
    lines = (f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows)
    return f"<table>{''.join(lines)}</table>"


def _details(title: str, inside: str, *, is_open: bool = False) -> str:
    open_attribute = " open" if is_open else ""
    return f"<details{open_attribute}><summary>{escape(title)}</summary>\n{inside}\n</details>"
