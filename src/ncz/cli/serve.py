"""``ncz serve``: datasets as pure Zarr over HTTP."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.options import (
    DATASET_SECTIONS,
    SUBSET_NAMES,
    Command,
    S3Options,
    dataset_options,
    examples,
    fields_given,
    keep_going_option,
    located,
    option,
)
from ncz.cli.terminal import Terminal, pass_terminal, standard_output
from ncz.errors import note_if_interrupted


@click.command(
    "serve",
    cls=Command,
    sections={
        "Server": (),
        "Dataset": ("zarr_format", *SUBSET_NAMES, "keep_going"),
        **DATASET_SECTIONS,
    },
    epilog=examples(
        "ncz serve weather.nc",
        "ncz serve --port 8000 weather.nc s3://bucket/model.zarr",
        "ncz serve --allow-origin https://viewer.example.org weather.zarr",
        "ncz serve --host 0.0.0.0 weather.zarr",
    ),
)
@click.argument("sources", metavar="STORE...", nargs=-1, required=True)
@option(
    "--zarr-format",
    type=click.Choice(["2", "3"]),
    metavar="N",
    section="Dataset",
    parse=lambda value, _: None if value is None else int(value),
    help="Zarr version to serve: 2 or 3 (default: that of the source, or 2).",
)
@option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    section="Server",
    help="Port to listen at (default: any that is free).",
)
@option(
    "--host",
    metavar="ADDRESS",
    section="Server",
    help="Listen at this address, so that other machines can read, with a token in the address"
    " of each dataset (default: 127.0.0.1).",
)
@option(
    "--token",
    "has_token",
    is_flag=True,
    section="Server",
    help="Have a token in the addresses on this machine, too.",
)
@option(
    "--allow-origin",
    metavar="ORIGIN",
    multiple=True,
    section="Server",
    help="Let scripts of this site read, such as https://example.org. Can be repeated.",
)
@keep_going_option
@dataset_options
@click.pass_context
@pass_terminal
def serve(
    terminal: Terminal, ctx: click.Context, /, sources: tuple[str, ...], s3: S3Options, **given: Any
) -> None:
    """Serve datasets as pure Zarr stores over HTTP, until Ctrl-C.

    STORE is a path or URL of anything that ncz reads. The address of each dataset is printed; other
    programs open it, as xarray.open_zarr does. Chunks are passed on as they are stored if Zarr can
    hold them, and encoded on request otherwise. Nothing can be written. A dataset that changes
    while it is served becomes an error.
    """
    from ncz.commands.serve.command import ServeOptions, serving

    options = ServeOptions(
        sources=tuple(located(source, s3, terminal) for source in sources),
        allow_loss=terminal.allow_loss,
        **fields_given(ServeOptions, ctx, given),
    )
    with note_if_interrupted("the server has ended"), serving(options, terminal.notify) as server:
        with standard_output(buffered=False) as write:
            for address in server.addresses.values():
                write(f"{address}\n".encode())
        server.wait()
