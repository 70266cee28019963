"""``ncz aggregate``: make a master over files, or change where its pieces are."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.command import command, fields_of, json_option, option, options_of
from ncz.cli.source_options import locate, s3_options
from ncz.cli.terminal import print_json, terminal_of
from ncz.commands.aggregate.options import AggregateOptions
from ncz.errors import Callbacks


@command(
    "aggregate",
    "ncz aggregate all.nca 19*.nc --axis time",
    "ncz aggregate all.nca a.nc b.nc --axis time --mode cf --attributes first",
    "ncz aggregate --rebuild all.nca all/*.nc",
    "ncz aggregate --move s3://bucket/pieces all.nca",
)
@click.argument("master", metavar="OUT")
@click.argument("files", metavar="FILES...", nargs=-1)
@options_of(AggregateOptions)
@click.option(
    "--common-date",
    is_flag=True,
    hidden=True,
    expose_value=False,
    help="Times whose units differ are always converted to the units of the first file.",
)
@click.option(
    "--repack",
    metavar="TYPE",
    hidden=True,
    help="A master refers to values as they are, so that they cannot be packed again.",
)
@option(
    "--move",
    "prefix",
    metavar="PREFIX",
    section="Output",
    common=True,
    help="Change OUT: its pieces are in this folder or at this URL now. No file is moved.",
)
@json_option("Print the number of files as JSON.")
@s3_options
def aggregate(
    ctx: click.Context,
    /,
    master: str,
    files: tuple[str, ...],
    prefix: str | None,
    as_json: bool,
    repack: str | None,
    **values: Any,
) -> None:
    """Make a master over files or stores that exist, without moving their data.

    All files must agree but along the axis. They are sorted by its coordinate; files that overlap
    are an error, and gaps are reported. Times are converted to the units of the first file.
    """
    if (prefix is None) == (not files):
        raise click.UsageError("give FILES and --axis, or --move PREFIX and no FILES")
    if repack is not None:
        raise click.UsageError(
            "--repack would change values, to which a master only refers; write new pieces with"
            f" 'ncz copy --concat {values['axis'] or 'DIM'} --repack {repack} FILES... OUT'"
        )
    if files and values["axis"] is None and not values["rebuild"]:
        raise click.UsageError("FILES need --axis, or --rebuild if they are pieces")
    terminal = terminal_of(ctx)
    terminal.allow_loss = values["allow_loss"]
    place = locate(ctx, master, creating=not prefix)
    if prefix is not None:
        from ncz.commands.aggregate.relocation import move

        count = move(place, prefix, terminal.notify)
    else:
        from ncz.cli.progress import ProgressBar
        from ncz.commands.aggregate.command import aggregate as carry_out

        options = AggregateOptions(
            target=place,
            sources=tuple(locate(ctx, file) for file in files),
            **fields_of(AggregateOptions, ctx, values),
        )
        with ProgressBar(terminal) as progress:
            count = carry_out(options, Callbacks(terminal.notify, progress))
    if as_json:
        print_json({"files": count})
