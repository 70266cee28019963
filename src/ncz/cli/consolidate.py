"""``ncz consolidate``: write consolidated metadata to an existing store."""

from __future__ import annotations

import click

from ncz.cli.options import Command, S3Options, common_options, examples, s3_options
from ncz.cli.terminal import Terminal, pass_terminal


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
@s3_options
@common_options
@pass_terminal
def consolidate(terminal: Terminal, store: str, s3: S3Options) -> None:
    """Write consolidated metadata to an existing store.

    A Zarr V2 store gets .zmetadata; in a Zarr V3 store the root's zarr.json is rewritten. Existing
    consolidated metadata are replaced. STORE cannot be a zip file; use ncz copy --consolidated.
    """
    from ncz.cli.progress import Progress
    from ncz.commands.consolidate import consolidate as carry_out

    with Progress(terminal) as progress:
        carry_out(s3.locate(terminal, store), progress)
