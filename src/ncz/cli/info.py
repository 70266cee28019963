"""``ncz info``: describe a dataset, its storage and its values, as text or as JSON."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.command import command, fields_of, json_option, option, options_of
from ncz.cli.description import info_json, info_lines
from ncz.cli.source_options import dataset_options, located
from ncz.cli.terminal import Terminal, print_json, print_lines, standard_output, terminal_of
from ncz.commands.info import InfoOptions
from ncz.errors import Callbacks, note_if_interrupted


@command(
    "info",
    "ncz info weather.zarr",
    "ncz info --stats -v t2m,wind weather.zarr",
    "ncz info --json s3://bucket/key.zarr",
    "ncz info --html weather.html weather.zarr",
)
@click.argument("source", metavar="STORE")
@click.argument("names", metavar="[VAR]...", nargs=-1)
@options_of(InfoOptions)
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
    from ncz.cli.progress import ProgressBar
    from ncz.commands.info import info as carry_out

    terminal = terminal_of(ctx)
    if names:
        values["variables"] = (*names, *values["variables"])
    if values["statistics"] is None:
        values["statistics"] = page is not None
    options = InfoOptions(
        source=located(ctx, source),
        **fields_of(InfoOptions, ctx, values) | {"partial": True},
    )
    if page is not None:
        _write_page(terminal, options, page)
        return
    with note_if_interrupted("nothing was changed"), ProgressBar(terminal) as progress:
        found = carry_out(options, Callbacks(terminal.notify, progress))
    if as_json:
        print_json(info_json(found), indent=1)
    else:
        print_lines(info_lines(found))


def _write_page(terminal: Terminal, options: InfoOptions, target: str) -> None:
    """Write the page to a file or to standard output."""
    from ncz.cli.progress import ProgressBar
    from ncz.commands.info import info_page, write_page

    with note_if_interrupted("nothing was written"), ProgressBar(terminal) as progress:
        _, page = info_page(options, Callbacks(terminal.notify, progress))
    if target != "-":
        write_page(page, target)
        return
    with standard_output() as write:
        write(page.encode())
