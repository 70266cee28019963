"""``ncz diff``: print the differences between two datasets, as text or as JSON."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.command import command
from ncz.cli.differences import print_json, print_lines, print_unified_diff
from ncz.cli.options import json_option, option
from ncz.cli.source_options import (
    LIMITS,
    SELECTION,
    VARIABLES,
    dataset_options,
    locate_source,
    take_selection,
)
from ncz.cli.spellings import arguments_of, given_arguments, integer, number, spelling, split_names
from ncz.cli.terminal import standard_output, terminal_of
from ncz.commands.diff import DiffOptions, differences
from ncz.commands.diff import diff as compare
from ncz.errors import Callbacks, note_on_interrupt
from ncz.transfer.tolerance import Tolerance

SPELLINGS = {
    **VARIABLES,
    **SELECTION,
    "drop_attributes": spelling(
        "--drop-attribute", metavar="NAME,...", section="Selection", repeats=True, parse=split_names
    ),
    "header_only": spelling("-h", "--header-only", section="Selection", common=True),
    "data_only": spelling("--data-only", section="Selection", common=True),
    "storage": spelling("--storage", section="Selection", common=True),
    "digest": spelling("--digest", section="Selection"),
    "tolerance": spelling(
        "--tolerance",
        metavar="X",
        values=number(0),
        section="Tolerance",
        common=True,
        help="Numbers are equal if they differ by at most X.",
    ),
    "rtol": spelling(
        "--rtol",
        metavar="X",
        values=number(0),
        section="Tolerance",
        common=True,
        help="The same for X times the larger magnitude.",
    ),
    "ulp": spelling(
        "--ulp",
        metavar="N",
        values=integer(0),
        section="Tolerance",
        help="Numbers are equal if they are at most N representable numbers apart.",
    ),
    "most": spelling("--max", metavar="N", values=integer(0), section="Output", common=True),
    **LIMITS,
}

DIFFERENT, TROUBLE = 1, 2
"""diff's own exit codes, for differences and for datasets that cannot be compared wholly."""


@command(
    "diff",
    "ncz diff old.zarr new.zarr",
    "ncz diff model.nc model.zarr --rtol 1e-6",
    "ncz diff -v t2m,lat a.zarr s3://bucket/b.zarr",
    "ncz diff --storage --json a.zarr b.zip",
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@arguments_of(compare, SPELLINGS)
@option(
    "-u",
    "--unified",
    "is_unified",
    is_flag=True,
    section="Output",
    help="Print the differences as diff -u does: - for A and + for B.",
)
@json_option("Print the differences as JSON.")
@dataset_options
def diff(ctx: click.Context, /, first: str, second: str, **values: Any) -> None:
    """Print the differences between two datasets. Print nothing if they are equal.

    A and B are paths or URLs of anything that ncz reads; - is standard input. The exit
    code is 0 if the datasets are equal, 1 if they differ, and 2 if they cannot be read.
    """
    from ncz.cli.progress import ProgressBar

    terminal = terminal_of(ctx)
    terminal.failed = TROUBLE
    if first == second == "-":
        raise click.UsageError("A and B cannot both be standard input")
    given = given_arguments(ctx, SPELLINGS)
    if terminal.quiet:
        given.setdefault("most", 0)
    options = DiffOptions(
        first=locate_source(ctx, first),
        second=locate_source(ctx, second),
        subset=take_selection(given),
        tolerance=Tolerance(
            absolute=given.pop("tolerance", 0),
            relative=given.pop("rtol", 0),
            ulp=given.pop("ulp", 0),
        ),
        **given,
        partial=True,
    )
    if values["as_json"] and values["is_unified"]:
        raise click.UsageError("--unified cannot be used with --json")
    with (
        note_on_interrupt("not everything was compared"),
        standard_output() as write,
        ProgressBar(terminal) as progress,
    ):

        def write_line(line: bytes) -> object:
            progress.hide()  # the line may be on the same terminal
            return write(line)

        found = differences(options, Callbacks(terminal.notify, progress))
        if values["as_json"]:
            count = print_json(found, write_line, lambda: terminal.has_lost)
        elif values["is_unified"]:
            count = print_unified_diff(found, write_line, (first, second))
        else:
            count = print_lines(found, write_line)
    if count and not terminal.has_lost:
        raise click.exceptions.Exit(DIFFERENT)
