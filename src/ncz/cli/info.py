"""``ncz info``: describe a dataset, its storage and its values, as text or as JSON."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from typing import Any

import click

from ncz.cli.command import command
from ncz.cli.description import info_json, info_lines
from ncz.cli.options import json_option, option
from ncz.cli.several_datasets import is_no_variable
from ncz.cli.source_options import (
    KEEP_GOING,
    LIMITS,
    SELECTION,
    VARIABLES,
    dataset_options,
    locate_source,
)
from ncz.cli.spellings import arguments_of, given_arguments, spelling
from ncz.cli.terminal import Terminal, columns, print_json, standard_output, terminal_of
from ncz.commands.info import info as describe
from ncz.errors import Callbacks, note_on_interrupt

SPELLINGS = {
    **VARIABLES,
    **SELECTION,
    "stats": spelling(
        "--stats/--no-stats",
        section="Selection",
        common=True,
        help="Read all values; add minimum, maximum, mean, std and missing counts. The default with"
        " --html.",
    ),
    "sources": spelling(
        "--sources",
        section="Selection",
        common=True,
        help="List the files that STORE refers to, with their sizes, and whether they have"
        " changed.",
    ),
    **LIMITS,
    **KEEP_GOING,
}


@command(
    "info",
    "ncz info weather.zarr",
    "ncz info --stats -v t2m,wind weather.zarr",
    "ncz info --json s3://bucket/key.zarr",
    "ncz info --html weather.html weather.zarr",
)
@click.argument("source", metavar="STORE")
@click.argument("names", metavar="[VAR]...", nargs=-1)
@arguments_of(describe, SPELLINGS)
@json_option("Print the description as JSON.")
@option(
    "--storage",
    is_flag=True,
    section="Output",
    common=True,
    help="Add a table of the storage of each variable.",
)
@option(
    "--html",
    "page",
    metavar="FILE",
    section="Output",
    common=True,
    help="Write a page with attributes, statistics, pictures and chunks. - is standard output.",
)
@dataset_options
def info(
    ctx: click.Context,
    /,
    source: str,
    names: tuple[str, ...],
    as_json: bool,
    storage: bool,
    page: str | None,
    **values: Any,
) -> None:
    """Describe a dataset: dimensions and coordinates, variables, attributes and storage.

    STORE is a path or URL of anything that ncz reads; - is standard input. VAR are the
    variables to describe with their attributes, as with -v, or further datasets. Of values,
    only coordinates are read without --stats and --html; they are unpacked and masked as xarray
    does.
    """
    if page is not None and as_json:
        raise click.UsageError("--html cannot be used with --json")
    others = [name for name in names if is_no_variable(name)]
    if others and page is not None:
        raise click.UsageError("--html describes one dataset")
    from ncz.cli.progress import ProgressBar

    terminal = terminal_of(ctx)
    given = given_arguments(ctx, SPELLINGS)
    if len(names) > len(others):
        chosen = (name for name in names if name not in others)
        given["variables"] = (*chosen, *given.get("variables", ()))
    given.setdefault("stats", page is not None)
    what = "nothing was changed" if page is None else "nothing was written"
    pages = io.BytesIO()
    for number, text in enumerate((source, *others)):
        with note_on_interrupt(what), ProgressBar(terminal) as progress:
            found = describe(
                locate_source(ctx, text),
                **given,
                allow_loss=True,
                html=pages if page == "-" else page,
                notify=Callbacks(terminal.notify, progress),
            )
        if page is None and not as_json:
            _print(terminal, info_lines(found, columns(), storage=storage), is_first=not number)
    if page == "-":
        with standard_output() as write:
            write(pages.getvalue())
    elif page is None and as_json:
        print_json(info_json(found), indent=1)


def _print(terminal: Terminal, lines: Iterable[str], *, is_first: bool) -> None:
    """Print the lines of a page after the lines of another one; headings are bold in colour."""
    colored = terminal.is_colored(sys.stdout)
    with standard_output(colored=colored) as write:
        if not is_first:
            write(b"\n")
        for line in lines:
            is_heading = colored and line and not line.startswith(" ")
            title, colon, rest = line.partition(":")
            text = f"\x1b[1m{title}{colon}\x1b[0m{rest}" if is_heading else line
            write(f"{text}\n".encode())
