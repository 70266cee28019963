"""``ncz info``: describe a dataset, its storage and its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ncz.cli.options import Command, examples, names_of
from ncz.cli.options.dataset import DATASET_SECTIONS, dataset_options
from ncz.cli.options.source import (
    SUBSET_NAMES,
    S3Options,
    keep_going_option,
    located,
)
from ncz.cli.terminal import Terminal, pass_terminal, standard_output

if TYPE_CHECKING:
    from ncz.commands.subsets import Subset


@click.command(
    "info",
    cls=Command,
    sections={
        "Selection": ("variables", *SUBSET_NAMES, "statistics"),
        "Output": ("as_json", "keep_going"),
        **DATASET_SECTIONS,
    },
    epilog=examples(
        "ncz info weather.zarr",
        "ncz info --stats -v t2m,wind weather.zarr",
        "ncz info --json s3://bucket/key.zarr",
    ),
)
@click.argument("source", metavar="STORE")
@click.option(
    "-v", "--variables", metavar="VAR,...", callback=names_of, help="Describe these only."
)
@click.option(
    "--stats",
    "statistics",
    is_flag=True,
    help="Read all values; add minimum, maximum, mean, std and missing counts.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the description as JSON.")
@keep_going_option
@dataset_options
@pass_terminal
def info(
    terminal: Terminal,
    /,
    source: str,
    s3: S3Options,
    variables: tuple[str, ...] | None,
    subset: Subset | None,
    statistics: bool,
    as_json: bool,
    memory: int | None,
    threads: int | None,
    keep_going: bool,
) -> None:
    """Describe a dataset: format, writer, variables and how they are stored.

    STORE is a path or URL of anything that ncz reads: a store, a netCDF file, a reference set or
    CDL text; - is CDL text from standard input. Sizes of chunks are found without reading them.
    --stats reads all values once. Values are unpacked and masked as xarray does.
    """
    from ncz.cli.output.info import info_json, info_lines
    from ncz.cli.terminal.progress import Progress
    from ncz.commands.info.command import InfoOptions
    from ncz.commands.info.command import info as carry_out

    options = InfoOptions(
        source=located(source, s3, terminal),
        variables=variables,
        subset=subset,
        statistics=statistics,
        memory=memory,
        threads=threads,
        partial=True,
        keep_going=keep_going,
    )
    with Progress(terminal) as progress:
        found = carry_out(options, terminal.notify, progress.expect, progress.moved)
    with standard_output() as write:
        if as_json:
            write(info_json(found).encode())
        else:
            for line in info_lines(found):
                write(line.encode("utf-8", "surrogateescape") + b"\n")
