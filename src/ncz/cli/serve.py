"""``ncz serve``: datasets as pure Zarr over HTTP."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.command import command, fields_of, options_of
from ncz.cli.source_options import located, reference_options, s3_options
from ncz.cli.terminal import standard_output, terminal_of
from ncz.commands.serve.command import ServeOptions
from ncz.errors import note_if_interrupted


@command(
    "serve",
    "ncz serve weather.nc",
    "ncz serve --port 8000 weather.nc s3://bucket/model.zarr",
    "ncz serve --allow-origin https://viewer.example.org weather.zarr",
    "ncz serve --host 0.0.0.0 weather.zarr",
)
@click.argument("sources", metavar="STORE...", nargs=-1, required=True)
@options_of(ServeOptions)
@s3_options
@reference_options
def serve(ctx: click.Context, /, sources: tuple[str, ...], **values: Any) -> None:
    """Serve datasets as pure Zarr stores over HTTP, until Ctrl-C.

    STORE is a path or URL of anything that ncz reads. The address of each dataset is printed; other
    programs open it, as xarray.open_zarr does. Nothing can be written.
    """
    from ncz.commands.serve.command import serving

    terminal = terminal_of(ctx)
    options = ServeOptions(
        sources=tuple(located(ctx, source) for source in sources),
        **fields_of(ServeOptions, ctx, values),
    )
    with note_if_interrupted("the server has ended"), serving(options, terminal.notify) as server:
        with standard_output(buffered=False) as write:
            for address in server.addresses.values():
                write(f"{address}\n".encode())
        server.wait()
