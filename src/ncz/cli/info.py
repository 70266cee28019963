"""``ncz info``: describe a dataset, its storage and its values, as text or as JSON."""

from __future__ import annotations

import io
import os
from typing import Any

import click

from ncz.cli.command import arguments_given, arguments_of, command, json_option, option, spelled
from ncz.cli.description import info_json, info_lines
from ncz.cli.source_options import (
    KEEP_GOING,
    LIMITS,
    SELECTION,
    VARIABLES,
    dataset_options,
    located,
)
from ncz.cli.terminal import print_json, print_lines, standard_output, terminal_of
from ncz.commands.info import info as describe
from ncz.errors import Callbacks, note_if_interrupted

SPELLINGS = {
    **VARIABLES,
    **SELECTION,
    "stats": spelled(
        "--stats/--no-stats",
        section="Selection",
        common=True,
        help="Read all values; add minimum, maximum, mean, std and missing counts. The default with"
        " --html.",
    ),
    "sources": spelled(
        "--sources",
        section="Selection",
        common=True,
        help="List the files to which STORE refers, with their sizes, and whether they have"
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
    page: str | None,
    **values: Any,
) -> None:
    """Describe a dataset: format, writer, variables and how they are stored.

    STORE is a path or URL of anything that ncz reads; - is CDL text from standard input. VAR are
    the variables to describe, as with -v. Only --stats and --html read values, which are unpacked
    and masked as xarray does.
    """
    if page is not None and as_json:
        raise click.UsageError("--html cannot be used with --json")
    others = [name for name in names if _is_dataset(name)]
    if others and (page is not None or as_json):
        raise click.UsageError("--html and --json describe one dataset")
    from ncz.cli.progress import ProgressBar

    terminal = terminal_of(ctx)
    given = arguments_given(ctx, SPELLINGS)
    if len(names) > len(others):
        chosen = (name for name in names if name not in others)
        given["variables"] = (*chosen, *given.get("variables", ()))
    given.setdefault("stats", page is not None)
    what = "nothing was changed" if page is None else "nothing was written"
    pages = io.BytesIO()
    for number, text in enumerate((source, *others)):
        with note_if_interrupted(what), ProgressBar(terminal) as progress:
            found = describe(
                located(ctx, text),
                **given,
                allow_loss=True,
                html=pages if page == "-" else page,
                notify=Callbacks(terminal.notify, progress),
            )
        if page is None and not as_json:
            print_lines(["", *info_lines(found)] if number else info_lines(found))
    if page == "-":
        with standard_output() as write:
            write(pages.getvalue())
    elif page is None and as_json:
        print_json(info_json(found), indent=1)


def _is_dataset(name: str) -> bool:
    """Return whether an argument is a further dataset, and not the name of a variable."""
    return "://" in name or (os.path.exists(name) and not name.isidentifier())
