"""``ncz consolidate``: write consolidated metadata to an existing store."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.command import command
from ncz.cli.source_options import locate, s3_options
from ncz.cli.terminal import terminal_of


@command(
    "consolidate",
    "ncz consolidate a.zarr",
    "ncz consolidate s3://bucket/key",
    "ncz consolidate gs://bucket/key",
)
@click.argument("store", metavar="STORE")
@s3_options
def consolidate(ctx: click.Context, /, store: str, **_: Any) -> None:
    """Write consolidated metadata to an existing store.

    A Zarr V2 store gets .zmetadata; in a Zarr V3 store the root's zarr.json is rewritten. Existing
    consolidated metadata are replaced. STORE cannot be a zip file; use ncz copy --consolidated.
    """
    from ncz.cli.progress import ProgressBar
    from ncz.commands.consolidate import consolidate as carry_out
    from ncz.errors import Callbacks

    terminal = terminal_of(ctx)
    with ProgressBar(terminal) as progress:
        carry_out(locate(ctx, store), notify=Callbacks(terminal.notify, progress))
