"""``ncz diff``: print what differs between two datasets."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.options import Command, examples, names_of
from ncz.cli.options.dataset import DATASET_SECTIONS, dataset_options
from ncz.cli.options.source import (
    SUBSET_NAMES,
    S3Options,
    located,
)
from ncz.cli.terminal import Terminal, pass_terminal, standard_output
from ncz.errors import note_if_interrupted

DIFFERENT = 1
"""The exit code if something differs."""


@click.command(
    "diff",
    cls=Command,
    sections={
        "Selection": ("variables", *SUBSET_NAMES, "header_only", "storage"),
        "Tolerance": ("tolerance", "rtol", "ulp"),
        "Output": ("most", "as_json"),
        **DATASET_SECTIONS,
    },
    epilog=examples(
        "ncz diff old.zarr new.zarr",
        "ncz diff model.nc model.zarr --rtol 1e-6",
        "ncz diff -v t2m,lat a.zarr s3://bucket/b.zarr",
        "ncz diff --storage --json a.zarr b.zip",
    ),
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "-v",
    "--variables",
    metavar="VAR,...",
    callback=names_of,
    help="Compare these variables only, with their attributes.",
)
@click.option("-h", "--header-only", is_flag=True, help="Compare metadata only, no values.")
@click.option("--storage", is_flag=True, help="Compare chunks, shards, codecs and byte order too.")
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    default=0.0,
    metavar="X",
    help="Numbers are equal if they differ by at most X.",
)
@click.option(
    "--rtol",
    type=click.FloatRange(0),
    default=0.0,
    metavar="X",
    help="Numbers are equal if they differ by at most X times the larger magnitude.",
)
@click.option(
    "--ulp",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Numbers are equal if they are at most N representable numbers apart.",
)
@click.option(
    "--max",
    "most",
    type=click.IntRange(0),
    default=20,
    metavar="N",
    help="Most values that are listed for a variable (default: 20).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON.")
@dataset_options
@pass_terminal
def diff(terminal: Terminal, /, first: str, second: str, s3: S3Options, **given: Any) -> None:
    """Print what differs between two datasets. Print nothing if they are equal.

    A and B are paths or URLs of anything that ncz reads: stores, netCDF files, reference sets and
    CDL text; - is CDL text from standard input. NaN equals NaN. The exit code is 0 if the datasets
    are equal, and 1 if they differ or cannot be read.
    """
    from ncz.cli.output.diff import print_json, print_lines
    from ncz.cli.terminal.progress import Progress
    from ncz.commands.diff import DiffOptions
    from ncz.commands.diff import diff as carry_out
    from ncz.transfer.tolerance import Tolerance

    if first == second == "-":
        raise click.UsageError("A and B cannot both be standard input")
    options = DiffOptions(
        first=located(first, s3, terminal),
        second=located(second, s3, terminal),
        variables=given["variables"],
        subset=given["subset"],
        header_only=given["header_only"],
        storage=given["storage"],
        tolerance=Tolerance(absolute=given["tolerance"], relative=given["rtol"], ulp=given["ulp"]),
        most=given["most"],
        memory=given["memory"],
        threads=given["threads"],
        partial=True,
    )
    print_all = print_json if given["as_json"] else print_lines
    with (
        note_if_interrupted("not everything was compared"),
        standard_output() as write,
        Progress(terminal) as progress,
    ):

        def write_line(line: bytes) -> object:
            progress.hide()  # the line may be on the same terminal
            return write(line)

        found = carry_out(options, terminal.notify, progress)
        count = print_all(found, write_line, lambda: terminal.has_lost)
    if count:
        raise click.exceptions.Exit(DIFFERENT)
