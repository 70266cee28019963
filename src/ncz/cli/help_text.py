"""The text of ``--help``: a description, the options in sections, and examples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from inspect import cleandoc

import click

_PARAGRAPHS, _EXAMPLES = 2, 3
"""The parts of the description and of the examples that ``--help`` shows."""

_SENTENCE = r"(?<=\.)\s+(?=[A-Z\[])"
"""The separator between the first sentence of the help of an option and the rest."""


def option_records(
    command: click.Command, ctx: click.Context, titles: Sequence[str], *, is_whole: bool
) -> dict[str, list[tuple[str, str]]]:
    """Return the names and the help of the options, by the `titles` of their sections.

    Unless the help `is_whole`, it has the common options, and their first sentences.
    """
    records: dict[str, list[tuple[str, str]]] = {title: [] for title in titles}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        is_shown = is_whole or getattr(parameter, "common", False)
        if record is not None and is_shown and isinstance(parameter, click.Option):
            entry = record if is_whole else (record[0], re.split(_SENTENCE, record[1])[0])
            records[getattr(parameter, "section", "Options")].append(entry)
    return {title: rows for title, rows in records.items() if rows}


def write_description(
    command: click.Command, formatter: click.HelpFormatter, *, is_whole: bool
) -> None:
    """Write the description, or the first paragraphs of it."""
    text = cleandoc(command.help or "")
    if not is_whole:
        text = "\n\n".join(text.split("\n\n")[:_PARAGRAPHS])
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(text)


def write_options(
    records: Mapping[str, Sequence[tuple[str, str]]], formatter: click.HelpFormatter
) -> None:
    """Write one list of options for each section."""
    for title, rows in records.items():
        with formatter.section(title):
            formatter.write_dl(rows)


def write_examples(
    command: click.Command, formatter: click.HelpFormatter, *, is_whole: bool
) -> None:
    """Write the examples, or the first of them."""
    lines = (command.epilog or "").splitlines()
    most = len(lines) if is_whole else 2 + _EXAMPLES  # below two lines of title
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text("\n".join(lines[:most]))
