"""``ncz aggregate``: create a master for existing files, or change the place of its pieces."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from ncz.cli.command import command
from ncz.cli.dataset_endings import is_named
from ncz.cli.joining_options import AGREEMENT
from ncz.cli.line_order import is_place
from ncz.cli.options import json_option, option
from ncz.cli.source_options import locate, s3_options
from ncz.cli.spellings import LITERAL, arguments_of, given_arguments, spelling
from ncz.cli.target_options import OVERWRITE
from ncz.cli.terminal import print_json, terminal_of
from ncz.commands.aggregate.command import aggregate as make_master
from ncz.errors import Callbacks

SPELLINGS = {
    "axis": spelling("--axis", metavar="DIM", section="Selection", common=True),
    "mode": spelling(
        "--mode",
        metavar="FORM",
        values=LITERAL,
        section="Output",
        common=True,
        help="Form of OUT: cfa (CFA 0.5, the default), cfa0.4 or cf (CF 1.13).",
    ),
    "rebuild": spelling(
        "--rebuild",
        section="Selection",
        common=True,
        help="Make OUT again from its pieces, FILES, or from their folders.",
    ),
    **AGREEMENT,
    **OVERWRITE,
    "allow_loss": spelling(
        "--allow-loss",
        section="Store",
        common=True,
        help="Write OUT even if it cannot represent everything.",
    ),
}


@command(
    "aggregate",
    "ncz aggregate all.nca 19*.nc --axis time",
    "ncz aggregate all.nca a.nc b.nc --axis time --mode cf --attributes first",
    "ncz aggregate --rebuild all.nca all/*.nc",
    "ncz aggregate --move s3://bucket/pieces all.nca",
)
@click.argument("master", metavar="OUT")
@click.argument("files", metavar="FILES...", nargs=-1)
@arguments_of(make_master, SPELLINGS)
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
    help="A master refers to stored values and cannot pack them again.",
)
@option(
    "--move",
    "prefix",
    metavar="PREFIX",
    section="Output",
    common=True,
    help="Change the folder or URL of the pieces in OUT. No file is moved.",
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
    """Create a master for existing files or stores, without moving their data.

    All files must be equal except along the axis. They are sorted by its coordinate; files that
    overlap are an error, and gaps are reported. Times are converted to the units of the first file.
    """
    if (prefix is None) == (not files):
        raise click.UsageError("give FILES and --axis, or --move PREFIX and no FILES")
    if repack is not None:
        raise click.UsageError(
            "--repack would change values, but a master only refers to them; write new pieces with"
            f" 'ncz copy --concat {values['axis'] or 'DIM'} --repack {repack} FILES... OUT'"
        )
    if files and ("*" in master or os.path.isfile(master)) and not is_place(files[-1]):
        last, axis = shlex.quote(files[-1]), values["axis"] or "time"
        if is_named(last, (".json", ".parquet")):
            raise click.UsageError(
                f"{last} is the name of a reference set, not of a master; type:"
                f" ncz copy --concat {axis} FILES... {last}"
            )
        raise click.UsageError(
            f"OUT comes before FILES; type: ncz aggregate {last} FILES... --axis {axis}"
        )
    terminal = terminal_of(ctx)
    terminal.allow_loss = values["allow_loss"]
    place = locate(ctx, master, creating=not prefix)
    if prefix is not None:
        from ncz.commands.aggregate.relocation import move

        count = move(place, prefix, terminal.notify)
    else:
        from ncz.cli.progress import ProgressBar

        sources = [locate(ctx, file) for file in files]
        given = given_arguments(ctx, SPELLINGS)
        with ProgressBar(terminal) as progress:
            callbacks = Callbacks(terminal.notify, progress)
            count = make_master(sources, place, **given, notify=callbacks)
    if as_json:
        print_json({"files": count})
