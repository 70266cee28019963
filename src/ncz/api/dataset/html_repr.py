"""Descriptions of datasets, groups and variables as HTML, for notebooks.

The HTML needs no scripts and nothing from elsewhere. All texts of the dataset are escaped. Colours
are those of the notebook, so that it can be read on dark backgrounds too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from ncz.api.dataset.text_repr import (
    codecs_text,
    dimensions_text,
    heading,
    shape_text,
    type_text,
    value_text,
)
from ncz.text.format_sizes import format_size

if TYPE_CHECKING:
    from ncz.api.dataset.group import Group
    from ncz.api.dataset.variable import Variable

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


def group_html(group: Group) -> str:
    """Describe a dataset or a group."""
    return _page(heading(group), _group_parts(group))


def variable_html(variable: Variable) -> str:
    """Describe a variable."""
    title = f"ncz.Variable {variable.path} {shape_text(variable)} {type_text(variable)}"
    return _page(title, _variable_parts(variable))


def _page(title: str, parts: Iterator[str]) -> str:
    head = f'<div class="ncz">\n{STYLE}\n<div class="ncz-title">{escape(title)}</div>'
    return "\n".join([head, *parts, "</div>"])


def _group_parts(group: Group) -> Iterator[str]:
    if group.dims:
        yield f"<div>Dimensions: {escape(dimensions_text(group))}</div>"
    if group.variables:
        listed = "\n".join(map(_variable_summary, group.variables.values()))
        yield _details(f"Variables ({len(group.variables)})", listed, is_open=True)
    if group.groups:
        listed = "\n".join(
            _details(name, "\n".join(_group_parts(below))) for name, below in group.groups.items()
        )
        yield _details(f"Groups ({len(group.groups)})", listed, is_open=True)
    yield from _attributes(group.attrs)


def _variable_summary(variable: Variable) -> str:
    line = (
        f"<b>{escape(variable.name)}</b> {escape(shape_text(variable))}"
        f' <span class="ncz-dim">{escape(type_text(variable))}</span>'
    )
    return (
        f'<details><summary style="font-weight: normal">{line}</summary>\n'
        + "\n".join(_variable_parts(variable))
        + "</details>"
    )


def _variable_parts(variable: Variable) -> Iterator[str]:
    rows = {"Size": format_size(variable.nbytes)}
    if variable.chunks is not None and variable.ndim:
        rows["Chunks"] = str(variable.chunks)
    if variable.shards is not None:
        rows["Shards"] = str(variable.shards)
    rows["Codecs"] = codecs_text(variable)
    if variable.fill_value is not None:
        rows["Fill value"] = value_text(variable.fill_value)
    yield _table(rows)
    yield from _attributes(variable.attrs)


def _attributes(attributes: Mapping[str, Any]) -> Iterator[str]:
    if attributes:
        rows = {name: value_text(value) for name, value in attributes.items()}
        yield _details(f"Attributes ({len(rows)})", _table(rows))


def _table(rows: Mapping[str, str]) -> str:
    lines = (f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows.items())
    return f"<table>{''.join(lines)}</table>"


def _details(title: str, inside: str, *, is_open: bool = False) -> str:
    opened = " open" if is_open else ""
    return f"<details{opened}><summary>{escape(title)}</summary>\n{inside}\n</details>"
