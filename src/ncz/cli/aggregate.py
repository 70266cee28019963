"""``ncz aggregate``: make a master over files, or change where its pieces are."""

from __future__ import annotations

import json
from typing import Any

import click

from ncz.cli.options import (
    COMMON_NAMES,
    S3_NAMES,
    Command,
    S3Options,
    common_options,
    examples,
    fields_of,
    options_of,
    overwrite_store_option,
    s3_options,
)
from ncz.cli.terminal import Terminal, pass_terminal, standard_output
from ncz.commands.aggregate import AggregateOptions

_FORMS = ("cfa", "cfa0.4", "cf")


@click.command(
    "aggregate",
    cls=Command,
    sections={
        "Output": ("mode", "overwrite", "as_json"),
        "Joining": (),
        "Remote stores": S3_NAMES,
        "Options": COMMON_NAMES,
    },
    epilog=examples(
        "ncz aggregate all.nca 19*.nc --axis time",
        "ncz aggregate all.nca a.nc b.nc --axis time --mode cf --attributes first",
        "ncz aggregate --move s3://bucket/pieces all.nca",
    ),
)
@click.argument("master", metavar="OUT")
@click.argument("files", metavar="FILES...", nargs=-1)
@click.option("--axis", metavar="DIM", help="Dimension along which the files follow each other.")
@click.option(
    "--mode",
    type=click.Choice(_FORMS),
    default="cfa",
    metavar="FORM",
    help="Form of OUT: cfa (CFA 0.5, the default), cfa0.4 or cf (CF 1.13).",
)
@click.option(
    "--common-date",
    is_flag=True,
    hidden=True,
    help="Times whose units differ are always converted to the units of the first file.",
)
@click.option(
    "--move",
    "prefix",
    metavar="PREFIX",
    help="Change OUT: its pieces are in this folder or at this URL now. No file is moved.",
)
@overwrite_store_option
@options_of(AggregateOptions)
@click.option("--json", "as_json", is_flag=True, help="Print the number of files as JSON.")
@s3_options
@common_options
@pass_terminal
def aggregate(
    terminal: Terminal,
    /,
    master: str,
    files: tuple[str, ...],
    s3: S3Options,
    axis: str | None,
    mode: str,
    common_date: bool,
    prefix: str | None,
    overwrite: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Make a master over files or stores that exist, without moving their data.

    All files must agree but along the axis. They are sorted by its coordinate variable; files that
    overlap are an error, and gaps are reported. Times are converted to the units of the first
    file. OUT holds the coordinates of all files, and refers to their variables.
    """
    if (prefix is None) == (not files):
        raise click.UsageError("give FILES and --axis, or --move PREFIX and no FILES")
    if files and axis is None:
        raise click.UsageError("FILES need --axis")
    place = s3.locate(terminal, master, creating=not prefix)
    if prefix is not None:
        from ncz.commands.aggregate import move

        count = move(place, prefix, terminal.notify)
    else:
        from ncz.cli.progress import Progress
        from ncz.commands.aggregate import aggregate as carry_out
        from ncz.formats.aggregation.target import FORM_OF_MODE

        assert axis is not None
        options = AggregateOptions(
            target=place,
            sources=tuple(s3.locate(terminal, file) for file in files),
            axis=axis,
            form=FORM_OF_MODE[mode],
            overwrite=overwrite,
            **fields_of(AggregateOptions, click.get_current_context(), given),
        )
        with Progress(terminal) as progress:
            count = carry_out(options, terminal.notify, progress)
    if as_json:
        with standard_output() as write:
            write((json.dumps({"files": count}) + "\n").encode())
