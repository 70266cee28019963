"""Options of the commands that create a store."""

from __future__ import annotations

import click

from ncz.cli.options import names

audience_option = click.option(
    "--for",
    "audience",
    metavar="READER,...",
    callback=names,
    help="Write what these programs read: xarray, netcdf-c, zarr-python, zarr-python-2,"
    " tensorstore, zarrs, zarrita, gdal.",
)
"""The option ``--for`` of the commands that create a store."""


class _SwitchOption(click.Option):
    """A flag whose environment variable turns it on or off; in click 8.2 any value turns it on."""

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return the value of the environment variable, or None if it is not set or empty."""
        return click.Parameter.resolve_envvar_value(self, ctx)


overwrite_store_option = click.option(
    "--overwrite",
    cls=_SwitchOption,
    is_flag=True,
    envvar="NCZ_OVERWRITE",
    help="Replace the target if it already exists and is a store. NCZ_OVERWRITE=1 does the same.",
)
"""The option ``--overwrite`` of commands that create a store.

ncgen and nccopy replace their target without being asked. Scripts written for them need not change:
they can set the environment variable.
"""

zarr_format_option = click.option(
    "--zarr-format",
    type=click.Choice(["2", "3"]),
    metavar="N",
    help="Zarr version to write: 2 (the default) or 3.",
)
"""The option ``--zarr-format`` of the commands that create a store."""

annotations_option = click.option(
    "--no-annotations",
    "annotations",
    flag_value=False,
    default=True,
    help="In pure Zarr, do not note beside consolidated metadata what pure Zarr cannot say.",
)
"""The option ``--no-annotations`` of the commands that create a store."""

char_option = click.option(
    "--char",
    type=click.Choice([">S1", "|S1"]),
    metavar="DTYPE",
    help="dtype of char: >S1 (netCDF-C) or |S1 (zarr-python).",
)

shards_option = click.option(
    "--shards",
    metavar="SPEC",
    multiple=True,
    help="Shard lengths in Zarr V3: dim/length,dim/,... or var:length,... or / for one shard"
    " each, or none.",
)
"""The option ``--shards`` of the commands that create a store."""

truncate_option = click.option(
    "--truncate-strings",
    is_flag=True,
    help="Truncate strings that are longer than _nczarr_maxstrlen, with a notice.",
)
"""The option ``--truncate-strings`` of the commands that create a store."""


inline_option = click.option(
    "--inline",
    type=click.IntRange(0, 8 << 20),
    metavar="N",
    help="In a reference set: hold objects of up to N bytes in the set (default: 500).",
)

record_size_option = click.option(
    "--record-size",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="In a reference set in Parquet: chunks in each file (default: 10000).",
)
