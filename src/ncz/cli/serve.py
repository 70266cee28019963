"""``ncz serve``: datasets as pure Zarr over HTTP."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.command import command
from ncz.cli.source_options import (
    KEEP_GOING,
    LIMITS,
    SELECTION,
    locate_source,
    reference_options,
    s3_options,
    take_selection,
)
from ncz.cli.spellings import arguments_of, choice, given_arguments, integer, spelling, words
from ncz.cli.terminal import standard_output, terminal_of
from ncz.commands.serve.command import ServeOptions, run_server
from ncz.commands.serve.command import serve as serve_datasets
from ncz.errors import note_on_interrupt

SPELLINGS = {
    **SELECTION,
    "zarr_format": spelling(
        "--zarr-format",
        metavar="N",
        values=choice("2", "3"),
        section="Store",
        parse=lambda text, _: int(text),
        common=True,
        help="Zarr version to serve: 2 or 3. Default: the version of STORE, or 2.",
    ),
    "netcdf": spelling("--netcdf", section="Store", common=True),
    "netcdf_filters": spelling(
        "--netcdf-filters",
        metavar="FILTER,...",
        section="Store",
        repeats=True,
        parse=words,
    ),
    "port": spelling(
        "--port", metavar="N", values=integer(0, 65535), section="Server", common=True
    ),
    "host": spelling("--host", metavar="ADDRESS", section="Server", common=True),
    "token": spelling("--token", section="Server", common=True),
    "allow_origin": spelling(
        "--allow-origin",
        metavar="ORIGIN",
        repeats=True,
        section="Server",
        common=True,
        help="Let scripts from this site read, such as https://example.org. Can be repeated.",
    ),
    "allow_loss": spelling("--allow-loss", section="Output"),
    **KEEP_GOING,
    **LIMITS,
}


@command(
    "serve",
    "ncz serve weather.nc",
    "ncz serve --netcdf weather.zarr",
    "ncz serve --port 8000 weather.nc s3://bucket/model.zarr",
    "ncz serve --allow-origin https://viewer.example.org weather.zarr",
    "ncz serve --host 0.0.0.0 weather.zarr",
)
@click.argument("sources", metavar="STORE...", nargs=-1, required=True)
@arguments_of(serve_datasets, SPELLINGS)
@s3_options
@reference_options
def serve(ctx: click.Context, /, sources: tuple[str, ...], **_: Any) -> None:
    """Serve datasets as pure Zarr stores over HTTP, until Ctrl-C.

    STORE is a path or URL of anything that ncz reads. The address of each dataset is printed; other
    programs open it, as xarray.open_zarr does. Nothing can be written.
    """
    terminal = terminal_of(ctx)
    given = given_arguments(ctx, SPELLINGS)
    options = ServeOptions(
        sources=tuple(locate_source(ctx, source) for source in sources),
        subset=take_selection(given),
        has_token=given.pop("token", False),
        **given,
    )
    with note_on_interrupt("the server has ended"), run_server(options, terminal.notify) as server:
        with standard_output(buffered=False) as write:
            for address in server.addresses.values():
                write(f"{address}\n".encode())
        server.wait()
