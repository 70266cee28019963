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
from ncz.errors import note_if_interrupted

if TYPE_CHECKING:
    from ncz.commands.info.command import InfoOptions
    from ncz.commands.subsets import Subset


@click.command(
    "info",
    cls=Command,
    sections={
        "Selection": ("variables", *SUBSET_NAMES, "statistics"),
        "Output": ("as_json", "page", "keep_going"),
        **DATASET_SECTIONS,
    },
    epilog=examples(
        "ncz info weather.zarr",
        "ncz info --stats -v t2m,wind weather.zarr",
        "ncz info --json s3://bucket/key.zarr",
        "ncz info --html weather.html weather.zarr",
    ),
)
@click.argument("source", metavar="STORE")
@click.option(
    "-v", "--variables", metavar="VAR,...", callback=names_of, help="Describe these only."
)
@click.option(
    "--stats/--no-stats",
    "statistics",
    default=None,
    help="Read all values; add minimum, maximum, mean, std and missing counts (default: with"
    " --html).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the description as JSON.")
@click.option(
    "--html",
    "page",
    metavar="FILE",
    help="Write a page with attributes, statistics, pictures and chunks; - is standard output.",
)
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
    statistics: bool | None,
    as_json: bool,
    page: str | None,
    memory: int | None,
    threads: int | None,
    keep_going: bool,
) -> None:
    """Describe a dataset: format, writer, variables and how they are stored.

    STORE is a path or URL of anything that ncz reads: a store, a netCDF file, a reference set or
    CDL text; - is CDL text from standard input. Sizes of chunks are found without reading them.
    --stats reads all values once. Values are unpacked and masked as xarray does.
    """
    if page is not None and as_json:
        raise click.UsageError("--html cannot be used with --json")
    from ncz.cli.output.info import info_json, info_lines
    from ncz.cli.terminal.progress import Progress
    from ncz.commands.info.command import InfoOptions
    from ncz.commands.info.command import info as carry_out

    options = InfoOptions(
        source=located(source, s3, terminal),
        variables=variables,
        subset=subset,
        statistics=page is not None if statistics is None else statistics,
        memory=memory,
        threads=threads,
        partial=True,
        keep_going=keep_going,
    )
    if page is not None:
        _write_page(terminal, options, page)
        return
    with note_if_interrupted("nothing was changed"), Progress(terminal) as progress:
        found = carry_out(options, terminal.notify, progress)
    with standard_output() as write:
        if as_json:
            write(info_json(found).encode())
        else:
            for line in info_lines(found):
                write(line.encode("utf-8", "surrogateescape") + b"\n")


def _write_page(terminal: Terminal, options: InfoOptions, target: str) -> None:
    """Write the page to a file or to standard output."""
    from ncz.cli.terminal.progress import Progress
    from ncz.commands.info.command import info_page, write_page

    with note_if_interrupted("nothing was written"), Progress(terminal) as progress:
        _, page = info_page(options, terminal.notify, progress)
    if target != "-":
        write_page(page, target)
        return
    with standard_output() as write:
        write(page.encode())
