"""``ncz consolidate``: write consolidated metadata to an existing store."""

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
    """Write consolidated metadata to an existing store.

    A Zarr V2 store gets .zmetadata; in a Zarr V3 store the root's zarr.json is rewritten. Existing
    consolidated metadata are replaced. STORE cannot be a zip file; use ncz copy --consolidated.
    """
    from ncz.commands.consolidate import consolidate as carry_out

    carry_out(store)
