"""``ncz consolidate``: consolidated metadata for a store that is there."""

from __future__ import annotations

import click

from ncz.cli.options import Command, common_options, examples


@click.command(
    "consolidate",
    cls=Command,
    epilog=examples(
        "ncz consolidate a.zarr",
        "ncz consolidate s3://bucket/key",
        "ncz consolidate gs://bucket/key",
    ),
)
@click.argument("store", metavar="STORE")
@common_options
def consolidate(store: str) -> None:
    """Write consolidated metadata (.zmetadata) to a store, in place.

    It is made from the documents that are there, and replaces an old one.
    """
    from ncz.commands.consolidate import consolidate as carry_out

    carry_out(store)
